#include "core/scenario/memory_need.h"

#include <algorithm>

#include "core/files/error_place.h"
#include "core/scenario/seeded.h"
#include "core/tensor/error.h"
#include "core/tensor/memory.h"

namespace headlight {
namespace {

double bytes_of(Stage stage, const Dims& dims, const Scenario& s) {
  const StageInfo& shape = info(stage);
  double cells = 1;
  for (const Axis axis : {shape.lead[0], shape.lead[1], shape.rows, shape.cols}) {
    cells *= static_cast<double>(dims.size(axis));
  }
  const auto is_edited = [&](const CellEdit& edit) { return edit.stage == stage; };
  const bool drawn = s.source != Source::file && is_parameter(stage) && std::ranges::none_of(s.edits, is_edited);
  constexpr double most_drawn = 1 << 30;  // numbers; beyond, drawing them takes minutes
  if (drawn && cells < most_drawn && drawn_as_read(static_cast<Index>(cells))) return 0;
  return cells * sizeof(float);
}

/// Whether the run has the stage, and numbers of its own for it that are held whatever their size: scores that are too
/// large are computed as they are looked at.
bool takes_memory(Stage stage, const Scenario& s) {
  const StageInfo& axes = info(stage);
  if (axes.rows == Axis::query && axes.cols == Axis::key) return false;
  switch (stage) {
    case Stage::Q_heads:
    case Stage::K_heads:
    case Stage::V_heads: return false;  // views of Q, K and V
    case Stage::Q_normed:
    case Stage::K_normed: return s.qk_norm != QkNorm::none;
    case Stage::Q_rotated:
    case Stage::K_rotated: return s.rope != Rope::none;
    case Stage::Q_scaled: return s.scale_first;
    case Stage::W_o:
    case Stage::output: return s.output_projection.value_or(true);
    default: return true;
  }
}

std::string largest(std::vector<StageNeed> needs) {
  std::ranges::stable_sort(needs, std::ranges::greater(), &StageNeed::bytes);
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(needs.size(), 3); ++i) {
    list += (i > 0 ? ", " : "") + std::string(name(needs[i].stage)) + " " +
            byte_count(static_cast<std::uint64_t>(std::min(needs[i].bytes, 1e19))).english();
  }
  return list;
}

}  // namespace

std::vector<StageNeed> memory_needed(const Scenario& scenario, const Dims& dims) {
  std::vector<StageNeed> needs;
  for (const Stage stage : all_matrices()) {
    if (takes_memory(stage, scenario)) needs.push_back({stage, bytes_of(stage, dims, scenario)});
  }
  return needs;
}

void check_memory(const Scenario& scenario, const Dims& dims) {
  const std::vector<StageNeed> needs = memory_needed(scenario, dims);
  double whole = 0;
  for (const StageNeed& need : needs) whole += need.bytes;
  constexpr double always_fits = 64 << 20;  // so that small runs ask nobody
  if (whole <= always_fits) return;
  const std::uint64_t have = available_memory();
  if (whole <= static_cast<double>(have)) return;
  throw SettingError(
      "",
      Message("such sizes need {0} of memory ({1}, …), of which {2} are free",
              byte_count(static_cast<std::uint64_t>(std::min(whole, 1e19))), largest(needs), byte_count(have)),
      "expected smaller sizes");
}

}  // namespace headlight
