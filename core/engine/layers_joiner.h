// LayersJoiner: what the layers of a network give together (core/network/attention_flow.h), made off the frame: rollout
// at once, flow a row at a time. The newest wish wins; what an older one made is dropped.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/network/head_overview.h"
#include "core/parallel/worker.h"

namespace headlight {

enum class Joining : std::uint8_t { rollout, flow };

/// Up to a layer of a stack, one batch entry.
struct JoinWish {
  std::shared_ptr<const HeadOverview> overview;
  Index layer = 0, batch = 0;
  Joining how{};
  bool operator==(const JoinWish&) const = default;
};

/// As far as it is made.
struct JoinedRows {
  Tensor matrix{};             ///< [n, n], rows that are still to come are 0; undefined before the first
  Index rows = 0;              ///< so many are there
  std::uint64_t version = 0;   ///< grows with every change
  bool out_of_memory = false;  ///< nothing more comes: the machine has no room for it
};

class LayersJoiner {
 public:
  /// `wake` is called from the worker when there is more.
  explicit LayersJoiner(std::function<void()> wake = {});
  ~LayersJoiner();
  LayersJoiner(const LayersJoiner&) = delete;
  LayersJoiner& operator=(const LayersJoiner&) = delete;

  /// Once a frame that shows it. The layers up to that one must have square means.
  void want(const JoinWish& wish);
  /// After a frame: where nothing was wanted in it, all is let go of.
  void end_frame();
  /// Of the newest wish.
  JoinedRows now() const;
  bool settled() const;
  /// Blocks until all is made; for pictures and tests.
  void wait();

 private:
  /// The next rows; false where nothing is wanted or all is there.
  bool advance();

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::optional<JoinWish> wish_;
  std::shared_ptr<const std::vector<Tensor>> means_;  ///< of the wish, when work on it has begun
  std::stop_source current_;
  JoinedRows joined_;
  bool wanted_ = false, done_ = true;
  Worker worker_;
};

}  // namespace headlight
