#include "ui/base/document/action.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/compute/network/network.h"
#include "core/compute/run/contributions.h"
#include "core/models/tokenizer/asked_word.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/settings/settings_rows.h"
#include "ui/base/document/view.h"
#include "ui/base/document/wanted.h"

namespace headlight {
namespace {

constexpr std::size_t undo_limit = 200;

OpenState place_of(const Document& document) { return {document.origin, document.view, document.own}; }

/// Restores what was open. Answers given since then are kept if it is the same lesson.
void go_to_place(Document& document, OpenState place) {
  const Lesson &from = document.origin.lesson, &to = place.origin.lesson;
  const bool same = from.id == to.id && from.course == to.course;
  LessonProgress progress = std::move(place.view.lesson);
  if (same && !to.course.empty()) progress = with_answers_of(std::move(progress), document.view.lesson);
  const bool stays =
      same && from.file == to.file && from.scenario == to.scenario && document.origin.opening == place.origin.opening;
  const Scenario saved =
      stays ? document.origin.saved : place.origin.saved;  // a file that was saved since counts as saved
  document.origin = std::move(place.origin);
  document.origin.saved = saved;
  document.view = looking_at(std::move(document.view), place.view);
  document.view.lesson = std::move(progress);
  document.own = std::move(place.own);
  document.own_compared.reset();
}

/// Undo or redo: restores the last step of `from`, and appends the current state to `to`.
void step(Document& document, std::vector<Past>& from, std::vector<Past>& to) {
  if (from.empty()) return;
  Past past = std::move(from.back());
  from.pop_back();
  Past& here = to.emplace_back(Past{std::exchange(document.scenario, std::move(past.scenario))});
  document.gesture.clear();
  const bool other_words = here.scenario.text != document.scenario.text;
  if (!past.place && other_words) document.view = without_words(std::move(document.view));
  if (!past.place) return;
  here.place = place_of(document);
  go_to_place(document, std::move(*past.place));
}

/// Takes back the newest undo step; there is no redo step for it.
void drop_step(Document& document) {
  Past past = std::move(document.undo.back());
  document.undo.pop_back();
  document.scenario = std::move(past.scenario);
  if (past.place) go_to_place(document, std::move(*past.place));
  document.gesture.clear();
}

void keep_step(Document& document, Past past) {
  document.undo.push_back(std::move(past));
  if (document.undo.size() > undo_limit) document.undo.erase(document.undo.begin());
  document.redo.clear();
  document.gesture.clear();
}

/// A lesson's step can lock all settings except some.
bool is_locked(const Document& document, const Scenario& wanted) {
  const LessonProgress& lesson = document.view.lesson;
  if (!lesson.locked || document.origin.lesson.course.empty()) return false;
  bool locked = false;
  for_each_setting([&](const auto& row) {
    const bool changes = !(wanted.*row.member == document.scenario.*row.member);
    locked = locked || (changes && std::ranges::find(lesson.controls, row.key) == lesson.controls.end());
  });
  return locked || wanted.source != document.scenario.source;
}

void change(Document& document, Scenario scenario, const std::string& gesture) {
  if (scenario == document.scenario) return;
  document.refused = is_locked(document, scenario);
  if (document.refused) return;
  const bool merges = !gesture.empty() && gesture == document.gesture && !document.undo.empty();
  if (!merges) keep_step(document, {document.scenario});
  document.redo.clear();
  document.gesture = gesture;
  const bool other_words = scenario.text != document.scenario.text || scenario.image != document.scenario.image;
  if (other_words) {
    if (!document.before_words) document.before_words = document.view;
    document.view = without_words(std::move(document.view));
  }
  document.scenario = std::move(scenario);
  document.error.clear();
}

struct Applier {
  Document& document;

  void operator()(const EditScenario& edit) const {
    const bool goes_on = !edit.gesture.empty() && edit.gesture == document.gesture && !document.undo.empty();
    Scenario scenario = goes_on && !edit.adds ? document.undo.back().scenario : document.scenario;
    edit.edit(scenario);
    change(document, std::move(scenario), edit.gesture);
  }
  void operator()(const ChangeSource& to) const { change(document, with_source(document, to.source), {}); }
  void operator()(const PatchScenario& patch) const {
    change(document, patched(document.scenario, patch.patch), patch.gesture);
  }
  void operator()(const EditView& change) const {
    if (change.undone) keep_place(document);
    const Visited before = place_shown(document.view);
    const bool played = document.view.playing;
    change.edit(document.view);
    if (played && document.view.playing) return;  // the player went on; Esc returns to where it was started
    document.view = with_trail(std::move(document.view), before);
  }
  void operator()(const SetView& change) const {
    const Visited before = place_shown(document.view);
    document.view = with_trail(with_view_fields(std::move(document.view), change.fields), before);
  }
  void operator()(const Hover& hover) const {
    std::visit([&](const auto& what) { point(what); }, hover.what);
  }
  template <typename T>
  void point(const PointedPart<T>& at) const {
    document.view.pointed.*at.part = at.now;
  }
  void point(const PointedHead& at) const {
    document.view.network.layer = at.layer;
    document.view.network.head = at.head;
  }
  void operator()(const Pin&) const {
    document.pinned = document.trace && document.trace->gradients_of ? document.trace->gradients_of : document.trace;
    document.difference.reset();
  }
  void operator()(const Unpin&) const {
    document.pinned.reset();
    document.difference.reset();
  }
  void operator()(const CompareOwn& own) const {
    document.own = OwnSource{.path = own.path};
    document.own_compared.reset();
    document.view.beside.reset();
    document.view.kind = ViewKind::compare;
    document.view.dialog = Dialog::none;
  }
  void operator()(const StopComparing&) const {
    document.own.reset();
    document.own_compared.reset();
  }
  void operator()(const Undo&) const { step(document, document.undo, document.redo); }
  void operator()(const Redo&) const { step(document, document.redo, document.undo); }
  void operator()(const ShowError& error) const { document.error = error.sentence; }
  void operator()(const DismissMessage&) const {
    document.error.empty() ? document.notice.clear() : document.error.clear();
  }
  void operator()(const auto&) const {}  // handled by the session
};

/// The key that a followed word is shown with: its largest weight on another token, if possible neither its neighbour
/// nor the first word nor a punctuation mark; without words, the largest weight.
Index telling_key(const Trace& trace, const View& view, Index query) {
  const auto entry = static_cast<std::size_t>(view.batch);
  const MatrixView weights = trace[Stage::weights].matrix(view.batch, view.head);
  const bool self = trace.inputs.self_attention();
  const auto& names = trace.inputs.key_tokens;
  const bool named = entry < names.size() && std::ssize(names[entry]) == weights.cols;
  Index best = std::min(query, weights.cols - 1);
  float most = 0;
  for (Index k = 0; k < weights.cols; ++k) {
    if (self && k == query) continue;
    float score = weights(query, k);
    if (named && self && (k == 0 || k + 1 == query)) score *= 0.5f;
    if (named && !is_word(names[entry][static_cast<std::size_t>(k)])) score *= 0.3f;
    if (score <= most) continue;
    most = score;
    best = k;
  }
  return best;
}

/// In a picture, the cell with the largest weight: all of its patches are alike.
std::optional<Cell> strongest_patch(const Trace& trace, const View& view) {
  const auto network = network_of(trace.inputs);
  if (!network || !network->network->spec().picture || trace.dims().n_q > 512) return {};
  const MatrixView weights = trace[Stage::weights].matrix(view.batch, view.head);
  Cell best{Stage::weights, view.batch, view.head, 0, 0};
  float most = 0;
  for (Index q = 0; q < weights.rows; ++q) {
    for (Index k = 0; k < weights.cols; ++k) {
      if (k == q || !(weights(q, k) > most)) continue;
      most = weights(q, k);
      best.row = q;
      best.col = k;
    }
  }
  return best;
}

/// The cell that is selected at first: the asked word's, if possible at another token.
Cell first_look(const Trace& trace, const View& view) {
  if (const auto patch = strongest_patch(trace, view)) return *patch;
  const Index q = query_asked(trace, view);
  return {Stage::weights, view.batch, view.head, q, telling_key(trace, view, q)};
}

/// Computes the contribution norms as soon as they are shown.
void measure(Document& document) {
  if (document.view.measure != HeadMeasure::weight && document.trace && can_be_measured(*document.trace))
    document.trace = with_contributions(document.trace);
}

}  // namespace

bool can_be_measured(const Trace& trace) {
  return !trace.gradients_of && can_contribute(trace) && trace[Stage::weights].count() <= most_measured;
}

void apply(Document& document, const Action& action) {
  std::visit(Applier{document}, action);
  measure(document);
}

void end_gesture(Document& document) { document.gesture.clear(); }

void keep_place(Document& document) { keep_step(document, {document.scenario, place_of(document)}); }

void begin_anew(Document& document, Lesson lesson, Scenario scenario) {
  const Lesson& open = document.origin.lesson;
  const bool again = scenario == document.scenario && lesson.id == open.id && lesson.file == open.file &&
                     open.course.empty() && lesson.course.empty();
  if (!again) keep_place(document);
  document.scenario = std::move(scenario);
  document.error.clear();
  View& view = document.view;  // unfinished input belonged to the previous document
  view.mask_draft.reset();
  view.mask_painting.from.reset();
  view.mask_painting.to.reset();
  view.menu.reset();
  view.trail.clear();
  view.pasted.reset();
  view.lesson = {};
  document.own.reset();
  document.own_compared.reset();
  document.origin = {std::move(lesson), document.scenario, document.origin.opening + 1};
}

void take_over(Document& document, Document other) {
  const bool to_lose = !(document.scenario == document.origin.saved) || !document.undo.empty();
  // If the previous document has unsaved work, the first undo returns to it; otherwise the undo steps of `other` come
  // first.
  std::vector<Past> undo = std::exchange(document.undo, {}), others = std::exchange(other.undo, {});
  Past open{document.scenario, place_of(document)};
  if (to_lose) {
    if (!others.empty()) others.back().place = place_of(other);
    undo.insert(undo.begin(), others.begin(), others.end());
    undo.push_back(std::move(open));
  } else {
    undo.push_back(std::move(open));
    undo.insert(undo.end(), others.begin(), others.end());
  }
  const std::size_t beyond = undo.size() - std::min(undo.size(), undo_limit);
  undo.erase(undo.begin(), undo.begin() + static_cast<std::ptrdiff_t>(beyond));
  document.undo = std::move(undo);
  document.redo = std::move(other.redo);
  document.gesture.clear();
  document.scenario = std::move(other.scenario);
  document.view = with_view_fields(std::move(document.view), view_fields(other.view, document.view));
  document.view.lesson = std::move(other.view.lesson);
  document.view.dialog = Dialog::none;
  other.origin.opening = document.origin.opening + 1;
  document.origin = std::move(other.origin);
  document.own = std::move(other.own);
  document.own_compared.reset();
  document.error.clear();
}

bool selects_within(const View& view, const Trace& trace) {
  const Index heads = trace.dims().heads;
  return view.batch < trace.dims().batch && view.head < heads && trace.has(view.heads.stage) &&
         view.heads.isolated.value_or(0) < heads && (view.heads.heads.empty() || view.heads.heads.back() < heads);
}

void select_within(View& view, const Trace& trace) {
  view.batch = std::clamp<Index>(view.batch, 0, trace.dims().batch - 1);
  view.head = std::clamp<Index>(view.head, 0, trace.dims().heads - 1);
}

void show_trace(Document& document, std::shared_ptr<const Trace> trace, Scenario of) {
  document.trace = std::move(trace);
  document.difference.reset();  // it belonged to another trace, which may have had other stages
  document.computed = std::move(of);
  View& view = document.view;
  if (view.menu && !document.trace->has(view.menu->cell)) view.menu.reset();
  if (view.pointed.cell && !document.trace->has(*view.pointed.cell)) view.pointed.cell.reset();
  ExportOptions& exported = view.exporting.options;
  if (!(*document.trace)[exported.stage].defined()) exported.stage = Stage::weights;
  const auto beyond = [&](Index h) { return !document.trace->has(Cell{exported.stage, 0, h, 0, 0}); };
  std::erase_if(exported.heads, beyond);
  if (exported.heads.empty()) exported.heads = {0};
  if (!document.trace->has(Cell{exported.stage, exported.batch, 0, 0, 0})) exported.batch = 0;
  measure(document);
  if (!is_current(document)) return;  // the view refers to a trace that is not computed yet
  document.before_words.reset();
  const Dims& dims = document.trace->dims();
  select_within(view, *document.trace);
  std::erase_if(view.heads.heads, [&](Index h) { return h >= dims.heads; });
  if (view.heads.isolated && *view.heads.isolated >= dims.heads) view.heads.isolated.reset();
  if (!document.trace->has(view.heads.stage)) view.heads.stage = Stage::weights;
  if (!view.looked && !view.selected) {
    if (view.step) {
      const int moment = *view.step;
      view = at_moment(std::move(view), *document.trace, Timeline(*document.trace, view.way), moment);
    } else {
      view.selected = first_look(*document.trace, view);
    }
  }
  view.looked = true;
  if (view.selected && !document.trace->has(*view.selected)) view.selected.reset();
  for (Visited& place : view.trail) {
    if (place.selected && !document.trace->has(*place.selected)) place.selected.reset();
  }
}

void take_back_opening(Document& document, const Message& message) {
  if (document.undo.empty() || !document.undo.back().place) return show_error(document, message);
  document.error = message;
  drop_step(document);
}

void show_error(Document& document, const Message& message) {
  document.error = message;
  if (!document.trace || document.scenario == document.computed) return;
  document.scenario = document.computed;
  if (document.before_words) document.view = with_words_of(std::move(document.view), *document.before_words);
  document.before_words.reset();
  if (!document.undo.empty() && document.undo.back().scenario == document.scenario) drop_step(document);
}

Stage compared_stage(const Compared& compared, const View& view) {
  const auto& stages = compared.comparison.stages;
  const auto has = [&](Stage stage) {
    return std::ranges::any_of(stages, [&](const StageComparison& s) { return s.stage == stage && s.own != nullptr; });
  };
  if (view.beside && has(*view.beside)) return *view.beside;
  if (const StageComparison* first = compared.comparison.first_difference()) return first->stage;
  if (const auto& assumed = compared.comparison.assumed; assumed && has(assumed->seen_in)) return assumed->seen_in;
  const auto last =
      std::find_if(stages.rbegin(), stages.rend(), [](const StageComparison& s) { return s.own != nullptr; });
  return last != stages.rend() ? last->stage : Stage::output;
}

View with_compared_stage(View view, const Compared& compared, Stage stage) {
  view.beside = stage;
  const auto found = std::ranges::find(compared.comparison.stages, stage, &StageComparison::stage);
  if (found == compared.comparison.stages.end() || !found->differs() || !found->agreement) return view;
  const std::vector<Index>& at = found->agreement->at;
  if (at.size() >= 3) view.batch = at.front();
  if (at.size() == 4) {
    const Dims& dims = compared.trace->dims();
    view.head = is_per_kv_head(stage) ? std::min(at[1] * dims.groups(), dims.heads - 1) : at[1];
  }
  return view;
}

void show_compared(Document& document, std::shared_ptr<const Compared> compared) {
  const bool first = !document.own_compared;
  document.own_compared = std::move(compared);
  if (!document.own_compared->error.empty()) {
    document.error = document.own_compared->error;
    document.own.reset();
    document.own_compared.reset();
    return;
  }
  if (first && !document.view.beside && document.own && document.own->mistake.empty()) {
    document.view = with_compared_stage(document.view, *document.own_compared,
                                        compared_stage(*document.own_compared, document.view));
    document.view.beside.reset();  // unset: follows the result of the comparison
  }
}

}  // namespace headlight
