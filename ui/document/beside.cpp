#include "ui/document/beside.h"

#include <algorithm>

namespace headlight {

Stage beside_shown(const Beside& beside, const View& view) {
  const auto& stages = beside.comparison.stages;
  const auto has = [&](Stage stage) {
    return std::ranges::any_of(stages, [&](const StageComparison& s) { return s.stage == stage && s.own != nullptr; });
  };
  if (view.beside && has(*view.beside)) return *view.beside;
  if (const StageComparison* first = beside.comparison.first_difference()) return first->stage;
  const auto last =
      std::find_if(stages.rbegin(), stages.rend(), [](const StageComparison& s) { return s.own != nullptr; });
  return last != stages.rend() ? last->stage : Stage::output;
}

View with_beside_stage(View view, const Beside& beside, Stage stage) {
  view.beside = stage;
  const auto found = std::ranges::find(beside.comparison.stages, stage, &StageComparison::stage);
  if (found == beside.comparison.stages.end() || !found->differs() || !found->agreement) return view;
  const std::vector<Index>& at = found->agreement->at;
  if (at.size() >= 3) view.batch = at.front();
  if (at.size() == 4) {
    const Dims& dims = beside.trace->dims();
    view.head = is_per_kv_head(stage) ? std::min(at[1] * dims.groups(), dims.heads - 1) : at[1];
  }
  return view;
}

void show_beside(Document& document, std::shared_ptr<const Beside> beside) {
  const bool first = !document.beside;
  document.beside = std::move(beside);
  if (!document.beside->error.empty()) {
    document.error = document.beside->error;
    document.own.reset();
    document.beside.reset();
    return;
  }
  if (first && !document.view.beside && document.own && document.own->mistake.empty()) {
    document.view = with_beside_stage(document.view, *document.beside, beside_shown(*document.beside, document.view));
    document.view.beside.reset();  // follows what is found
  }
}

}  // namespace headlight
