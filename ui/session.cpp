#include "ui/session.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/tensor/error.h"
#include "ui/imgui_compat.h"
#include "ui/panels/registry.h"
#include "ui/pictures.h"

namespace headlight {
namespace {

constexpr double moment_seconds = 0.8;      // that the step player gives a moment at speed 1

/// Of type and strokes in a presentation: as large as the diagram has room for, for the last row.
float presentation_scale(ImVec2 window, float scale) {
  return std::clamp(std::min(window.x / (1150 * scale), window.y / (680 * scale)), 1.0f, 2.0f);
}

/// The next moment within the chapter that `moment` is in, from its start again after its end.
int next_in_loop(const Timeline& timeline, int moment) {
  for (const Timeline::Chapter& chapter : timeline.chapters()) {
    if (moment < chapter.first || moment >= chapter.first + chapter.count) continue;
    return chapter.first + (moment - chapter.first + 1) % chapter.count;
  }
  return 0;
}

/// Every character that the document can put on screen besides the words.
std::string document_text(const Document& document) {
  std::string text = document.scenario.text + document.scenario.file;
  for (const auto* words : {&document.lesson.title, &document.lesson.description}) {
    for (const auto& [language, sentence] : *words) text += sentence;
  }
  if (document.trace) {
    for (const auto* names : {&document.trace->inputs.query_tokens, &document.trace->inputs.key_tokens}) {
      for (const auto& entry : *names) {
        for (const std::string& token : entry) text += token;
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
  Actions actions;
  WindowRequests requests;
  Scenario submitted;
  std::uint64_t ticket = 0;
  std::uint64_t settled = 0;
  Theme styled = Theme::light;
  float styled_scale = 0;
  double since_moment = 0;         ///< seconds the present moment of a playing timeline has stood
  const Trace* text_of = nullptr;  ///< the trace whose tokens `text` holds
  std::string text, text_language;
  ViewKind text_view = ViewKind::pipeline;

  State(Document start, std::function<void()> wake)
      : document(std::move(start)), engine(std::move(wake)), words(document.view.language) {
    submit();
  }

  void submit() {
    submitted = document.scenario;
    ticket = engine.submit(submitted);
  }

  void take(Outcome outcome) {
    settled = outcome.ticket;
    if (outcome.trace) {
      show_trace(document, std::move(outcome.trace));
    } else {
      show_error(document, outcome.error);
      submitted = document.scenario;
    }
  }

  void perform(const Action& action) {
    apply(document, action);
    if (std::holds_alternative<ToggleFullscreen>(action)) requests.toggle_fullscreen = true;
    if (std::holds_alternative<Quit>(action)) requests.close = true;
    if (const auto* open = std::get_if<OpenFile>(&action)) open_file(open->path);
    if (document.view.language != words.language()) words = Words(document.view.language);
  }

  void open_file(const std::string& path) {
    try {
      Lesson opened = open_source(path);
      apply(document, ChangeScenario{opened.scenario, {}});
      document.lesson = std::move(opened);
      View view = document.view;
      view.selected.reset();
      view.looked = false;
      view.zoom = view.pan_x = view.pan_y = 0;
      apply(document, ChangeView{std::move(view)});
    } catch (const InputError& error) {
      show_error(document, error.what());
    }
  }

  /// What the lessons view shows, in the language that is shown.
  std::string lessons_text() {
    if (document.view.kind != ViewKind::lesson) return {};
    if (pictures.lessons.empty()) pictures.lessons = shipped_lessons();
    std::string all;
    for (const Lesson& lesson : pictures.lessons) {
      all += in_language(lesson.title, words.language()) + in_language(lesson.description, words.language());
    }
    return all;
  }

  void keep_timeline() {
    if (pictures.timeline_of == document.trace) return;
    pictures.timeline_of = document.trace;
    pictures.timeline = document.trace ? Timeline(*document.trace) : Timeline();
  }

  void go_to(int moment) {
    if (document.trace) actions.push_back(ChangeView{at_moment(document.view, *document.trace, pictures.timeline, moment)});
  }

  /// While it plays, the next moment is due every so often; it waits while the pointer is on a number.
  void play() {
    const View& view = document.view;
    if (!view.playing || view.hovered || !document.trace) {
      since_moment = 0;
      return;
    }
    since_moment += ImGui::GetIO().DeltaTime;
    if (since_moment < moment_seconds / view.speed) return;
    since_moment = 0;
    const int now = view.step.value_or(-1);
    const int next = view.looping ? next_in_loop(pictures.timeline, now) : now + 1;
    if (next < pictures.timeline.count()) {
      go_to(next);
    } else {
      View stopped = view;
      stopped.playing = false;
      actions.push_back(ChangeView{std::move(stopped)});
    }
  }

  void player_keys() {
    using compat::Key;
    const View& view = document.view;
    const int last = pictures.timeline.count() - 1;
    const int now = view.step.value_or(last);
    if (compat::pressed(Key::right) || compat::pressed(Key::page_down)) go_to(view.step ? now + 1 : 0);
    if (compat::pressed(Key::left) || compat::pressed(Key::page_up)) go_to(now - 1);
    if (compat::pressed(Key::home)) go_to(0);
    if (compat::pressed(Key::end)) go_to(last);
    View changed = view;
    if (compat::pressed(Key::space)) {
      changed.playing = !view.playing;
      if (changed.playing && now >= last) changed = at_moment(changed, *document.trace, pictures.timeline, 0);
    }
    if (compat::pressed(Key::p) || compat::pressed(Key::f11)) changed.presenting = !view.presenting;
    if (compat::pressed(Key::b)) changed.blank = !view.blank;
    const bool question = ImGui::GetIO().KeyShift && compat::pressed(Key::slash);
    if (question || compat::pressed(Key::f1)) changed.help = !view.help;
    if (!(changed == view)) actions.push_back(ChangeView{std::move(changed)});
  }

  void shortcuts() {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.KeyCtrl && compat::pressed(compat::Key::q)) actions.push_back(Quit{});
    if (io.WantTextInput) return;
    if (io.KeyCtrl && compat::pressed(compat::Key::z)) actions.push_back(io.KeyShift ? Action(Redo{}) : Action(Undo{}));
    if (io.KeyCtrl && compat::pressed(compat::Key::y)) actions.push_back(Redo{});
    if (compat::pressed(compat::Key::f11)) actions.push_back(ToggleFullscreen{});
    if (document.trace && !io.KeyCtrl) player_keys();
    if (compat::pressed(compat::Key::escape)) escape();
  }

  /// Lets go of one thing: the message, the help, the presentation, the moment, at last the pinned cell.
  void escape() {
    View changed = document.view;
    if (!document.error.empty()) {
      actions.push_back(DismissError{});
      return;
    }
    if (changed.blank || changed.help || changed.presenting) {
      bool& top = changed.blank ? changed.blank : changed.help ? changed.help : changed.presenting;
      top = false;
      actions.push_back(ChangeView{std::move(changed)});
    } else if (changed.step) {
      actions.push_back(ChangeView{without_moment(std::move(changed))});
    } else if (document.view.selected) {
      View view = document.view;
      view.selected.reset();
      actions.push_back(ChangeView{std::move(view)});
    }
  }
};

Session::Session(Document start, std::function<void()> wake)
    : state_(std::make_unique<State>(std::move(start), std::move(wake))) {}

Session::~Session() = default;

bool Session::prepare_fonts(float scale) {
  State& s = *state_;
  if (s.document.view.presenting) scale *= presentation_scale(ImGui::GetIO().DisplaySize, scale);
  if (const auto outcome = s.engine.take()) s.take(std::move(*outcome));
  if (s.text.empty() || s.text_of != s.document.trace.get() || s.text_language != s.words.language() || s.text_view != s.document.view.kind) {
    s.text_of = s.document.trace.get();
    s.text_language = s.words.language();
    s.text_view = s.document.view.kind;
    s.text = s.words.all_text() + s.lessons_text() + document_text(s.document);
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
  s.shortcuts();
  s.play();
  const Progress progress = s.engine.progress();
  const Frame frame{s.document, look(s.document.view.theme), s.fonts, s.words, painter, s.pictures, progress, s.actions, s.fonts.scale(), s.pictures.timeline};
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  for (const Panel& panel : all_panels()) {
    if (s.document.view.blank) break;
    const Rect place = panel.place(frame, window);
    if (place.width() > 0 && place.height() > 0) panel.draw(frame, place);
  }
  for (const Action& action : s.actions) s.perform(action);
  if (!(s.document.scenario == s.submitted)) s.submit();
}

bool Session::settled() const { return state_->settled >= state_->ticket && state_->document.scenario == state_->submitted; }

std::string Session::wait() {
  State& s = *state_;
  if (auto outcome = s.engine.wait()) s.take(std::move(*outcome));
  return s.document.error;
}

double Session::next_frame_in() const {
  constexpr double progress_seconds = 0.1;
  const View& view = state_->document.view;
  if (view.playing && !view.hovered) return moment_seconds / view.speed / 4;
  return settled() ? std::numeric_limits<double>::infinity() : progress_seconds;
}

const Document& Session::document() const { return state_->document; }

Rgba Session::ground() const {
  if (state_->document.view.blank) return {0, 0, 0};
  const ImU32 colour = look(state_->document.view.theme).window;
  const auto channel = [&](int shift) { return static_cast<std::uint8_t>((colour >> shift) & 0xFF); };
  return {channel(IM_COL32_R_SHIFT), channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT)};
}

std::string Session::title() const {
  std::string name = document_name(state_->document, state_->words);
  if (name.empty()) name = state_->words("window.untitled");
  return name + " – " + state_->words("window.title");
}

Session::WindowRequests Session::take_window_requests() { return std::exchange(state_->requests, {}); }

}  // namespace headlight
