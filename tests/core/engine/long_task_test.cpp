#include "core/compute/engine/long_task.h"

#include <atomic>
#include <thread>

#include "core/base/tensor/error.h"
#include "tests/catch.h"

using namespace headlight;

TEST_CASE("a long task runs once for each input, reports its progress, and gives its error") {
  LongTask task;
  std::atomic<int> runs = 0;
  const auto of = std::make_shared<int>(1);
  const auto work = [&](const std::stop_token&, const std::function<void(double)>& told) {
    ++runs;
    told(0.5);
  };
  task.want(of, work);
  task.wait();
  task.want(of, work);
  task.wait();
  CHECK(runs == 1);
  CHECK(task.now().share == 1);
  CHECK_FALSE(task.now().stopped);
  task.want(std::make_shared<int>(2),
            [](const std::stop_token&, const auto&) { throw InputError("x", "is wrong", "expected y"); });
  task.wait();
  CHECK(task.now().error.english().find("is wrong") != std::string::npos);
}

TEST_CASE("a long task stops on request, when no frame asks for it, and for another input; it can begin again") {
  LongTask task;
  std::atomic<int> begun = 0, left = 0;
  const auto endless = [&](const std::stop_token& stop, const std::function<void(double)>& told) {
    ++begun;
    while (!stop.stop_requested()) {
      told(0.25);
      std::this_thread::yield();
    }
    ++left;
    throw Cancelled();
  };
  const auto reaches = [](const std::atomic<int>& count, int wanted) {
    while (count < wanted) std::this_thread::yield();
    return count == wanted;
  };
  const auto of = std::make_shared<int>(1);
  task.want(of, endless);
  CHECK(reaches(begun, 1));
  CHECK_FALSE(task.idle());
  task.stop();
  CHECK(task.now().stopped);
  CHECK(task.idle());
  task.again();
  CHECK(reaches(begun, 2));
  CHECK(left == 1);
  task.end_frame();  // this frame asked for it
  CHECK(task.now().running);
  task.end_frame();
  CHECK(task.now().stopped);
  task.again();
  CHECK(reaches(begun, 3));
  task.want(std::make_shared<int>(2), [](const std::stop_token&, const auto&) {});
  task.wait();
  CHECK(left == 3);
  CHECK_FALSE(task.now().stopped);
}
