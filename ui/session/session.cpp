#include "ui/session/session.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <new>
#include <utility>

#include "core/files/file_watch.h"
#include "core/files/watched_run.h"
#include "core/scenario/scenario_changes.h"
#include "core/tensor/error.h"
#include "ui/document/action_text.h"
#include "ui/export/export_actions.h"
#include "ui/export/export_file.h"
#include "ui/export/export_preview.h"
#include "ui/export/take_matrix.h"
#include "ui/export/view_drawing.h"
#include "ui/frame/pictures.h"
#include "ui/imgui_compat.h"
#include "ui/lessons/save_step.h"
#include "ui/level/scene.h"
#include "ui/open/opener.h"
#include "ui/open/opening.h"
#include "ui/open/paste.h"
#include "ui/panels/registry.h"
#include "ui/player/playback.h"
#include "ui/session/autosave.h"
#include "ui/session/computation.h"
#include "ui/session/followers.h"
#include "ui/session/keys.h"
#include "ui/session/lesson_session.h"
#include "ui/session/recovery_bar.h"
#include "ui/session/shown_text.h"
#include "ui/views/window_scale.h"
#include "ui/widgets/pressable.h"

namespace headlight {
namespace {

/// As its control is labelled; a setting without a control by its key.
std::string_view setting_word(const Words& words, const std::string& key) {
  const std::string label = "settings." + key;
  return words.has(label) ? std::string_view(words(label)) : std::string_view(key);
}

}  // namespace

struct Session::State {
  Document document;
  Computation computation;
  OwnComparison laid_over;
  Autosave keeper;
  LessonSession lessons;
  Opener opener;
  FileWatch scenario_watch;  ///< of the scenario's own file
  Words words;
  ShownText shown_text;
  Fonts fonts;
  Theme styled = Theme::light;
  float styled_scale = 0;
  Pictures pictures;
  KeptTimeline timeline;
  Playback playback;
  Recorder recorder;
  std::unique_ptr<ViewDrawing> drawing;  ///< of the last frame, where the recorder wants one
  std::optional<FrozenPresentation> held;
  Actions actions;
  Typing typing;
  std::optional<TypedLine> kept_typed;
  KeyboardFocus focus;
  TileStore tiles;
  LayersJoiner joiner;
  LongTask task;
  bool fullscreen = false;
  WindowRequests requests;
  int faults = 0;
  Notices notices;
  std::deque<std::string> log;  ///< what was done last
  std::string title, titled;    ///< the window's title, and the document's name in it
  bool titled_unsaved = false;

  State(Document start, std::function<void()> wake, RecentFiles opened)
      : document(std::move(start)),
        computation(wake),
        laid_over(wake),
        opener(std::move(opened)),
        scenario_watch(wake),
        words(words_for(document)),
        tiles(wake),
        joiner(wake),
        task(std::move(wake)) {
    opener.begin(document);
    if (!document.trace) document.origin.saved = document.scenario;  // else another window's, as that had it
    computation.follow(document);
  }

  /// Whether the view still has to be drawn for the sake of what it computes on the way, or of a field that is to have
  /// the keyboard: what is typed before it has it is lost.
  bool draws_on() const {
    const View& view = document.view;
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    // In a smaller window no field can have the keyboard, and a frozen or black one has none.
    const bool shows_fields = window.x >= 320 && window.y >= 200 && !held && !view.blank;
    if (shows_fields && view.dialog == Dialog::open && view.open.focus) return true;
    if (shows_fields && view.dialog == Dialog::layers && view.layers.focus) return true;
    if (shows_fields && view.kind == ViewKind::map && view.map.typing) return true;
    return pictures.unfinished();
  }

  /// Says what went wrong; what is open stays.
  void fail(const std::exception& error) {
    if (dynamic_cast<const InputError*>(&error) == nullptr) ++faults;
    const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    const Message message = memory ? Message(words("messages.out_of_memory")) : message_of(error);
    if (!(document.error == message)) document.error = message;
  }

  template <typename Do>
  void guarded(Do what) {
    try {
      what();
    } catch (const std::exception& error) { fail(error); }
  }

  void perform(const Action& action) {
    if (lesson_refuses(document, words, action)) return;
    const Scenario scenario = document.scenario;
    const View view = document.view;
    document.refused = false;
    std::visit([&](const auto& each) { handle(each); }, action);
    if (document.refused) document.notice = words("lesson.locked");
    note(action_text(action, scenario, view, document));
  }

  /// What was done, for a bug report. Changes of the same fields of the view, as while something plays, are one line.
  void note(std::string line) {
    constexpr std::size_t most = 1000;
    const auto names = [](std::string_view of) {
      std::string all;
      bool value = false;
      for (const char c : of) {
        if (c == '=' || c == ';' || c == '"') value = c == '=';
        if (!value) all += c;
      }
      return all;
    };
    if (line.empty()) return;
    if (!log.empty() && line.starts_with("view ") && names(log.back()) == names(line)) log.pop_back();
    log.push_back(std::move(line));
    if (log.size() > most) log.pop_front();
  }

  // What a document does by itself is apply()'s; the rest needs the session.
  void handle(const auto& action) { apply(document, action); }
  void handle(const ChangeSource& to) {
    const Scenario before = document.scenario;
    apply(document, to);
    std::string dropped;
    for (const ScenarioChange& change : scenario_changes(before, document.scenario)) {
      if (change.to.empty() && change.field != "queries" && change.field != "source")
        dropped += (dropped.empty() ? "" : ", ") + std::string(setting_word(words, change.field));
    }
    if (!dropped.empty() && document.error.empty()) document.notice = words.fill("controls.dropped", {dropped});
  }
  void handle(const Undo& undo) { go_through_history(undo); }
  void handle(const Redo& redo) { go_through_history(redo); }
  void go_through_history(const Action& action) {
    const int opening = document.origin.opening;
    apply(document, action);
    if (document.origin.opening != opening) lessons.rejoin(document);
  }
  void handle(const StopSearch&) { laid_over.stop(); }
  void handle(const GoToStep& go) { lessons.go_to_step(document, pictures, go.step); }
  void handle(const ResetLessons& reset) { lessons.reset(document, pictures, words, reset.all); }
  void handle(const SaveStep& step) { save_step(document, step.path, words); }
  void handle(const SaveAnswers& save) { lessons.save_answers(document, words, save.path); }
  void handle(const Quit& quit) { leave(quit.surely); }
  void handle(const Export& action) { export_or_save(action); }
  void handle(const CopyCommand& action) { export_or_save(action); }
  void handle(const CopyLink& action) { export_or_save(action); }
  void handle(const AskToSave& action) { export_or_save(action); }
  void handle(const Save& action) { export_or_save(action); }
  void export_or_save(const Action& action) {
    const Next next = perform_export(document, recorder, words, fonts, action);
    if (next == Next::leave) requests.close = true;
    if (next == Next::open) opener.open(document, document.view.saving.opens, true);
  }
  void handle(const OpenFile& open) { open_file(open); }
  void handle(const OpenMask& mask) { open_mask_into(document, mask.path); }
  void handle(const TakeMatrix& take) { take_matrix(document, take, words); }
  void handle(const TakeLayer&) { opener.answer_layer(document); }
  void handle(const TakeMask& take) { take_mask(document, take.format, words); }
  void handle(const UsePasted& answer) { use_pasted(document, answer.use, words); }
  void handle(const Paste&) {
    const char* pasted = ImGui::GetClipboardText();
    const std::string text = pasted != nullptr ? pasted : "";
    if (const std::string file = pasted_file(text); !file.empty()) return open_file(OpenFile{file});
    paste_into(document, text, words);
  }
  void handle(const CopyText& copy) { ImGui::SetClipboardText(copy.text.c_str()); }

  /// Stages of one's own join what is open; all else takes its place.
  void open_file(const OpenFile& open) {
    if (same_run(open.path, document.scenario.file)) return show_recorded(document, open.path);
    if (document.trace && is_own_stages_file(open.path, *document.trace, document.view.kind == ViewKind::compare))
      return apply(document, CompareOwn{open.path});
    if (show_picture(document, open.path)) return;
    if (is_answers_file(open.path)) return lessons.open_answers(document, opener, pictures, words, open.path);
    const Origin before = document.origin;
    opener.open(document, open.path, open.surely);
    const bool other =
        document.origin.lesson.course != before.lesson.course || document.origin.lesson.id != before.lesson.id;
    if (other) lessons.recall(document, false);
  }

  /// The words follow the view's language; where its file cannot be read, the view goes back to the words there are.
  void keep_words() {
    if (document.view.language == words.language()) return;
    try {
      words = Words(document.view.language);
      title.clear();
    } catch (const std::exception& error) {
      document.view.language = words.language();
      fail(error);
    }
  }

  /// A language that is damaged does not keep the window shut: English is shown, and why.
  static Words words_for(Document& document) {
    try {
      return Words(document.view.language);
    } catch (const std::exception& error) {
      document.error = message_of(error);
      document.view.language = "en";
      return Words("en");
    }
  }

  void draw_panels(const Frame& frame, ImVec2 window) {
    for (const Panel& panel : all_panels()) {
      if (document.view.blank) break;
      if (document.view.alone && panel.draw != draw_canvas) continue;
      compat::Recovery recovery;
      try {
        const Rect place = panel.place(frame, window);
        if (place.width() > 0 && place.height() > 0) panel.draw(frame, place);
      } catch (const std::exception& error) {
        recovery.close_all();
        fail(error);
      }
    }
  }

  void leave(bool surely) {
    if (surely || !has_unsaved_changes(document)) {
      requests.close = true;
    } else {
      document.view.saving.next = Next::leave;
      document.view.dialog = Dialog::leave;
    }
  }

  void answer_offer(RecoveryAnswer answer) {
    if (answer == RecoveryAnswer::none || !keeper.offered()) return;
    if (answer == RecoveryAnswer::take) {
      typing.recovered = keeper.take_offer(document);
      typing.tries = 0;
      opener.begin(document);
    }
    keeper.drop_offer(document);
  }

  /// What stands in the field that is typed into; not a dialog's, which is not open after a crash.
  std::optional<TypedLine> typed() const {
    const bool types = typing.field != 0 && typing.edited && typing.frame >= ImGui::GetFrameCount() - 1;
    if (types && document.view.dialog == Dialog::none) return TypedLine{typing.field, typing.text};
    return typing.recovered;
  }

  /// A presentation that ends takes the full screen with it.
  void keep_fullscreen() {
    View& view = document.view;
    if (!view.presenting) view.fullscreen = false;
    if (view.presenting && view.dialog == Dialog::welcome) view.dialog = Dialog::none;  // nothing lies over it
    if (view.fullscreen != fullscreen) requests.fullscreen = view.fullscreen;
    fullscreen = view.fullscreen;
  }

  /// Whatever has to be answered or read lets go of the picture.
  void keep_held() {
    View& view = document.view;
    view.blank = view.blank && view.dialog == Dialog::none;  // what asks has to be seen
    view.frozen =
        view.frozen && view.presenting && view.dialog == Dialog::none && document.error.empty() && document.trace;
    if (!view.frozen) held.reset();
    else if (!held) held.emplace(FrozenPresentation{document, timeline.now(), words});
  }
};

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
  if (s.document.trace && s.document.computed == s.document.scenario) look_within(s.document.view, *s.document.trace);
  s.guarded([&] { s.laid_over.follow(s.document); });
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
  s.fonts.make_large(!s.document.view.presenting && room_scale(ImGui::GetIO().DisplaySize, scale) > 1.25f);
  s.guarded([&] { s.shown_text.gather(s.document, s.words, s.opener, s.pictures); });
  if (s.styled_scale != scale || s.styled != s.document.view.theme) {
    apply_style(look(s.document.view.theme), scale);
    s.styled_scale = scale;
    s.styled = s.document.view.theme;
  }
  if (s.held && s.fonts.scale() == scale) return false;  // what is held keeps its letters; nothing else is drawn
  if (s.fonts.covers(scale, s.shown_text.own(), s.shown_text.given())) return false;
  if (s.fonts.lacks_in_sight()) s.pictures = Pictures();  // what was measured without these letters
  s.fonts.load(scale, s.shown_text.own(), s.shown_text.given());
  return true;
}

bool Session::lacks_letters() const { return state_->fonts.lacks_letters(); }

void Session::renew_fonts() {
  state_->fonts.forget();
  state_->pictures = Pictures();  // what was measured in the old ones
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
  // What is held is drawn as it was, and nothing on it does anything.
  Actions none;
  if (s.held) {
    const Frame held = frame_on(s.held->document, s.held->words, s.held->timeline, none);
    s.draw_panels(held, window);
    if (!s.document.view.blank) draw_frozen_note(held, window);
  } else {
    s.draw_panels(frame, window);
  }
  RecoveryAnswer answer{};
  const Document* offered = s.keeper.offered();
  const View& shown = s.document.view;
  if (offered && shown.dialog == Dialog::none && !shown.presenting && !shown.blank) {  // else the offer waits
    answer = draw_recovery_bar(frame, window, document_name(*offered, s.words), s.keeper.offered_when());
    if (answer != RecoveryAnswer::none) s.actions.clear();  // they were meant for what is put aside
  }
  draw_keyboard_ring(frame);
  if (s.drawing) s.drawing->close();
  s.pictures.end_frame();
  s.tiles.end_frame();
  s.joiner.end_frame();
  s.task.end_frame();
  if (std::ranges::any_of(s.actions, [](const Action& action) { return !std::holds_alternative<Hover>(action); }))
    s.keeper.touch();
  for (const Action& action : s.actions) {
    s.guarded([&] { s.perform(action); });
  }
  if (!ImGui::IsAnyItemActive()) end_gesture(s.document);
  if (s.typed() != s.kept_typed) {
    s.kept_typed = s.typed();
    s.keeper.touch();
  }
  s.keep_words();
  s.keep_fullscreen();
  s.guarded([&] { s.answer_offer(answer); });
  if (s.requests.close) s.keeper.close();
  s.computation.follow(s.document);
  return !s.actions.empty() || answer != RecoveryAnswer::none;
}

bool Session::wants_pixels() const { return state_->recorder.wants_pixels() && settled(); }

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

bool Session::settled() const {
  const State& s = *state_;
  return s.computation.is_settled(s.document) && s.laid_over.is_settled(s.document) && s.tiles.progress().settled &&
         s.joiner.settled() && s.task.settled() && !s.draws_on();
}

Message Session::wait() {
  State& s = *state_;
  s.guarded([&] { s.computation.wait(s.document, s.opener, s.words); });
  s.guarded([&] { s.laid_over.wait(s.document); });
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
  if (state_->document.searching.busy && playing > progress_seconds) return progress_seconds;
  return std::min(state_->keeper.seconds_to_keeping(), settled() ? playing : std::min(playing, progress_seconds));
}

const std::deque<std::string>& Session::log() const { return state_->log; }

const Document& Session::document() const { return state_->document; }

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
