#include "ui/panels/controls_picture.h"

#include <algorithm>
#include <cstdio>

#include "core/run/summary.h"
#include "ui/document/wanted.h"
#include "ui/look/number_text.h"

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
  if (!trace.has(Stage::mask) || !looks_within(frame.view(), trace)) return {};
  const KindCounts& kinds = trace.summary->kinds(Stage::masked_scores, frame.view().batch, frame.view().head);
  if (kinds == KindCounts{}) return {};  // not counted yet
  const Index masked = kinds[static_cast<std::size_t>(CellKind::masked)];
  const Index all = trace.dims().n_q * trace.dims().n_k;
  return frame.words.fill("controls.masked",
                          {grouped(masked), grouped(all), std::to_string((100 * masked + all / 2) / all)});
}

}  // namespace

ControlsPicture make_controls_picture(const Frame& frame) {
  const Dims dims = wanted_dims(frame.document);
  ControlsPicture picture;
  picture.widths = widths(dims.heads);
  picture.heads = divisors(dims.d_model);
  picture.kv_heads = divisors(dims.heads);
  for (Index b = 0; b < std::min(dims.batch, most_lengths); ++b) {
    picture.length_labels.push_back(frame.words.fill("controls.valid_length", {std::to_string(b)}));
  }
  picture.masked = masked_words(frame);
  picture.colormaps = list_colormaps();
  std::erase_if(picture.colormaps, [](const std::string& map) {
    return map == default_colormap(Palette::diverging) || map == default_colormap(Palette::sequential);
  });
  char range[64];
  const ValueRange& fixed = frame.view().range.fixed;
  std::snprintf(range, sizeof range, "%.6g:%.6g", static_cast<double>(fixed.lo), static_cast<double>(fixed.hi));
  picture.fixed_range = range;
  return picture;
}

const ControlsPicture& controls_picture(const Frame& frame) {
  const Dims dims = wanted_dims(frame.document);
  return frame.picture<ControlsPicture>([&] { return make_controls_picture(frame); }, dims.batch, dims.heads,
                                        dims.d_model);
}

}  // namespace headlight
