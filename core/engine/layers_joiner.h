// LayersJoiner: rollout and flow over the layers of a network (core/network/attention_flow.h), computed on a worker:
// rollout at once, flow row by row. A newer request replaces an older one.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/engine/long_task.h"
#include "core/network/head_overview.h"

namespace headlight {

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
  bool settled() const { return task_.settled(); }
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
