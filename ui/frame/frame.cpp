#include "ui/frame/frame.h"

#include <algorithm>

#include "core/files/watched_run.h"
#include "core/text/utf8_path.h"
#include "ui/document/moment.h"

namespace headlight {

std::string_view document_name(const Document& document, const Words& words) {
  const Scenario& scenario = document.scenario;
  const std::string_view own = document.origin.lesson.file;
  if (!own.empty()) return file_name_of(own);
  const Scenario& began = document.origin.lesson.scenario;
  const bool still = scenario.source == began.source && scenario.text == began.text && scenario.file == began.file;
  const std::string& title = in_language(document.origin.lesson.title, words.language());
  if (still && !title.empty()) return title;
  const std::string_view file = scenario.file, text = scenario.text;
  if (const std::string_view run = watched_name(file); !run.empty()) return run;
  if (scenario.source == Source::file) return file_name_of(file);
  return scenario.source == Source::text ? text.substr(0, text.find('\n')) : std::string_view();
}

Shown Frame::shown(Stage stage) const {
  if (std::ranges::find(view().lesson.hidden, stage) != view().lesson.hidden.end()) return Shown{0, 0};
  return view().step ? timeline.shown(stage, *view().step) : Shown{};
}

Index Frame::rows_shown(Stage stage) const {
  const Shown now = shown(stage);
  return now.columns == Shown::all ? now.rows : 0;
}

std::optional<Cell> Frame::looked_at() const {
  const std::optional<Cell>& cell = view().hovered ? view().hovered : view().selected;
  return cell && shows(*cell) ? cell : std::nullopt;
}

void go_to_moment(const Frame& frame, int moment) {
  frame.show([trace = frame.document.trace, &timeline = frame.timeline, moment](View& v) {
    v = at_moment(std::move(v), *trace, timeline, moment);
  });
}

}  // namespace headlight
