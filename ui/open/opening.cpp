#include "ui/open/opening.h"

#include "core/scenario/mask_file.h"
#include "core/scenario/mask_reading.h"
#include "core/tensor/error.h"
#include "ui/document/action.h"
#include "ui/document/saved_view.h"

namespace headlight {
namespace {

/// The first look at other tensors: all of the canvas, nothing chosen.
View afresh(View view) {
  view.selected.reset();
  view.looked = false;
  view.camera = {};
  view.dialog = Dialog::none;
  return view;
}

View asking(View view, LayerQuestion question) {
  LayerChoice& choice = view.layers;
  choice.layer = question.scenario.layer;
  const bool only = question.candidates.size() == 1 || choice.layer.empty();
  if (only && !question.candidates.empty()) choice.layer = question.candidates.front().layer;
  choice.heads = question.scenario.heads;
  choice.search.clear();
  choice.focus = true;
  choice.question = std::make_shared<const LayerQuestion>(std::move(question));
  view.dialog = Dialog::layers;
  return view;
}

}  // namespace

bool open_into(Document& document, const std::string& path) {
  bool changed = false;
  try {
    if (is_mask_file(path, document.view.kind == ViewKind::mask)) {
      open_mask_into(document, path);
      return false;
    }
    Lesson opened = open_source(path);
    Scenario scenario = opened.scenario;
    changed = true;
    begin_anew(document, std::move(opened), std::move(scenario));
    document.view = afresh(std::move(document.view));
    if (const auto& saved = document.origin.lesson.view)
      document.view = with_saved_view(std::move(document.view), *saved);
    begin_lesson(document);
    return true;
  } catch (const InputError& error) {
    document.view.dialog = Dialog::none;
    // What was not opened takes nothing back: what is asked for, an undo say, may still be computing.
    if (changed) show_error(document, error.message());
    else document.error = error.message();
    return false;
  }
}

void open_mask_into(Document& document, const std::string& path) {
  document.view.dialog = Dialog::none;
  apply(document, EditScenario{[&](Scenario& s) { s = with_mask_file(s, path); }, {}});
}

void show_recorded(Document& document, const std::string& step) {
  for (Scenario* scenario : {&document.scenario, &document.origin.saved, &document.origin.lesson.scenario})
    scenario->file = step;
}

bool ask_for_layer(Document& document) {
  std::optional<LayerQuestion> question = open_question(document.scenario);
  if (!question) return false;
  document.view = asking(std::move(document.view), std::move(*question));
  return true;
}

bool ask_for_polarity(Document& document, const Message& error) {
  if (error.english().find(mask_polarity_is_open) == std::string::npos) return false;
  document.view = asking(document.view, {document.scenario, {}});
  return true;
}

View with_layer_dialog(const Document& document) {
  LayerQuestion question{document.scenario, {}};
  try {
    question.candidates = list_layers(document.scenario.file);
  } catch (const InputError&) {  // the file has gone meanwhile; the numbers are still here
  }
  if (question.candidates.empty()) return document.view;
  if (question.scenario.layer.empty()) question.scenario.layer = question.candidates.front().layer;
  return asking(document.view, std::move(question));
}

void answer_layer(Document& document, std::optional<Lesson> opened) {
  const LayerChoice choice = document.view.layers;
  if (!choice.question) return;
  Scenario scenario = choice.question->scenario;
  if (choice.question->candidates.empty()) {
    scenario.mask_polarity = choice.layer == "attend" ? MaskPolarity::attend : MaskPolarity::ignore;
  } else {
    scenario.layer = choice.layer;
    scenario.heads = choice.heads;
  }
  document.view = afresh(std::move(document.view));
  opened ? begin_anew(document, std::move(*opened), std::move(scenario))
         : apply(document, EditScenario{[&](Scenario& s) { s = std::move(scenario); }, {}});
}

}  // namespace headlight
