#include "ui/parts/matrix/heat.h"

#include <algorithm>
#include <cmath>

#include "core/compute/network/network.h"
#include "core/figures/export/stage_figure.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/look/measure.h"

namespace headlight {
namespace {

void choose_range(const Frame& frame, HeatPicture& heat, RowRanges rows) {
  const Trace& trace = *frame.trace();
  const RangeSetting& setting = frame.view().range;
  const ColormapKind kind = heat.colormap->kind();
  const bool shares = is_measure(heat.stage) && frame.view().measure == HeadMeasure::share;
  heat.quad.range = shares ? ValueRange{0, 1} : stage_range(trace, heat.stage, kind);
  if (info(heat.stage).palette == Palette::boolean) return;
  const MatrixView matrix = heat.quad.values.matrix(heat.batch, heat.head);
  const CellMasks masks = masks_over(trace, heat.stage, heat.batch, heat.head);
  const bool weights = kind == ColormapKind::sequential;
  if (weights)
    heat.quad.norm = frame.view().norm.value_or(
        setting.mode == RangeMode::stage && heat.cols > keys_spread_evenly ? Norm::log : Norm::linear);
  switch (setting.mode) {
    case RangeMode::stage: break;
    case RangeMode::fixed: heat.quad.range = setting.fixed; break;
    case RangeMode::head: {
      Extent extent;
      extent.add(matrix, masks);
      heat.quad.range = extent.range(kind);
      break;
    }
    case RangeMode::row:
      if (rows == RowRanges::never || heat.quad.values.source())
        break;  // the maximum of each row takes as long as reading the whole matrix
      heat.quad.row_ranges = true;
      heat.quad.norm = Norm::linear;
      heat.quad.range = {kind == ColormapKind::diverging ? -1.0f : 0.0f, 1};
      heat.shades = Tensor({1, 1, heat.rows, heat.cols}, normalise_rows(matrix, masks, kind));
      break;
  }
  if (heat.quad.norm == Norm::log && heat.quad.range.lo <= 0) {
    // A power of ten below the share of equal weights: smaller weights hardly matter.
    heat.quad.range.lo = std::pow(10.0f, std::floor(std::log10(0.5f / static_cast<float>(heat.cols))));
    if (!(heat.quad.range.lo < heat.quad.range.hi)) heat.quad.norm = Norm::linear;
  }
}

TokenPicture picture_along(const Frame& frame, Axis axis) {
  const auto run = network_of(frame.trace()->inputs);
  const bool of_tokens = axis == Axis::query || axis == Axis::key;
  if (!of_tokens || !run || !run->network->spec().picture || run->text.pictures.empty()) return {};
  const NetworkSpec& spec = run->network->spec();
  const auto at = std::min(static_cast<std::size_t>(frame.view().batch), run->text.pictures.size() - 1);
  return {{run->text.pictures[at], &run->text.pictures[at]->image},
          spec.picture->rows,
          spec.picture->columns,
          std::ssize(spec.stacks.front().embedding.extra)};
}

/// In plain or bold type. Either can be wider, since each is drawn at the nearest available glyph size.
float label_width(const Frame& frame, const std::string& label, float pixels) {
  return std::max(text_size(frame.fonts, Face::bold, pixels, label).x,
                  text_size(frame.fonts, Face::ui, pixels, label).x);
}

}  // namespace

HeatPicture make_heat(const Frame& frame, Stage stage, Index head, Rect rect, RowRanges rows) {
  const Trace& trace = *frame.trace();
  const Tensor values = numbers_shown(frame, stage);
  HeatPicture heat;
  heat.stage = stage;
  heat.batch = values.rank() >= 3 ? frame.view().batch : 0;
  heat.head = values.rank() < 4 ? 0 : head / heads_per(trace, stage);
  const MatrixView matrix = values.matrix(heat.batch, heat.head);
  heat.rows = matrix.rows;
  heat.cols = matrix.cols;
  heat.rect = rect;
  MatrixQuad& quad = heat.quad;
  quad.values = values;
  quad.batch = heat.batch;
  quad.head = heat.head;
  quad.theme = frame.look.theme;
  quad.scale = frame.u;
  quad.means = is_parameter(stage);
  const StageInfo& about = info(stage);
  if (about.cover != Cover::none) quad.mask = trace[Stage::mask];
  if (about.palette == Palette::boolean) quad.mask = values;
  quad.show_leaks = about.lane == Lane::weights && !trace.gradients_of;
  if (about.cover == Cover::mask_and_dropout) quad.kept = trace.dropout_keep;
  quad.colormap = heat.colormap = &window_colormap(frame.view(), trace, stage);
  choose_range(frame, heat, rows);
  const float cell =
      std::min(rect.width() / static_cast<float>(heat.cols), rect.height() / static_cast<float>(heat.rows));
  quad.cell_gap = cell >= LeastCell::gap * frame.u ? frame.u : 0;
  return heat;
}

BarEnds bar_ends(const HeatPicture& heat) {
  const auto& [lo, hi] = heat.quad.range;
  const bool sampled = heat.quad.values.source() && lo < 0;
  if (heat.quad.norm == Norm::linear) return {lo, hi, sampled};
  const char* norm = heat.quad.norm == Norm::log ? "controls.norm_log" : "controls.norm_sqrt";
  if (heat.colormap->kind() != ColormapKind::diverging) return {lo, hi, sampled, norm};
  const float most = std::max(std::abs(lo), std::abs(hi));
  return {-most, most, sampled, norm};
}

std::string random_words(const Inputs& inputs, const Words& words) {
  return inputs.random_parameters ? words("level.random_weights")
         : inputs.random_inputs   ? words("level.random_input")
                                  : "";
}

std::string pad_words(const Trace& trace, Index batch, Index head, const Words& words) {
  const Tensor &lens = trace.inputs.valid_lens, &all = trace[Stage::weights];
  if (!lens.defined() || !all.defined() || all.source()) return {};  // long sequences are not read as a whole
  const MatrixView weights = all.matrix(batch, head);
  float most = 0;
  for (Index q = 0; q < weights.rows; ++q) {
    const float length = lens.rank() > 1 ? lens.at({std::min(batch, lens.size(0) - 1), std::min(q, lens.size(1) - 1)})
                                         : lens.at({std::min(batch, lens.size(0) - 1)});
    for (Index k = std::max<Index>(0, std::lround(length)); k < weights.cols; ++k) most = std::max(most, weights(q, k));
  }
  return most > 0 ? words.fill("level.pads_have_weight", {bound_text(most)}) : std::string();
}

std::vector<std::string> axis_labels(const Trace& trace, Axis axis, Index batch, Index count) {
  std::vector<std::string> labels;
  for (Index i = 0; i < count; ++i) labels.push_back(axis_label(trace, axis, batch, i));
  return labels;
}

std::vector<std::string> axis_labels(const Frame& frame, Axis axis, Index count) {
  return axis_labels(*frame.trace(), axis, frame.view().batch, count);
}

float widest_label(const Frame& frame, Axis axis, Index count, float pixels) {
  float widest = 0;
  const auto measure = [&](Index i) {
    std::string label = axis_label(*frame.trace(), axis, frame.view().batch, i);
    if (label == std::to_string(i)) std::ranges::fill(label, '8');  // the widest index with this number of digits
    widest = std::max(widest, label_width(frame, label, pixels));
  };
  for (Index i = 0; i < std::min<Index>(count, 64); ++i) measure(i);
  measure(count - 1);  // the longest index
  return widest;
}

float turned_room(const Frame& frame, Axis axis, Index rows, Index cols, ImVec2 box, float pixels) {
  const Inputs& inputs = frame.trace()->inputs;
  if ((axis == Axis::key ? inputs.key_tokens : inputs.query_tokens).empty()) return 0;
  const float t = pixels / 12;
  const float pitch = std::min(box.x / static_cast<float>(cols), 2 * box.y / static_cast<float>(rows));
  const float widest = widest_label(frame, axis, cols, pixels);
  // The room that labels at most as high as their rows leave, but at least enough for a word that leaves the matrix
  // half of the height.
  const float room = std::max(box.y + 2 * t - 12.5f * t * static_cast<float>(rows), box.y * 0.48f) / 0.71f;
  const bool one_letter = widest < 1.3f * pixels;  // at 45° it would take as much of the width
  return widest + NameGap::beside * t > pitch && pitch >= LeastCell::gap * t && !one_letter
             ? std::min({widest + 1, room, NameRoom::turned * t})
             : 0;
}

RowNames names_beside(const Frame& frame, Axis axis, Index rows, float pitch, float pixels, float most) {
  const float air = 5 * pixels / 12;
  const RowNames one{std::min(widest_label(frame, axis, rows, pixels) + air, most), 0};
  const float line = text_size(frame.fonts, Face::ui, pixels, "0").y * name_height;
  const Inputs& inputs = frame.trace()->inputs;
  if ((axis == Axis::query ? inputs.query_tokens : inputs.key_tokens).empty() || pitch >= line || 2 * pitch < line)
    return one;
  float widest[2] = {0, 0};
  for (Index i = 0; i < rows; ++i) {
    const std::string name = axis_label(*frame.trace(), axis, frame.view().batch, i);
    widest[i % 2] = std::max(widest[i % 2], label_width(frame, name, pixels));
  }
  const RowNames two{widest[0] + widest[1] + 3 * air, widest[0] + 2 * air};
  return two.room <= most ? two : one;
}

void add_labels(const Frame& frame, HeatPicture& heat, float pixels, float room, bool columns) {
  const StageInfo& about = info(heat.stage);
  heat.row_picture = picture_along(frame, about.rows);
  heat.row_labels = axis_labels(frame, about.rows, heat.rows);
  heat.label_room = room / pixels;
  if (!columns) return;
  heat.col_picture = picture_along(frame, about.cols);
  heat.col_labels = axis_labels(frame, about.cols, heat.cols);
  heat.widest_column = widest_label(frame, about.cols, heat.cols, pixels) / pixels;
}

std::optional<Cell> cell_in(const HeatPicture& heat, const Rect& rect, ImVec2 point) {
  if (!rect.contains(point)) return std::nullopt;
  const auto row = static_cast<Index>((point.y - rect.min.y) / rect.height() * static_cast<float>(heat.rows));
  const auto col = static_cast<Index>((point.x - rect.min.x) / rect.width() * static_cast<float>(heat.cols));
  return Cell{heat.stage, heat.batch, heat.head, std::min(row, heat.rows - 1), std::min(col, heat.cols - 1)};
}

std::string axis_label(const Trace& trace, Axis axis, Index batch, Index index) {
  return trace.inputs.name_along(axis, batch, index);
}

std::string placed_label(const Trace& trace, Axis axis, Index batch, Index index) {
  std::string name = axis_label(trace, axis, batch, index);
  const auto& tokens = axis == Axis::query ? trace.inputs.query_tokens : trace.inputs.key_tokens;
  if ((axis != Axis::query && axis != Axis::key) || batch >= static_cast<Index>(tokens.size())) return name;
  const bool repeats = std::ranges::count(tokens[static_cast<std::size_t>(batch)], name) > 1;
  return repeats ? name + " (" + std::to_string(index) + ")" : name;
}

}  // namespace headlight
