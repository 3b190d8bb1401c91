#include "ui/dialogs/open/opener.h"

#include <algorithm>
#include <utility>

#include "core/base/arrays/file_watch.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/network.h"
#include "core/compute/network/shipped_models.h"
#include "core/models/architecture/model_folder.h"
#include "core/scenario/documents/open_source.h"
#include "core/scenario/documents/scenario_json.h"
#include "core/scenario/inputs/file_source.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/document/action.h"
#include "ui/base/document/view.h"
#include "ui/base/document/wanted.h"
#include "ui/dialogs/export/export_file.h"

namespace headlight {
namespace {

/// The view for other tensors: the whole canvas, nothing selected.
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
  choice.focus = !question.candidates.empty();  // the question about a mask has no text field
  choice.question = std::make_shared<const LayerQuestion>(std::move(question));
  view.dialog = Dialog::layers;
  return view;
}

std::string ending_of(const std::string& path) { return lowercase(utf8_from(path_from(path).extension())); }
bool is_text_file(const std::string& path) { return ending_of(path) == ".txt"; }

/// Whether the file is a mask for the open document. A text file may be one, too; in the view Train it is what a
/// network is to learn.
bool is_mask(const Document& document, const std::string& path) {
  if (document.view.kind == ViewKind::train && is_text_file(path)) return false;
  return is_mask_file(path, document.view.kind == ViewKind::mask);
}

/// What `path` names; a shipped model with its first example, at its suggested view; a text file as what a network is
/// to learn.
Lesson named(const std::string& path) {
  if (is_text_file(path)) {
    Lesson run;
    run.scenario.source = Source::file;
    run.scenario.file = std::string(run_prefix) + path + "@0";
    return run;
  }
  if (!path.starts_with(shipped_model_prefix)) return open_source(path);
  const std::vector<ShippedModel> models = shipped_models();
  const auto found =
      std::ranges::find(models, path.substr(std::string_view(shipped_model_prefix).size()), &ShippedModel::id);
  return found == models.end() ? open_source(path) : opening_of(*found);
}

/// Shows what `path` names (a lesson, a scenario or tensors) in a new view; a mask file becomes file() of the current
/// document (core/scenario/inputs/file_source.h). On failure, the document gets an error and stays the same. Returns
/// whether the document was replaced.
bool open_into(Document& document, const std::string& path) {
  bool changed = false;
  try {
    if (is_mask(document, path)) {
      open_mask_into(document, path);
      return false;
    }
    Lesson opened = named(path);
    Scenario scenario = opened.scenario;
    changed = true;
    begin_anew(document, std::move(opened), std::move(scenario));
    document.view = without_words(afresh(std::move(document.view)));
    const auto& saved = document.origin.lesson.view;
    if (saved) document.view = with_saved_view(std::move(document.view), *saved);
    const Scenario& now = document.scenario;
    if (now.source == Source::file && now.file.starts_with(run_prefix) && now.file.ends_with("@0")) {
      document.view.kind = ViewKind::train;  // where it learns
    } else if (now.source == Source::file && is_model_folder(now.file) && !(saved && field_of(*saved, "level"))) {
      document.view.kind = ViewKind::pipeline;  // a network opens with its sentence
      document.view.levels.level = Level::sentence;
      document.view.levels.facet = Facet::step;
      document.view.step.reset();
    }
    begin_lesson(document);
    return true;
  } catch (const InputError& error) {
    document.view.dialog = Dialog::none;
    // A file that could not be opened cancels nothing: an undo may still be computing.
    if (changed) show_error(document, error.message());
    else document.error = error.message();
    return false;
  }
}

/// After a scenario failed: if only a layer or a number of heads is missing, opens the dialog for it, restores the
/// document without a message, and returns true.
bool ask_for_layer(Document& document) {
  std::optional<LayerQuestion> question = open_question(document.scenario);
  if (!question) return false;
  document.view = asking(std::move(document.view), std::move(*question));
  return true;
}

/// The same if the polarity of the mask is unknown, as `error` says.
bool ask_for_polarity(Document& document, const Message& error) {
  if (error.english().find(mask_polarity_is_open) == std::string::npos) return false;
  document.view = asking(document.view, {document.scenario, {}});
  return true;
}

void ask_first(Document& document, const std::string& path) {
  document.view.saving.next = Next::open;
  document.view.saving.opens = path;
  document.view.dialog = Dialog::leave;
}

}  // namespace

bool has_own_work(const Document& document) {
  if (!has_unsaved_changes(document)) return false;
  const Scenario& s = document.scenario;
  const Lesson& from = document.origin.lesson;
  const bool ships = !from.id.empty() || (from.file.empty() && s.file.starts_with(shipped_model_prefix));
  return !ships || s.x || s.attn_bias || !s.painted.empty() || !s.edits.empty();
}

bool show_picture(Document& document, const std::string& path) {
  const auto run = document.trace ? network_of(document.trace->inputs) : nullptr;
  const std::string ending = ending_of(path);
  const bool picture = ending == ".png" || ending == ".jpg" || ending == ".jpeg";
  if (!picture || !run || !run->network->spec().picture || document.view.kind == ViewKind::mask) return false;
  apply(document, EditScenario{[path](Scenario& s) { s.image = path; }, {}});
  return true;
}

void Opener::begin(const Document& document) {
  if (document.scenario.source == Source::file && watched_name(document.scenario.file).empty())
    opening_ = document.scenario.file;
}

void Opener::open(Document& document, const std::string& path, bool surely) {
  const bool joins = is_mask(document, path);
  if (!surely && !joins && has_own_work(document)) return ask_first(document, path);
  opening_ = path.starts_with("lesson:") || !watched_name(path).empty() ? std::string() : path;
  waiting_.reset();
  if (open_into(document, path)) pending_ = !document.undo.empty() && document.undo.back().place;
}

void Opener::answer_layer(Document& document) {
  pending_ = pending_ || waiting_;
  headlight::answer_layer(document, std::exchange(waiting_, {}));
}

void Opener::follow(Document& document, const Words& words) {
  const std::string file = document.origin.lesson.file;
  try {
    if (with_whole_paths(read_scenario(file)) == with_whole_paths(document.origin.saved)) return;
  } catch (const InputError&) {
    return;  // half written; it is read again after the next change
  }
  if (has_unsaved_changes(document)) return ask_first(document, file);
  const View view = document.view;
  open(document, file, true);
  document.view = view;
  document.notice = words.fill("messages.reloaded", {file_name_of(file)});
}

void Opener::arrived() {
  pending_ = false;
  if (!opening_.empty()) recent_.add(std::exchange(opening_, {}));
}

void Opener::failed(Document& document, const Message& error) {
  const bool asks = ask_for_polarity(document, error) || ask_for_layer(document);
  if (pending_ && asks) waiting_ = document.origin.lesson;
  std::exchange(pending_, false) ? take_back_opening(document, error) : show_error(document, error);
  asks ? document.error.clear() : opening_.clear();
}

void open_mask_into(Document& document, const std::string& path) {
  document.view.dialog = Dialog::none;
  apply(document, EditScenario{[&](Scenario& s) { s = with_mask_file(s, path); }, {}});
}

void show_recorded(Document& document, const std::string& step) {
  for (Scenario* scenario : {&document.scenario, &document.origin.saved, &document.origin.lesson.scenario})
    scenario->file = step;
}

View with_layer_dialog(const Document& document) {
  LayerQuestion question{document.scenario, {}};
  try {
    question.candidates = list_layers(document.scenario.file);
  } catch (const InputError&) {  // the file no longer exists, but its numbers are still in memory
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
  } else if (!choice.question->axes.empty()) {
    scenario.axes = choice.layer;
  } else if (!choice.question->arrays.empty()) {
    scenario.names = choice.search;
  } else {
    scenario.layer = choice.layer;
    scenario.heads = choice.heads;
  }
  document.view = afresh(std::move(document.view));
  opened ? begin_anew(document, std::move(*opened), std::move(scenario))
         : apply(document, EditScenario{[&](Scenario& s) { s = std::move(scenario); }, {}});
}

}  // namespace headlight
