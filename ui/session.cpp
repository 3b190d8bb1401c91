#include "ui/session.h"

#include <cmath>
#include <limits>
#include <utility>

#include "core/tensor/error.h"
#include "ui/imgui_compat.h"
#include "ui/panels/registry.h"
#include "ui/pictures.h"

namespace headlight {
namespace {

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
  const Trace* text_of = nullptr;  ///< the trace whose tokens `text` holds
  std::string text;

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

  void shortcuts() {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.KeyCtrl && compat::pressed(compat::Key::q)) actions.push_back(Quit{});
    if (io.WantTextInput) return;
    if (io.KeyCtrl && compat::pressed(compat::Key::z)) actions.push_back(io.KeyShift ? Action(Redo{}) : Action(Undo{}));
    if (io.KeyCtrl && compat::pressed(compat::Key::y)) actions.push_back(Redo{});
    if (compat::pressed(compat::Key::f11)) actions.push_back(ToggleFullscreen{});
    if (compat::pressed(compat::Key::escape)) escape();
  }

  /// Lets go of one thing: first the message, then the pinned cell.
  void escape() {
    if (!document.error.empty()) {
      actions.push_back(DismissError{});
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
  if (const auto outcome = s.engine.take()) s.take(std::move(*outcome));
  if (s.text.empty() || s.text_of != s.document.trace.get()) {
    s.text_of = s.document.trace.get();
    s.text = s.words.all_text() + document_text(s.document);
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
  s.shortcuts();
  const Progress progress = s.engine.progress();
  const Frame frame{s.document, look(s.document.view.theme), s.fonts, s.words, painter, s.pictures, progress, s.actions, s.fonts.scale()};
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  for (const Panel& panel : all_panels()) panel.draw(frame, panel.place(frame, window));
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
  return settled() ? std::numeric_limits<double>::infinity() : progress_seconds;
}

const Document& Session::document() const { return state_->document; }

Rgba Session::ground() const {
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
