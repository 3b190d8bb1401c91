// The state of a window's session, and the handlers of its actions.
#pragma once

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "core/base/arrays/file_watch.h"
#include "core/base/tensor/error.h"
#include "core/scenario/documents/scenario_json.h"
#include "ui/base/document/action.h"
#include "ui/base/document/document.h"
#include "ui/base/frame/frame.h"
#include "ui/base/frame/pictures.h"
#include "ui/base/look/words.h"
#include "ui/dialogs/export/export_file.h"
#include "ui/dialogs/export/recorder.h"
#include "ui/dialogs/export/view_drawing.h"
#include "ui/dialogs/open/open_dialog.h"
#include "ui/dialogs/open/opener.h"
#include "ui/imgui_compat.h"
#include "ui/parts/player/stages.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/lessons/lesson_panel.h"
#include "ui/views/registry.h"
#include "ui/window/panels/registry.h"
#include "ui/window/session/followers.h"
#include "ui/window/session/lesson_memory.h"
#include "ui/window/session/recovery.h"
#include "ui/window/session/run_follower.h"
#include "ui/window/session/session.h"

namespace headlight {

/// All characters that the window can show, for loading the fonts.
class ShownText {
 public:
  /// Collects them again if something new is shown.
  void gather(const Document& document, const Words& words, const Opener& opener, Pictures& pictures,
              std::string_view typing);
  /// The program's own texts, with the lessons'.
  const std::string& own() const { return own_; }
  /// Opened or typed text.
  const std::string& given() const { return given_; }

 private:
  bool dialog_changed(const View& view, Pictures& pictures);

  std::string own_, given_, languages_;  ///< the last: the names of the languages, each in its own script
  // The state at the last collection.
  const Trace* trace_ = nullptr;
  std::string language_, message_, typed_, typing_;
  ViewKind view_ = ViewKind::pipeline;
  Dialog dialog_ = Dialog::none;
  std::string folder_;
};

struct Session::State {
  Document document;
  Computation computation;
  OwnComparison laid_over;
  RunFollower run;
  Autosave keeper;
  LessonSession lessons;
  Opener opener;
  FileWatch scenario_watch;  ///< watches the scenario's own file
  Words words;
  ShownText shown_text;
  Fonts fonts;
  Theme styled = Theme::light;
  float styled_scale = 0;
  Pictures pictures;
  KeptTimeline timeline;
  Playback playback;
  Recorder recorder;
  std::unique_ptr<ViewDrawing> drawing;  ///< of the last frame, if the recorder needs it
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
  std::deque<std::string> log;  ///< the last actions
  std::string title, titled;    ///< the window's title, and the document's name in it
  bool titled_unsaved = false;

  State(Document start, std::function<void()> wake, RecentFiles opened)
      : document(std::move(start)),
        computation(wake),
        laid_over(wake),
        run(wake),
        opener(std::move(opened)),
        scenario_watch(wake),
        words(words_for(document)),
        tiles(wake),
        joiner(wake),
        task(std::move(wake)) {
    opener.begin(document);
    if (!document.trace)
      document.origin.saved = document.scenario;  // otherwise it was another window's, with that window's saved state
    computation.follow(document);
  }

  /// Whether the view must still be drawn, because it computes something while drawing or because a text field is about
  /// to get the keyboard focus: text typed before that is lost.
  bool draws_on() const {
    const View& view = document.view;
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    // Smaller windows, frozen or black pictures, and pictures of a single view have no text field with the keyboard
    // focus.
    const bool shows_fields = window.x >= 320 && window.y >= 200 && !held && !view.blank && !view.alone;
    if (shows_fields && view.dialog == Dialog::open && view.open.focus) return true;
    if (shows_fields && view.dialog == Dialog::layers && view.layers.focus) return true;
    if (shows_fields && view.kind == ViewKind::map && view.map.typing) return true;
    return pictures.unfinished();
  }

  /// Shows the error; the document stays.
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
    if (std::holds_alternative<Hover>(action)) return apply(document, action);
    if (lesson_refuses(document, words, action)) return;
    const Scenario scenario = document.scenario;
    const View view = document.view;
    document.refused = false;
    std::visit([&](const auto& each) { handle(each); }, action);
    if (document.refused) document.notice = words("lesson.locked");
    note(action_text(action, scenario, view, document));
  }
  /// The actions of the frame, in order.
  void perform_actions() {
    if (std::ranges::any_of(actions, [](const Action& action) { return !std::holds_alternative<Hover>(action); }))
      keeper.touch();
    for (const Action& action : actions) guarded([&] { perform(action); });
    if (!ImGui::IsAnyItemActive()) end_gesture(document);
    if (typed() != kept_typed) {
      kept_typed = typed();
      keeper.touch();
    }
  }

  /// Logs an action for bug reports. Repeated changes of the same view fields, as during playback, become one line.
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

  // apply() handles actions that concern only the document; the others need the session.
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

  /// A file with the user's own stages is compared with the open document; any other file replaces it.
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

  /// Loads the words of the view's language; if its file cannot be read, the view returns to the current language.
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

  /// A damaged language file must not prevent the window from opening: English is used, and the error is shown.
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
    if (surely || !has_own_work(document)) {
      requests.close = true;
    } else {
      document.view.saving.next = Next::leave;
      document.view.dialog = Dialog::leave;
    }
  }

  /// The offer waits while a dialog or a presentation is shown.
  RecoveryAnswer draw_offer(const Frame& frame, ImVec2 window) {
    const Document* offered = keeper.offered();
    const View& shown = document.view;
    if (!offered || shown.dialog != Dialog::none || shown.presenting || shown.blank) return RecoveryAnswer::none;
    const RecoveryAnswer answer =
        draw_recovery_bar(frame, window, document_name(*offered, words), keeper.offered_when());
    if (answer != RecoveryAnswer::none) actions.clear();  // the actions were meant for the replaced document
    return answer;
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

  /// The text of the focused field; not of a dialog's field, since dialogs are closed after a crash.
  std::optional<TypedLine> typed() const {
    const bool types = typing.field != 0 && typing.edited && typing.frame >= ImGui::GetFrameCount() - 1;
    if (types && document.view.dialog == Dialog::none) return TypedLine{typing.field, typing.text};
    return typing.recovered;
  }

  /// A presentation that ends also ends the full screen.
  void keep_fullscreen() {
    View& view = document.view;
    if (!view.presenting) view.fullscreen = false;
    if (view.dialog == Dialog::welcome && (view.presenting || view.kind != ViewKind::pipeline))
      view.dialog = Dialog::none;  // its text is about the pipeline, and it must not cover a presentation
    if (view.fullscreen != fullscreen) requests.fullscreen = view.fullscreen;
    fullscreen = view.fullscreen;
  }

  /// A dialog or an error ends the frozen picture.
  void keep_held() {
    View& view = document.view;
    view.blank = view.blank && view.dialog == Dialog::none;  // a dialog must be visible
    view.frozen =
        view.frozen && view.presenting && view.dialog == Dialog::none && document.error.empty() && document.trace;
    if (!view.frozen) held.reset();
    else if (!held) held.emplace(FrozenPresentation{document, timeline.now(), words});
  }
};

/// Keyboard shortcuts, which act while no text is typed. Each is listed in ui/window/panels/help.cpp.
void press_keys(const Frame& frame);

}  // namespace headlight
