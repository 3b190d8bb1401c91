#include "core/compute/attention/workers.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/base/tensor/error.h"
#include "tests/catch.h"

using namespace headlight;

TEST_CASE("every block is done once, whichever thread takes it and from whichever end", "[attention]") {
  for (const int threads : {1, 2, 5}) {
    for (const Index blocks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(blocks));
      Workers workers;
      workers.threads = threads;
      workers.run(blocks, 1e9, [&](Index block) { ++done.at(static_cast<std::size_t>(block)); });
      CAPTURE(threads, blocks);
      CHECK(std::ranges::all_of(done, [](const std::atomic<int>& times) { return times == 1; }));
    }
  }
}

TEST_CASE("an exception thrown by a block reaches the caller, and no further block begins", "[attention]") {
  Workers workers;
  workers.threads = 2;
  std::atomic<int> done{0};
  CHECK_THROWS_AS(workers.run(1'000'000, 1e9,
                              [&](Index) {
                                ++done;
                                throw Cancelled();
                              }),
                  Cancelled);
  CHECK(done <= 2);
}
