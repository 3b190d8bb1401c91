#include "ui/window/session/session.h"

#include <algorithm>
#include <utility>

#include "ui/dialogs/export/export_controls.h"
#include "ui/imgui_compat.h"
#include "ui/parts/scene/scene.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/window/session/session_state.h"

namespace headlight {

Session::Session(Document start, std::function<void()> wake, RecentFiles recent)
    : state_(std::make_unique<State>(std::move(start), std::move(wake), std::move(recent))) {}

Session::~Session() = default;

void Session::update() {
  State& s = *state_;
  s.guarded([&] { s.computation.take(s.document, s.opener, s.words); });
  s.guarded([&] { s.computation.reload_changed(s.document); });
  s.guarded([&] {
    s.scenario_watch.watch(s.document.origin.lesson.file);
    if (s.scenario_watch.take()) s.opener.follow(s.document, s.words);
  });
  if (is_current(s.document)) select_within(s.document.view, *s.document.trace);
  s.guarded([&] { s.laid_over.follow(s.document); });
  s.guarded([&] { s.run.follow(s.document); });
  s.keep_words();
  s.notices.follow(s.document);
  s.guarded([&] { s.keeper.keep(s.document, s.typed(), s.log); });
  if (const std::string trouble = s.keeper.take_trouble(); !trouble.empty())
    s.document.notice = s.words.fill("recovery.cannot_keep", {s.words.translate(trouble.c_str())});
  s.guarded([&] { s.lessons.keep(s.document); });
}

void Session::remember_in(const std::filesystem::path& folder) {
  State& s = *state_;
  s.guarded([&] { s.keeper.begin(folder, s.document); });
}

void Session::remember_lessons_in(const std::filesystem::path& folder, bool step_said) {
  State& s = *state_;
  s.lessons.remember_in(folder);
  s.guarded([&] { s.lessons.recall(s.document, step_said); });
}

Document Session::hand_over() {
  state_->keeper.close();
  Document document = state_->document;
  document.notice = state_->words("recovery.reset");
  return document;
}

bool Session::offers_recovery() const { return state_->keeper.offered() != nullptr; }

bool Session::prepare_fonts(float scale) {
  State& s = *state_;
  if (s.document.view.presenting) scale *= presentation_scale(ImGui::GetIO().DisplaySize, scale);
  constexpr float least_scale = 0.25f, most_scale = 8;                       // pixels per point
  scale = scale >= least_scale ? std::min(scale, most_scale) : least_scale;  // also if it is no number
  s.fonts.make_large(!s.document.view.presenting && room_scale(ImGui::GetIO().DisplaySize, scale) > 1.25f);
  s.guarded([&] { s.shown_text.gather(s.document, s.words, s.opener, s.pictures, s.typing.text); });
  if (s.styled_scale != scale || s.styled != s.document.view.theme) {
    apply_style(look(s.document.view.theme), scale);
    s.styled_scale = scale;
    s.styled = s.document.view.theme;
  }
  if (s.held && s.fonts.scale() == scale) return false;  // a held frame keeps its glyphs; nothing else is drawn
  if (s.fonts.covers(scale, s.shown_text.own(), s.shown_text.given())) return false;
  if (s.fonts.lacks_in_sight()) s.pictures = Pictures();  // measured without these glyphs
  s.fonts.load(scale, s.shown_text.own(), s.shown_text.given());
  return true;
}

bool Session::lacks_letters() const { return state_->fonts.lacks_letters(); }

void Session::renew_fonts() {
  state_->fonts.forget();
  state_->pictures = Pictures();  // measured with the old fonts
}

void Session::open(const std::string& path) { perform(OpenFile{path}); }

void Session::perform(const Action& action) {
  state_->keeper.touch();
  state_->guarded([&] { state_->perform(action); });
}

void Session::set_texture_limit(int pixels) { state_->fonts.set_texture_limit(pixels); }

void Session::fade_notices_after(double seconds) { state_->notices.fade_after(seconds); }

void Session::warn(const Message& message) { state_->document.error = message; }

bool Session::draw(MatrixPainter& painter) {
  State& s = *state_;
  s.actions.clear();
  s.timeline.follow(s.document);
  s.keep_held();
  s.recorder.prepare(s.document, s.timeline.now());
  s.drawing.reset();
  if (s.recorder.wants_drawing()) s.drawing = std::make_unique<ViewDrawing>(painter);
  MatrixPainter& drawn_by = s.drawing ? *s.drawing : painter;
  s.pictures.begin_frame(s.held ? s.held->document.trace.get() : s.document.trace.get());
  const Progress progress = s.computation.progress();
  const auto frame_on = [&](const Document& document, const Words& words, const Timeline& timeline, Actions& actions) {
    return Frame{document,          look(document.view.theme),
                 s.fonts,           words,
                 drawn_by,          s.pictures,
                 progress,          actions,
                 s.fonts.scale(),   timeline,
                 s.opener.recent(), s.typing,
                 s.focus,           s.tiles,
                 s.joiner,          s.task};
  };
  const Frame frame = frame_on(s.document, s.words, s.timeline.now(), s.actions);
  s.focus.begin_frame(ImGui::GetIO().WantTextInput && s.typing.takes_tab);
  s.guarded([&] { press_keys(frame); });
  s.playback.advance(frame, static_cast<double>(ImGui::GetIO().DeltaTime));
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  // A held frame is drawn unchanged, and its actions are dropped.
  Actions none;
  if (s.held) {
    const Frame held = frame_on(s.held->document, s.held->words, s.held->timeline, none);
    s.draw_panels(held, window);
    if (!s.document.view.blank) draw_frozen_note(held, window);
  } else {
    s.draw_panels(frame, window);
  }
  if (s.document.view.blank) draw_blank_note(frame, window);
  const RecoveryAnswer answer = s.draw_offer(frame, window);
  draw_keyboard_ring(frame);
  if (s.drawing) s.drawing->close();
  s.pictures.end_frame();
  s.tiles.end_frame();
  s.joiner.end_frame();
  s.task.end_frame();
  s.perform_actions();
  s.keep_words();
  s.keep_fullscreen();
  s.guarded([&] { s.answer_offer(answer); });
  if (s.requests.close) s.keeper.close();
  s.computation.follow(s.document);
  return !s.actions.empty() || answer != RecoveryAnswer::none;
}

bool Session::wants_pixels() const { return state_->recorder.wants_pixels() && idle(); }

void Session::take_pixels(Image pixels) {
  State& s = *state_;
  if (!s.drawing) {
    s.recorder.take_pixels(std::move(pixels), s.document, s.words);
    if (auto preview = s.recorder.preview()) view_shot(s.pictures).image = std::move(preview);
    return;
  }
  s.guarded([&] {
    const View& view = s.document.view;
    const ImDrawData& data = *ImGui::GetDrawData();
    const Rect all{data.DisplayPos, {data.DisplayPos.x + data.DisplaySize.x, data.DisplayPos.y + data.DisplaySize.y}};
    s.recorder.take_drawing(s.drawing->file(data, s.fonts, all, view.theme, ground(), s.recorder.extension(), title()),
                            s.document, s.words);
  });
  s.drawing.reset();
}

void Session::film(const std::string& path, std::optional<double> seconds_per_step) {
  state_->recorder.start_film(state_->document, path, seconds_per_step);
}

void Session::picture(const std::string& path, bool alone) {
  state_->recorder.start_picture(state_->document, path, alone);
}

int Session::faults() const { return state_->faults; }

bool Session::asks() const { return state_->document.view.dialog != Dialog::none; }

bool Session::recording() const { return state_->recorder.active(); }

void Session::ask_to_close() {
  state_->guarded([&] { state_->perform(Quit{}); });
  if (state_->requests.close) state_->keeper.close();
}

bool Session::idle() const {
  const State& s = *state_;
  return s.computation.is_finished(s.document) && s.laid_over.is_finished(s.document) &&
         s.run.is_finished(s.document) && s.tiles.progress().idle && s.joiner.idle() && s.task.idle() && !s.draws_on();
}

Message Session::wait() {
  State& s = *state_;
  s.guarded([&] { s.computation.wait(s.document, s.opener, s.words); });
  s.guarded([&] { s.laid_over.wait(s.document); });
  s.guarded([&] { s.run.wait(s.document); });
  s.tiles.wait();
  s.joiner.wait();
  s.task.wait();
  return s.computation.failure();
}

double Session::next_frame_in() const {
  constexpr double progress_seconds = 0.1;
  if (state_->draws_on() || recording() || state_->fonts.lacks_in_sight()) return 0;
  const double playing = Playback::next_frame_in(state_->document.view);
  const double notice = state_->notices.seconds_left(state_->document);
  if (!state_->document.notice.empty() && notice < playing) return notice;
  if (state_->run.paces(state_->document)) return 0;
  if (state_->document.searching.busy && playing > progress_seconds) return progress_seconds;
  return std::min(state_->keeper.seconds_to_keeping(), idle() ? playing : std::min(playing, progress_seconds));
}

const std::deque<std::string>& Session::log() const { return state_->log; }

const Document& Session::document() const { return state_->document; }
const Pictures& Session::pictures() const { return state_->pictures; }

Rgba Session::ground() const {
  if (state_->document.view.blank) return {0, 0, 0};
  const ImU32 colour = look(state_->document.view.theme).window;
  const auto channel = [&](int shift) { return static_cast<std::uint8_t>((colour >> shift) & 0xFF); };
  return {channel(IM_COL32_R_SHIFT), channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT)};
}

const std::string& Session::title() const {
  State& s = *state_;
  std::string_view name = document_name(s.document, s.words);
  if (name.empty()) name = s.words("window.untitled");
  const bool unsaved = has_unsaved_changes(s.document);
  if (s.titled != name || s.titled_unsaved != unsaved || s.title.empty()) {
    s.titled = name;
    s.titled_unsaved = unsaved;
    s.title = s.titled + (unsaved ? " *" : "") + " – " + s.words("window.title");
  }
  return s.title;
}

Session::WindowRequests Session::take_window_requests() { return std::exchange(state_->requests, {}); }

}  // namespace headlight
