#include "ui/session/session.h"
#include "ui/document/moment.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/files/file_watch.h"
#include "core/network/network.h"
#include "core/scenario/model_layer.h"
#include "core/tensor/error.h"
#include "ui/export/export_actions.h"
#include "ui/export/export_file.h"
#include "ui/export/take_mask.h"
#include "ui/export/take_matrix.h"
#include "ui/frame/pictures.h"
#include "ui/lessons/lesson_panel.h"
#include "ui/lessons/lesson_picture.h"
#include "ui/open/layer_dialog.h"
#include "ui/open/open_dialog.h"
#include "ui/open/opener.h"
#include "ui/open/opening.h"
#include "ui/open/paste.h"
#include "ui/panels/registry.h"
#include "ui/player/playback.h"
#include "ui/level/scene.h"
#include "ui/session/keys.h"

namespace headlight {
namespace {

std::string leaf_of(const std::string& path) { return path.substr(path.find_last_of("/\\") + 1); }

/// Every character that the document can put on screen besides the words.
std::string document_text(const Document& document) {
  std::string text = document.scenario.text + document.scenario.file + document.notice + document.error;
  for (const auto* words : {&document.origin.lesson.title, &document.origin.lesson.description}) {
    for (const auto& [language, sentence] : *words) text += sentence;
  }
  if (document.trace) {
    for (const auto* names : {&document.trace->inputs.query_tokens, &document.trace->inputs.key_tokens}) {
      for (const auto& entry : *names) {
        for (const std::string& token : entry) text += token;
      }
    }
    // What a network says next is in no sentence yet.
    if (const auto run = network_of(document.trace->inputs); run && run->logits.defined()) {
      constexpr Index likely = 12;
      for (Index b = 0; b < run->logits.size(0); ++b) {
        for (const LikelyToken& token : most_likely(*run, b, place_of_prediction(*run, b), std::min(likely, run->logits.size(-1)))) text += token.text;
      }
    }
  }
  return text;
}

}  // namespace

struct Session::State {
  Document document;
  Engine engine;
  Words words;
  Fonts fonts;
  Pictures pictures;
  Timeline timeline;
  std::shared_ptr<const Trace> timeline_of;
  Way timeline_way{};
  Actions actions;
  WindowRequests requests;
  Scenario submitted;
  std::shared_ptr<const Trace> submitted_against;
  std::uint64_t ticket = 0;
  std::uint64_t settled = 0;
  Theme styled = Theme::light;
  float styled_scale = 0;
  Playback playback;
  Recorder recorder;
  const Trace* text_of = nullptr;  ///< the trace whose tokens `text` holds
  std::string text, text_language, text_message;
  ViewKind text_view = ViewKind::pipeline;
  Opener opener;
  FileWatch watch, scenario_watch; ///< of the tensors; of the scenario's own file
  std::uint64_t reloading = 0;     ///< the ticket of a file that changed on disk; 0: none
  std::string failure;             ///< of the last outcome
  Dialog text_dialog = Dialog::none;
  std::string text_folder;
  std::string title, titled;       ///< the window's title, and the document's name in it
  bool titled_unsaved = false;

  State(Document start, std::function<void()> wake, RecentFiles opened)
      : document(std::move(start)), engine(wake), words(document.view.language), opener(std::move(opened)), watch(wake), scenario_watch(std::move(wake)) {
    opener.begin(document);
    document.origin.saved = document.scenario;
    submit();
  }

  /// Whether the view still has to be drawn for the sake of what it computes on the way, or of a field that is to have the
  /// keyboard: what is typed before it has it is lost.
  bool draws_on() const {
    const View& view = document.view;
    if (view.dialog == Dialog::open && view.open.focus) return true;
    if (view.dialog == Dialog::layers && view.layers.focus) return true;
    return pictures.unfinished();
  }

  void submit() {
    submitted = document.scenario;
    submitted_against = document.pinned;
    watch.watch(submitted.source == Source::file ? submitted.file : std::string());
    ticket = engine.submit(submitted, submitted_against);
    reloading = 0;
  }

  void take(Outcome outcome) {
    settled = outcome.ticket;
    failure = outcome.error;
    const bool reloaded = outcome.ticket == std::exchange(reloading, 0);
    if (outcome.trace) {
      show_trace(document, std::move(outcome.trace));
      if (document.pinned == submitted_against) document.difference = std::move(outcome.difference);
      opener.arrived();
      if (reloaded) document.notice = words.fill("messages.reloaded", {leaf_of(document.scenario.file)});
    } else if (reloaded) {
      // Half written, or of other shapes: what is shown stays, and the next change of the file is another try.
      document.notice = words.fill("messages.not_reloaded", {outcome.error});
    } else {
      opener.failed(document, outcome.error);
      submitted = document.scenario;
    }
  }

  /// The open file is another one on disk: the same scenario once more, from its new tensors.
  void reload() {
    if (document.scenario.source == Source::file && document.trace) reloading = ticket = engine.submit(submitted, submitted_against);
  }

  void perform(const Action& action) {
    apply(document, action);
    if (std::holds_alternative<ToggleFullscreen>(action)) requests.toggle_fullscreen = true;
    if (const auto* quit = std::get_if<Quit>(&action)) leave(quit->surely);
    const Next next = perform_export(document, recorder, words, action);
    if (next == Next::leave) requests.close = true;
    if (next == Next::open) opener.open(document, document.view.saving.opens, true);
    if (const auto* open = std::get_if<OpenFile>(&action)) opener.open(document, open->path, open->surely);
    if (const auto* mask = std::get_if<OpenMask>(&action)) open_mask_into(document, mask->path);
    if (const auto* take = std::get_if<TakeMatrix>(&action)) take_matrix(document, *take, words);
    if (std::holds_alternative<TakeLayer>(action)) opener.answer_layer(document);
    if (const auto* take = std::get_if<TakeMask>(&action)) take_mask(document, take->format, words);
    if (const auto* answer = std::get_if<UsePasted>(&action)) use_pasted(document, answer->use, words);
    if (std::holds_alternative<Paste>(action)) {
      const char* pasted = ImGui::GetClipboardText();
      paste_into(document, pasted != nullptr ? pasted : "", words);
    }
    if (const auto* copy = std::get_if<CopyText>(&action)) ImGui::SetClipboardText(copy->text.c_str());
    if (document.view.language != words.language()) {
      words = Words(document.view.language);
      title.clear();
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

  /// What the lessons view shows, in the language that is shown.
  std::string lessons_text() {
    const Course* course = open_course(document, pictures);
    std::string all = course ? course_text(*course, words.language()) : std::string();
    if (document.view.kind != ViewKind::lesson) return all;
    for (const Lesson& lesson : shown_lessons(pictures)) {
      all += in_language(lesson.title, words.language()) + in_language(lesson.description, words.language());
    }
    return all;
  }

  /// Whether a dialog that shows files or layers came up, or shows another folder.
  bool dialog_changed() {
    const Dialog dialog = document.view.dialog;
    const bool opens = dialog == Dialog::open;
    if (dialog == text_dialog && (!opens || open_picture(pictures, document.view.open).folder == text_folder)) return false;
    text_dialog = dialog;
    text_folder = opens ? open_picture(pictures, document.view.open).folder : std::string();
    return true;
  }

  void keep_timeline() {
    const Way way = document.view.way;
    if (timeline_of == document.trace && timeline_way == way) return;
    const bool other_way = document.trace && timeline_of == document.trace;
    const Stage at = other_way && document.view.step ? timeline.at(*document.view.step).stage : Stage::key;
    timeline_of = document.trace;
    timeline_way = way;
    timeline = document.trace ? Timeline(*document.trace, way) : Timeline();
    if (!other_way || !document.view.step) return;  // the same stage from its start
    const Timeline::Chapter* chapter = timeline.chapter_of(at);
    document.view = at_moment(document.view, *document.trace, timeline, chapter ? chapter->first : 0);
  }
};

Session::Session(Document start, std::function<void()> wake, RecentFiles recent)
    : state_(std::make_unique<State>(std::move(start), std::move(wake), std::move(recent))) {}

Session::~Session() = default;

bool Session::prepare_fonts(float scale) {
  State& s = *state_;
  if (s.document.view.presenting) scale *= presentation_scale(ImGui::GetIO().DisplaySize, scale);
  if (const auto outcome = s.engine.take()) s.take(std::move(*outcome));
  if (s.watch.take()) s.reload();
  s.scenario_watch.watch(s.document.origin.lesson.file);
  if (s.scenario_watch.take()) s.opener.follow(s.document, s.words);
  const std::string& message = s.document.error.empty() ? s.document.notice : s.document.error;
  if (s.text.empty() || s.text_of != s.document.trace.get() || s.text_language != s.words.language() ||
      s.text_view != s.document.view.kind || s.text_message != message || s.dialog_changed()) {
    s.text_of = s.document.trace.get();
    s.text_message = message;
    s.text_language = s.words.language();
    s.text_view = s.document.view.kind;
    s.text = s.words.all_text() + s.lessons_text() + document_text(s.document) +
             open_dialog_text(s.document.view, s.opener.recent(), s.pictures) + layer_dialog_text(s.document.view);
  }
  if (s.styled_scale != scale || s.styled != s.document.view.theme) {
    apply_style(look(s.document.view.theme), scale);
    s.styled_scale = scale;
    s.styled = s.document.view.theme;
  }
  if (s.fonts.covers(scale, s.text)) return false;
  s.fonts.load(scale, s.text);
  return true;
}

void Session::open(const std::string& path) { state_->perform(OpenFile{path}); }

void Session::draw(MatrixPainter& painter) {
  State& s = *state_;
  s.actions.clear();
  s.keep_timeline();
  s.recorder.prepare(s.document, s.timeline);
  s.pictures.begin_frame(s.document.trace.get());
  const Progress progress = s.engine.progress();
  const Frame frame{s.document, look(s.document.view.theme), s.fonts, s.words, painter, s.pictures, progress, s.actions, s.fonts.scale(), s.timeline, s.opener.recent()};
  press_keys(frame);
  s.playback.advance(frame, static_cast<double>(ImGui::GetIO().DeltaTime));
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  for (const Panel& panel : all_panels()) {
    if (s.document.view.blank) break;
    const Rect place = panel.place(frame, window);
    if (place.width() > 0 && place.height() > 0) panel.draw(frame, place);
  }
  s.pictures.end_frame();
  for (const Action& action : s.actions) s.perform(action);
  if (!(s.document.scenario == s.submitted) || s.document.pinned != s.submitted_against) s.submit();
}

bool Session::wants_pixels() const { return settled() && state_->recorder.wants_pixels(); }

void Session::take_pixels(Image pixels) {
  State& s = *state_;
  s.recorder.take_pixels(std::move(pixels), s.document, s.timeline, s.words);
}

void Session::film(const std::string& path, double seconds_per_step) {
  state_->recorder.start_film(state_->document, path, seconds_per_step);
}

bool Session::recording() const { return state_->recorder.active(); }

void Session::ask_to_close() { state_->perform(Quit{}); }

bool Session::settled() const {
  const State& s = *state_;
  return s.settled >= s.ticket && s.document.scenario == s.submitted && !s.draws_on();
}

std::string Session::wait() {
  State& s = *state_;
  if (auto outcome = s.engine.wait()) s.take(std::move(*outcome));
  return s.failure;
}

double Session::next_frame_in() const {
  constexpr double progress_seconds = 0.1;
  if (state_->draws_on() || recording()) return 0;
  const double playing = Playback::next_frame_in(state_->document.view);
  return settled() ? playing : std::min(playing, progress_seconds);
}

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
