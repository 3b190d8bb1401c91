// A stop token that also stops after a time limit.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace headlight {

class TimeLimit {
 public:
  TimeLimit(double seconds, std::stop_token outer);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  std::stop_token token() const { return both_.get_token(); }
  /// Whether time ran out, and nobody else asked to stop.
  bool is_up() const { return both_.stop_requested() && !outer_.stop_requested(); }

 private:
  void sleep(std::stop_token woken, std::chrono::steady_clock::time_point end);

  struct Ask {
    std::stop_source* both;
    void operator()() const { both->request_stop(); }
  };
  std::stop_token outer_;
  std::stop_source both_;
  std::stop_callback<Ask> passed_on_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread clock_;  ///< last member, since it uses the others
};

}  // namespace headlight
