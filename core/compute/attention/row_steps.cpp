#include "core/compute/attention/row_steps.h"

#include <cassert>

#include "core/compute/attention/kernels/kernels.h"

namespace headlight {

RowSteps::RowSteps(const ScoreSteps& steps, Shape shape) : shape_(std::move(shape)) {
  if (steps.scale) scale_ = steps.scale->scale;
  if (steps.cap) cap_ = steps.cap->cap;
  if (steps.added) added_ = steps.added->terms;
  for (AddedTerm& term : added_) {
    if (!term.by_distance) term.values = term.values.expand(shape_);
  }
}

void RowSteps::take(Stage stage, float* x, const RowPart& part, Buffer& room) const {
  const Kernels& use = kernels();
  const auto [b, h, q, k0, count] = part;
  switch (stage) {
    case Stage::scaled_scores: return use.scale(x, count, scale_);
    case Stage::capped_scores: return use.cap(x, count, cap_);
    case Stage::biased_scores: {
      const Index n_q = shape_[2], n_k = shape_[3];
      for (const AddedTerm& term : added_) {
        use.add(x,
                term.by_distance ? term.values.matrix().data + h * (n_q + n_k - 1) + n_q - 1 - q + k0
                                 : term.values.matrix(b, h).part(q, 1, k0, count).whole_row(0, room),
                count);
      }
      return;
    }
    default: assert(false);
  }
}

}  // namespace headlight
