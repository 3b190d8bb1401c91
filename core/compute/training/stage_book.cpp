#include "core/compute/training/stage_book.h"

#include <algorithm>

namespace headlight {

std::string gradient_name(Stage stage) { return "d_" + std::string(name(stage)); }

std::optional<Stage> gradient_named(std::string_view text) {
  const auto stage = text.starts_with("d_") ? stage_named(text.substr(2)) : std::nullopt;
  return stage && *stage != Stage::mask && !is_measure(*stage) ? stage : std::nullopt;
}

float* StageBook::room(Index layer, Stage stage, bool gradient, Index heads, Index cols) {
  Sheet& sheet = page(layer, gradient).stages[stage];
  if (sheet.shape.empty()) {
    sheet.shape = heads > 0 ? Shape{sequences_, heads, length_, cols} : Shape{sequences_, length_, cols};
    sheet.numbers.assign(static_cast<std::size_t>(element_count(sheet.shape)), 0.0F);
  }
  return sheet.numbers.data();
}

float* StageBook::residual_room(Index layer, bool gradient, Index cols) {
  Sheet& sheet = page(layer, gradient).residual;
  sheet.shape = {sequences_, length_, cols};
  sheet.numbers.assign(static_cast<std::size_t>(element_count(sheet.shape)), 0.0F);
  return sheet.numbers.data();
}

void StageBook::put(Index layer, Stage stage, bool gradient, Index sequence, Index head, Index heads, const float* from,
                    Index cols, Index stride) {
  float* to =
      room(layer, stage, gradient, heads, cols) + (sequence * std::max<Index>(heads, 1) + head) * length_ * cols;
  for (Index row = 0; row < length_; ++row) std::copy_n(from + row * stride, cols, to + row * cols);
}

void StageBook::put_kept(Index layer, Index sequence, Index head, Index heads, const float* from) {
  Sheet& sheet = page(layer, false).kept;
  sheet.shape = {sequences_, heads, length_, length_};
  sheet.numbers.resize(static_cast<std::size_t>(element_count(sheet.shape)));
  std::copy_n(from, length_ * length_, sheet.numbers.data() + (sequence * heads + head) * length_ * length_);
}

LayerStages StageBook::take(Index layer, bool gradient) {
  LayerStages stages;
  Page& from = page(layer, gradient);
  for (auto& [stage, sheet] : from.stages) stages[stage] = Tensor(sheet.shape, std::move(sheet.numbers));
  if (!from.residual.shape.empty()) stages.residual = Tensor(from.residual.shape, std::move(from.residual.numbers));
  if (!from.kept.shape.empty()) stages.kept = Tensor(from.kept.shape, std::move(from.kept.numbers));
  return stages;
}

}  // namespace headlight
