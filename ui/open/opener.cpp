#include "ui/open/opener.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "core/architecture/model_folder.h"
#include "core/files/watched_run.h"
#include "core/network/network.h"
#include "core/scenario/mask_file.h"
#include "core/scenario/model_layer.h"
#include "core/scenario/scenario_json.h"
#include "core/tensor/error.h"
#include "core/text/utf8_path.h"
#include "ui/document/action.h"
#include "ui/export/export_file.h"
#include "ui/open/opening.h"

namespace headlight {
namespace {

/// Where a file is may be said in several ways.
Scenario with_whole_paths(Scenario scenario) {
  for (std::string* file : {&scenario.file, &scenario.mask_file, &scenario.image}) {
    if (!file->empty() && !file->starts_with(shipped_model_prefix))
      *file = utf8_from(std::filesystem::absolute(path_from(*file)).lexically_normal());
  }
  return scenario;
}

/// More than a lesson that was played with, which undo brings back as it was left.
bool is_own_work(const Document& document) {
  const Scenario& s = document.scenario;
  return document.origin.lesson.id.empty() || s.x || s.attn_bias || !s.painted.empty() || !s.edits.empty();
}

void ask_first(Document& document, const std::string& path) {
  document.view.saving.next = Next::open;
  document.view.saving.opens = path;
  document.view.dialog = Dialog::leave;
}

}  // namespace

bool show_picture(Document& document, const std::string& path) {
  const auto run = document.trace ? network_of(document.trace->inputs) : nullptr;
  std::string ending = utf8_from(path_from(path).extension());
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
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
  const bool joins = is_mask_file(path, document.view.kind == ViewKind::mask);
  if (!surely && !joins && has_unsaved_changes(document) && is_own_work(document)) return ask_first(document, path);
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
    return;  // half written: the next change of the file is another try
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
  const bool asked = ask_for_polarity(document, error) || ask_for_layer(document);
  if (pending_ && asked) waiting_ = document.origin.lesson;
  std::exchange(pending_, false) ? take_back_opening(document, error) : show_error(document, error);
  asked ? document.error.clear() : opening_.clear();
}

}  // namespace headlight
