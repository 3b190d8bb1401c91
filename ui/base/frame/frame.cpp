#include "ui/base/frame/frame.h"

#include <algorithm>
#include <utility>

#include "core/base/arrays/file_watch.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/run/contributions.h"
#include "core/models/architecture/model_folder.h"
#include "ui/base/document/view.h"
#include "ui/imgui_compat.h"

namespace headlight {

std::string_view document_name(const Document& document, const Words& words) {
  const Scenario& scenario = document.scenario;
  const std::string_view own = document.origin.lesson.file;
  if (!own.empty()) return file_name_of(own);
  const Scenario& began = document.origin.lesson.scenario;
  // A model keeps its title with another text.
  const bool of_file = scenario.source == Source::file && is_model_name(scenario.file);
  const bool still =
      scenario.source == began.source && scenario.file == began.file && (of_file || scenario.text == began.text);
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

bool Frame::shows(const Cell& cell) const {
  return trace() && trace()->has(cell) && shown(cell.stage).has(cell.row, cell.col);
}

std::optional<Cell> Frame::looked_at() const {
  const std::optional<Cell>& cell = view().pointed.cell ? view().pointed.cell : view().selected;
  return cell && shows(*cell) ? cell : std::nullopt;
}

bool Frame::takes_shortcuts() const {
  const ImGuiIO& io = ImGui::GetIO();
  return !io.WantTextInput && !io.KeyCtrl && !io.KeyAlt && view().dialog == Dialog::none;
}

bool Frame::types_words() const {
  if (view().kind != ViewKind::pipeline || level_shown(view()) != Level::sentence || view().presenting || !trace())
    return false;
  return document.scenario.source == Source::text || network_of(trace()->inputs) != nullptr;
}

bool Frame::takes_letters() const {
  if (!takes_shortcuts()) return false;
  return view().presenting || (!types_words() && document.origin.lesson.course.empty());
}

bool Frame::letter(char letter) const {
  const ImGuiIO& io = ImGui::GetIO();
  const bool with_ctrl = io.KeyCtrl && !io.KeyAlt && view().dialog == Dialog::none;
  return (with_ctrl || takes_letters()) && compat::pressed(letter);
}

float Frame::width(Face face, float points, std::string_view text) const {
  return text_size(fonts, face, points * u, text).x;
}

void Frame::write(Face face, float points, ImVec2 at, ImU32 colour, std::string_view text) const {
  draw_text(*ImGui::GetWindowDrawList(), fonts, face, points * u, at, colour, text);
}

void Frame::write_elided(Face face, float points, ImVec2 at, ImU32 colour, std::string_view text, float most) const {
  draw_elided(*ImGui::GetWindowDrawList(), fonts, face, points * u, at, colour, text, most);
}

void go_to_moment(const Frame& frame, int moment) {
  frame.show([trace = frame.document.trace, &timeline = frame.timeline, moment](View& v) {
    v = at_moment(std::move(v), *trace, timeline, moment);
  });
}

HeadMeasure measure_shown(const Trace& trace, const View& view) {
  return trace.has(Stage::contribution_norms) ? view.measure : HeadMeasure::weight;
}

Stage measured_stage(const Trace& trace, const View& view, Stage stage) {
  const bool weighs = stage == Stage::weights || stage == Stage::dropped_weights;
  return weighs && measure_shown(trace, view) != HeadMeasure::weight ? Stage::contribution_norms : stage;
}

Tensor numbers_shown(const Frame& frame, Stage stage) {
  const Trace& trace = *frame.trace();
  if (!is_measure(stage) || frame.view().measure != HeadMeasure::share) return trace[stage];
  return frame.pictures.kept([&] { return row_shares(trace[stage]); }, frame.document.trace);
}

constexpr std::string_view between_lines = " / ";

const std::string& in_one_line(const Frame& frame, const std::string& lines) {
  if (lines.find('\n') == std::string::npos) return lines;
  const auto make = [&] {
    std::string line;
    for (const char c : lines) c == '\n' ? line += between_lines : line += c;
    return line;
  };
  return frame.pictures.kept(make, lines);
}

std::string as_lines(std::string text) {
  for (std::size_t at = text.find(between_lines); at != std::string::npos; at = text.find(between_lines, at + 1)) {
    if (text.find_first_not_of(" /", at) != std::string::npos) text.replace(at, between_lines.size(), "\n");
  }
  return text;
}

void KeyboardFocus::begin_frame(bool tab_taken) {
  before_.swap(order_);
  order_.clear();
  ring_.reset();
  closed_ = moved_ = false;
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Right)) shown_ = false;
  if (given_ != 0) {
    at_ = given_;
    given_ = 0;
    moved_ = shown_ = true;
  }
  const auto found = std::ranges::find(before_, at_);
  const bool known = at_ != 0 && found != before_.end();
  if (known) place_ = static_cast<std::size_t>(found - before_.begin());
  const bool tab = !io.KeyCtrl && !io.KeyAlt && compat::pressed(compat::Key::tab) && (!tab_taken || io.KeyShift);
  if (!std::exchange(passed_, false) && !tab) return;
  if (before_.empty()) return;
  const std::size_t count = before_.size(), last = std::min(place_, count - 1);
  if (known) place_ = (last + (io.KeyShift ? count - 1 : 1)) % count;
  else place_ = at_ != 0 ? last : io.KeyShift ? count - 1 : 0;
  at_ = before_[place_];
  moved_ = shown_ = true;
  if (io.WantTextInput) ImGui::ClearActiveID();  // the field then applies what was typed
}

void KeyboardFocus::begin_scope() {
  order_.clear();
  ring_.reset();
}

bool KeyboardFocus::visit(ImGuiID control) {
  if (closed_) return false;
  order_.push_back(control);
  return shown_ && control == at_;
}

}  // namespace headlight
