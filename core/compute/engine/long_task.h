// LongTask: one long computation on a worker, with progress and a stop. It leaves its results where its creator reads
// them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/parallel/worker.h"
#include "core/base/tensor/message.h"
#include "core/compute/network/head_overview.h"

namespace headlight {

class LongTask {
 public:
  /// Throws Cancelled if `stop` asks for it, and InputError. `told` receives the finished share.
  using Work = std::function<void(const std::stop_token& stop, const std::function<void(double share)>& told)>;
  struct Now {
    bool running = false;
    bool stopped = false;  ///< before it was finished
    double share = 0;
    std::optional<double> seconds_left{};
    Message error{};
    std::uint64_t version = 0;  ///< increases with every change
  };

  /// `wake` is called on the worker when something changes.
  explicit LongTask(std::function<void()> wake = {});
  ~LongTask();
  LongTask(const LongTask&) = delete;
  LongTask& operator=(const LongTask&) = delete;

  /// Call in each frame that shows it. Work starts if `of` differs from the last call; it replaces what was running.
  void want(const std::shared_ptr<const void>& of, Work work);
  void stop();
  /// Restarts a stopped task.
  void again();
  /// Drops the work, and what it holds.
  void forget();
  /// Call after each frame: the work stops if nothing was requested in it.
  void end_frame();
  Now now() const;
  bool idle() const;
  /// Blocks until the work ends; for pictures and tests.
  void wait();

 private:
  bool advance();
  void begin();      ///< requires mutex_
  void stop_held();  ///< requires mutex_
  void tell(double share, const std::stop_token& stop);

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::shared_ptr<const void> of_;
  Work work_;
  std::stop_source current_;
  Now now_;
  std::chrono::steady_clock::time_point began_, woke_;
  bool wanted_ = false, waits_ = false;
  Worker worker_;
};

// LayersJoiner: rollout and flow over the layers of a network (core/compute/network/attention_flow.h), computed on a
// worker: rollout at once, flow row by row. A newer request replaces an older one.
enum class Joining : std::uint8_t { rollout, flow };

/// Up to a layer of a stack, for one batch entry.
struct JoinWish {
  std::shared_ptr<const HeadOverview> overview;
  Index layer = 0, batch = 0;
  Joining how{};
  bool operator==(const JoinWish&) const = default;
};

/// What is computed so far.
struct JoinedRows {
  Tensor matrix{};             ///< [n, n], rows that are not computed yet are 0; undefined before the first
  Index rows = 0;              ///< number of computed rows
  std::uint64_t version = 0;   ///< increases with every change
  bool out_of_memory = false;  ///< it stopped because memory ran out
};

class LayersJoiner {
 public:
  /// `wake` is called on the worker when more is computed.
  explicit LayersJoiner(std::function<void()> wake = {}) : task_(std::move(wake)) {}

  /// Call in each frame that shows it. The layers up to that one must have square means.
  void want(const JoinWish& wish);
  /// Call after each frame: everything is freed if nothing was requested in it.
  void end_frame();
  /// For the newest request.
  JoinedRows now() const;
  bool idle() const { return task_.idle(); }
  /// Blocks until everything is computed; for pictures and tests.
  void wait() { task_.wait(); }

 private:
  struct Shared;  ///< with the worker

  std::optional<JoinWish> wish_;
  std::shared_ptr<Shared> shared_;  ///< of the request
  std::uint64_t version_ = 0;       ///< of the last request's end
  bool wanted_ = false;
  LongTask task_;
};

}  // namespace headlight
