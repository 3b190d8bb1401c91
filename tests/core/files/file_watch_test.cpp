#include "core/base/arrays/file_watch.h"

#include <atomic>
#include <chrono>

#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;
using namespace headlight::samples;

namespace {

bool within(std::chrono::milliseconds most, const std::function<bool()>& becomes_true) {
  const auto end = std::chrono::steady_clock::now() + most;
  while (std::chrono::steady_clock::now() < end) {
    if (becomes_true()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace

TEST_CASE("a watched file that is written again is noticed once, another one is not") {
  using namespace std::chrono_literals;
  const TempFolder folder;
  write_text(folder / "a", "one");
  write_text(folder / "b", "one");
  std::atomic<int> called = 0;
  FileWatch watch([&] { ++called; });
  watch.watch((folder / "a").string());
  write_text(folder / "b", "other");
  CHECK_FALSE(within(1200ms, [&] { return called > 0; }));
  CHECK_FALSE(watch.take());
  write_text(folder / "a", "three");
  CHECK(within(4000ms, [&] { return called > 0; }));
  CHECK(watch.take());
  CHECK_FALSE(watch.take());
  watch.watch("");
  write_text(folder / "a", "and more");
  CHECK_FALSE(within(1200ms, [&] { return called > 1; }));
}
