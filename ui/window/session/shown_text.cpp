#include <algorithm>

#include "core/compute/network/network.h"
#include "core/compute/network/network_trace.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/dialogs/open/open_dialog.h"
#include "ui/views/lessons/lesson_panel.h"
#include "ui/views/sentence/story.h"
#include "ui/window/session/session_state.h"

namespace headlight {
namespace {

// Predicted words, which are not part of a sentence yet.
std::string predicted_text(const NetworkRun& run) {
  constexpr Index likely = 12;
  constexpr Index places = 64, small_vocabulary = 8192;  // small networks predict after each word
  const Index words = run.logits.size(-1), count = std::min(likely, words);
  std::string text;
  for (Index b = 0; b < run.logits.size(0); ++b) {
    for (const LikelyToken& token : most_likely(run, b, place_of_prediction(run, b), count)) text += token.text;
    for (Index at = 0; words <= small_vocabulary && at < std::min(run.logits.size(1), places); ++at) {
      for (const LikelyToken& token : most_likely(run, b, at, count)) text += token.text;
    }
  }
  return text;
}

std::string document_text(const Document& document, const Words& words) {
  std::string text =
      document.scenario.text + document.scenario.file + document.notice + words.translate(document.error);
  text += claims_text(document.scenario.file);
  for (const auto* texts : {&document.origin.lesson.title, &document.origin.lesson.description}) {
    for (const auto& [language, sentence] : *texts) text += sentence;
  }
  if (!document.trace) return text;
  for (const auto* names : {&document.trace->inputs.query_tokens, &document.trace->inputs.key_tokens}) {
    for (const auto& entry : *names) {
      for (const std::string& token : entry) text += token;
    }
  }
  if (const auto run = network_of(document.trace->inputs); run && run->logits.defined()) text += predicted_text(*run);
  return text;
}

std::string lessons_text(const Document& document, const Words& words, Pictures& pictures) {
  const Course* course = open_course(document, pictures);
  std::string all = course ? course_text(*course, words.language()) : std::string();
  if (document.view.kind != ViewKind::lesson) return all;
  for (const Lesson& lesson : shown_lessons(pictures)) {
    all += in_language(lesson.title, words.language()) + in_language(lesson.description, words.language());
  }
  return all;
}

}  // namespace

// Whether a dialog with files or layers was opened, or shows another folder.
bool ShownText::dialog_changed(const View& view, Pictures& pictures) {
  const bool opens = view.dialog == Dialog::open;
  if (dialog_ == view.dialog && (!opens || open_picture(pictures, view.open).folder == folder_)) return false;
  dialog_ = view.dialog;
  folder_ = opens ? open_picture(pictures, view.open).folder : std::string();
  return true;
}

void ShownText::gather(const Document& document, const Words& words, const Opener& opener, Pictures& pictures,
                       std::string_view typing) {
  const std::string message = document.error.empty() ? document.notice : words.translate(document.error);
  const bool same = !own_.empty() && trace_ == document.trace.get() && language_ == words.language() &&
                    view_ == document.view.kind && message_ == message && typed_ == document.scenario.text &&
                    typing_ == typing;
  if (same && !dialog_changed(document.view, pictures)) return;
  trace_ = document.trace.get();
  message_ = message;
  language_ = words.language();
  view_ = document.view.kind;
  typed_ = document.scenario.text;
  typing_ = typing;
  given_ = document_text(document, words) + typing_ + open_dialog_text(document.view, opener.recent(), pictures) +
           layer_dialog_text(document.view);
  if (languages_.empty()) {
    for (const std::string& language : list_languages()) languages_ += language_name(language);
  }
  own_ = words.all_text() + languages_ + lessons_text(document, words, pictures);
}

}  // namespace headlight
