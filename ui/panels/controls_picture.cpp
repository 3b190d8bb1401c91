#include "ui/panels/controls_picture.h"

#include <algorithm>

namespace headlight {
namespace {

constexpr Index most_lengths = 8;  // sliders

std::vector<Index> divisors(Index of) {
  std::vector<Index> list;
  for (Index i = 1; i <= of; ++i) {
    if (of % i == 0) list.push_back(i);
  }
  return list;
}

std::vector<Index> widths(Index heads) {
  std::vector<Index> list;
  for (Index d = heads; d <= 512; d += heads) {
    if (d <= 32 || d % 8 == 0) list.push_back(d);
  }
  return list;
}

std::string masked_words(const Frame& frame) {
  const Trace& trace = *frame.trace();
  if (!trace.has(Stage::mask)) return {};
  const MatrixView mask = trace[Stage::mask].matrix(frame.view().batch, frame.view().head);
  Index masked = 0;
  for (Index r = 0; r < mask.rows; ++r) {
    for (Index c = 0; c < mask.cols; ++c) masked += mask(r, c) == 0 ? 1 : 0;
  }
  const Index all = mask.rows * mask.cols;
  return frame.words.fill("controls.masked", {std::to_string(masked), std::to_string(all), std::to_string((100 * masked + all / 2) / all)});
}

}  // namespace

ControlsPicture make_controls_picture(const Frame& frame) {
  const Dims& dims = frame.trace()->dims();
  ControlsPicture picture;
  picture.widths = widths(dims.heads);
  picture.heads = divisors(dims.d_model);
  picture.kv_heads = divisors(dims.heads);
  for (Index b = 0; b < std::min(dims.batch, most_lengths); ++b) {
    picture.length_labels.push_back(frame.words.fill("controls.valid_length", {std::to_string(b)}));
  }
  picture.masked = masked_words(frame);
  return picture;
}

}  // namespace headlight
