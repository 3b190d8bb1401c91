#include "ui/document/action.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>

#include "core/scenario/model_layer.h"
#include "ui/document/moment.h"

namespace headlight {
namespace {

constexpr std::size_t undo_limit = 200;

void step(Document& document, std::vector<Past>& from, std::vector<Past>& to) {
  if (from.empty()) return;
  Past past = std::move(from.back());
  from.pop_back();
  Past& here = to.emplace_back(Past{std::exchange(document.scenario, std::move(past.scenario))});
  if (past.origin) here.origin = std::exchange(document.origin, std::move(*past.origin));
  document.gesture.clear();
}

struct Applier {
  Document& document;

  void operator()(const EditScenario& change) const {
    Scenario scenario = document.scenario;
    change.edit(scenario);
    if (scenario == document.scenario) return;
    const bool merges = !change.gesture.empty() && change.gesture == document.gesture && !document.undo.empty();
    if (!merges) {
      document.undo.push_back({document.scenario});
      if (document.undo.size() > undo_limit) document.undo.erase(document.undo.begin());
    }
    document.redo.clear();
    document.gesture = change.gesture;
    document.scenario = std::move(scenario);
    document.error.clear();
  }
  void operator()(const EditView& change) const { change.edit(document.view); }
  void operator()(const Hover& hover) const { document.view.hovered = hover.cell; }
  void operator()(const Pin&) const {
    document.pinned = document.trace;
    document.difference.reset();
  }
  void operator()(const Unpin&) const {
    document.pinned.reset();
    document.difference.reset();
  }
  void operator()(const LayOver& own) const {
    document.own = OwnSource{.path = own.path};
    document.beside.reset();
    document.view.beside.reset();
    document.view.kind = ViewKind::compare;
    document.view.dialog = Dialog::none;
  }
  void operator()(const TakeOff&) const {
    document.own.reset();
    document.beside.reset();
  }
  void operator()(const StopSearch&) const {}
  void operator()(const GoToStep&) const {}
  void operator()(const ResetLessons&) const {}
  void operator()(const SaveStep&) const {}
  void operator()(const SaveAnswers&) const {}
  void operator()(const Undo&) const { step(document, document.undo, document.redo); }
  void operator()(const Redo&) const { step(document, document.redo, document.undo); }
  void operator()(const ShowError& error) const { document.error = error.sentence; }
  void operator()(const DismissMessage&) const { (document.error.empty() ? document.notice : document.error).clear(); }
  void operator()(const CopyText&) const {}
  void operator()(const TakeMatrix&) const {}
  void operator()(const TakeMask&) const {}
  void operator()(const Export&) const {}
  void operator()(const CopyCommand&) const {}
  void operator()(const CopyLink&) const {}
  void operator()(const AskToSave&) const {}
  void operator()(const Save&) const {}
  void operator()(const OpenFile&) const {}
  void operator()(const OpenMask&) const {}
  void operator()(const TakeLayer&) const {}
  void operator()(const Paste&) const {}
  void operator()(const UsePasted&) const {}
  void operator()(const Quit&) const {}
};

bool exists(const Trace& trace, const Cell& cell) {
  const Tensor& tensor = trace[cell.stage];
  if (!tensor.defined()) return false;
  const MatrixView matrix = tensor.matrix();
  const Index batches = tensor.rank() >= 3 ? tensor.size(0) : 1;
  const Index heads = tensor.rank() == 4 ? tensor.size(1) : 1;
  return cell.batch < batches && cell.head < heads && cell.row < matrix.rows && cell.col < matrix.cols;
}

/// A word, not a mark between words.
bool is_word(const std::string& token) {
  constexpr std::string_view marks[] = {"。", "，", "、", "；", "：", "！", "？", "…", "“", "”"};
  if (std::ranges::find(marks, token) != std::end(marks)) return false;
  return std::ranges::any_of(token, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
  });
}

/// In a trained network: the words of which one looks most at another, not at its neighbour, the first word or a mark
/// if that can be had. None where nobody looks at another.
std::optional<Cell> telling_look(const Trace& trace, const View& view) {
  const auto entry = static_cast<std::size_t>(view.batch);
  const TokenNames &asks = trace.inputs.query_tokens, &asked = trace.inputs.key_tokens;
  if (!network_of(trace.inputs) || entry >= asks.size() || entry >= asked.size() || trace.dims().n_q > 512) return {};
  const MatrixView weights = trace[Stage::weights].matrix(view.batch, view.head);
  const bool self = trace.inputs.self_attention();
  std::optional<Cell> best;
  float most = 0.1f;
  for (Index q = 0; q < weights.rows && q < static_cast<Index>(asks[entry].size()); ++q) {
    for (Index k = 0; k < weights.cols && k < static_cast<Index>(asked[entry].size()); ++k) {
      if (self && k == q) continue;
      float worth = weights(q, k);
      if (self && (k == 0 || k + 1 == q)) worth *= 0.5f;
      if (!is_word(asks[entry][static_cast<std::size_t>(q)]) || !is_word(asked[entry][static_cast<std::size_t>(k)]))
        worth *= 0.3f;
      if (worth < most) continue;
      most = worth;
      best = Cell{Stage::weights, view.batch, view.head, q, k};
    }
  }
  return best;
}

/// What is worth a first look: where the last query looks most, at another than itself if it looks at any.
Cell first_look(const Trace& trace, const View& view) {
  const Index q = trace.dims().n_q - 1;
  Cell cell{Stage::weights, view.batch, view.head, q, std::min(q, trace.dims().n_k - 1)};
  const MatrixView weights = trace[Stage::weights].matrix(view.batch, view.head);
  float most = 0;
  for (Index k = 0; k < weights.cols; ++k) {
    if (k == q || !(weights(q, k) > most)) continue;
    cell.col = k;
    most = weights(q, k);
  }
  return cell;
}

}  // namespace

void apply(Document& document, const Action& action) { std::visit(Applier{document}, action); }

void end_gesture(Document& document) { document.gesture.clear(); }

void begin_anew(Document& document, Lesson lesson, Scenario scenario) {
  const bool steps = !(scenario == document.scenario);
  apply(document, EditScenario{[&](Scenario& s) { s = std::move(scenario); }, {}});
  View& view = document.view;  // what was half done belonged to what was open
  view.mask_draft.reset();
  view.mask_painting.from.reset();
  view.mask_painting.to.reset();
  view.menu.reset();
  view.pasted.reset();
  document.own.reset();
  document.beside.reset();
  Origin before = std::exchange(document.origin, {std::move(lesson), document.scenario});
  if (steps) document.undo.back().origin = std::move(before);
}

bool looks_within(const View& view, const Trace& trace) {
  return view.batch < trace.dims().batch && view.head < trace.dims().heads;
}

void look_within(View& view, const Trace& trace) {
  view.batch = std::clamp<Index>(view.batch, 0, trace.dims().batch - 1);
  view.head = std::clamp<Index>(view.head, 0, trace.dims().heads - 1);
}

void show_trace(Document& document, std::shared_ptr<const Trace> trace, Scenario of) {
  document.trace = std::move(trace);
  document.difference.reset();  // it was of another, which may have had other stages
  document.computed = std::move(of);
  View& view = document.view;
  const Dims& dims = document.trace->dims();
  look_within(view, *document.trace);
  std::erase_if(view.heads.heads, [&](Index h) { return h >= dims.heads; });
  if (view.heads.isolated && *view.heads.isolated >= dims.heads) view.heads.isolated.reset();
  if (!document.trace->has(view.heads.stage)) view.heads.stage = Stage::weights;
  if (!view.looked && !view.selected) {
    if (view.step) {
      const int moment = *view.step;
      view = at_moment(std::move(view), *document.trace, Timeline(*document.trace, view.way), moment);
    } else {
      const std::optional<Cell> telling = telling_look(*document.trace, view);
      view.selected = telling ? *telling : first_look(*document.trace, view);
    }
  }
  view.looked = true;
  ExportOptions& exported = view.exporting.options;
  if (!(*document.trace)[exported.stage].defined()) exported.stage = Stage::weights;
  const auto beyond = [&](Index h) { return !exists(*document.trace, {exported.stage, 0, h, 0, 0}); };
  std::erase_if(exported.heads, beyond);
  if (exported.heads.empty()) exported.heads = {0};
  if (!exists(*document.trace, {exported.stage, exported.batch, 0, 0, 0})) exported.batch = 0;
  if (view.selected && !exists(*document.trace, *view.selected)) view.selected.reset();
  if (view.menu && !exists(*document.trace, view.menu->cell)) view.menu.reset();
  if (view.hovered && !exists(*document.trace, *view.hovered)) view.hovered.reset();
}

void take_back_opening(Document& document, const std::string& sentence) {
  if (document.undo.empty() || !document.undo.back().origin) return show_error(document, sentence);
  document.error = sentence;
  document.scenario = std::move(document.undo.back().scenario);
  document.undo.pop_back();
  document.gesture.clear();
}

void show_error(Document& document, const std::string& sentence) {
  document.error = sentence;
  if (!document.trace || document.scenario == document.computed) return;
  document.scenario = document.computed;
  if (!document.undo.empty() && document.undo.back().scenario == document.scenario) document.undo.pop_back();
  document.gesture.clear();
}

}  // namespace headlight
