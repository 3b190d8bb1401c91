#include "ui/lessons/hidden.h"

#include <algorithm>

namespace headlight {

bool is_hidden(const View& view, Stage stage) {
  return std::ranges::find(view.lesson.hidden, stage) != view.lesson.hidden.end();
}

bool hides_view(const View& view) {
  if (view.lesson.hidden.empty()) return false;
  const bool weights = is_hidden(view, Stage::weights) || is_hidden(view, Stage::dropped_weights);
  switch (view.kind) {
    case ViewKind::heads: return is_hidden(view, view.heads.stage);
    case ViewKind::map: return is_hidden(view, view.map.stage);
    case ViewKind::mask: return weights || is_hidden(view, Stage::mask) || is_hidden(view, Stage::masked_scores);
    case ViewKind::compare: return true;
    default: break;
  }
  if (view.kind != ViewKind::pipeline) return view.kind != ViewKind::lesson;
  const Level level = level_shown(view);
  if (level == Level::sentence) return weights;
  return level == Level::operation &&
         std::ranges::any_of(view.lesson.hidden, [&](Stage stage) { return stage <= view.looking.stage; });
}

bool hides_what_is_taken(const Document& document, const Action& action) {
  const View& view = document.view;
  if (view.lesson.hidden.empty()) return false;
  if (const auto* take = std::get_if<TakeMatrix>(&action)) return is_hidden(view, take->cell.stage);
  if (std::holds_alternative<TakeMask>(action)) return is_hidden(view, Stage::mask);
  if (std::holds_alternative<Pin>(action) || std::holds_alternative<CopyCommand>(action)) return true;
  return std::holds_alternative<Export>(action) && view.exporting.kind < ExportKind::window;
}

}  // namespace headlight
