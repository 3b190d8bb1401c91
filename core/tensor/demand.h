// Memory whose numbers are computed when they are first read, and forgotten again when there are too many of them.
//
// A stage of 131,072 tokens has 64 GB a head. Whoever reads a cell of it, through a Tensor as through any other, gets
// the number: the system calls us at the first touch of a page (userfaultfd), we compute the tile that it belongs to
// and put it there. Tiles beyond the budget are given back, oldest first, and computed anew if they are read once more.
// Whoever would read all of it asks Tensor::source() instead, or the place of a matrix, demand_place(), for something
// shorter.
#pragma once

#include <memory>
#include <stop_token>

#include "core/tensor/tensor.h"

namespace headlight {

class DemandSource {
 public:
  virtual ~DemandSource() = default;
  /// Numbers [first, first + count) in row-major order. Called on one thread of its own; must read no memory on demand.
  virtual void fill(Index first, Index count, float* to) const = 0;
  /// Makes what a number needs beside itself, once for many: on the thread that asks, which may be stopped while it
  /// does, as fill() may not. Throws Cancelled.
  virtual void prepare([[maybe_unused]] Index index, [[maybe_unused]] const std::stop_token& stop) const {}
};

/// A tensor of `shape` whose numbers `source` gives; an undefined one where the system has no such memory. `tile`: how
/// many numbers are computed together at least.
Tensor demand_tensor(Shape shape, std::shared_ptr<const DemandSource> source, Index tile = 4096);

/// Where a pointer lies in memory on demand; source is null where it does not.
struct DemandPlace {
  const DemandSource* source = nullptr;
  Index offset = 0;  ///< in numbers
};
DemandPlace demand_place(const float* at);

}  // namespace headlight
