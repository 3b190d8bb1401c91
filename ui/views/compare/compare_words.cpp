// The texts of the compare view: about the settings, all stages, and one stage.
#include "core/compute/run/difference.h"
#include "core/scenario/documents/scenario_json.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/views/compare/compare_picture.h"

namespace headlight {
namespace {

using Kind = StageDifference::Kind;

/// "batch entry 1, ", if there are several.
std::string entry_words(const Frame& frame, Stage stage, Index batch) {
  const Tensor& whole = (*frame.trace())[stage];
  if (whole.rank() < 3 || whole.size(0) < 2) return {};
  return frame.words.fill("compare.entry", {batch});
}

std::string place_words(const Frame& frame, const Cell& cell) {
  const Trace& trace = *frame.trace();
  const StageInfo& about = info(cell.stage);
  const std::string row = placed_label(trace, about.rows, cell.batch, cell.row);
  const std::string col = placed_label(trace, about.cols, cell.batch, cell.col);
  const std::string entry = entry_words(frame, cell.stage, cell.batch);
  if (!has_head_axis(cell.stage)) return entry + frame.words.fill("compare.place", {row, col});
  return entry + frame.words.fill("compare.place_head", {cell.head, row, col});
}

std::string summary_words(const Frame& frame) {
  const Difference& difference = *frame.document.difference;
  const StageDifference* first = difference.first();
  if (!first) return frame.words("compare.nothing");
  std::string words = frame.words.fill("compare.first", {std::string(name(first->stage))});
  const StageDifference* output = difference.find(Stage::output);
  if (output && output->kind == Kind::same) words += " " + std::string(frame.words("compare.output_same"));
  if (output && output->kind == Kind::differs)
    words +=
        " " + frame.words.fill("compare.output", {number_text(output->largest, 4), place_words(frame, output->at)});
  return words;
}

}  // namespace

std::string changes_words(const Frame& frame) {
  const auto changes = scenario_changes(frame.document.pinned->scenario, frame.document.trace->scenario);
  if (changes.empty()) return frame.words("compare.same_settings");
  std::string words;
  const auto side = [&](const std::string& text) { return text.empty() ? frame.words("compare.default") : text; };
  for (const ScenarioChange& change : changes) {
    words += (words.empty() ? "" : "   ") + change.field + ": " + side(change.from) + " → " + side(change.to);
  }
  return words;
}

std::vector<std::string> summary_lines(const Frame& frame, float width) {
  return paragraph_lines(frame.fonts, Face::ui, TypeSize::body * frame.u, summary_words(frame), width);
}

std::string unchanged_words(const Frame& frame) {
  std::string unchanged;
  for (const StageDifference& stage : frame.document.difference->stages) {
    if (stage.kind == Kind::same) unchanged += (unchanged.empty() ? "" : ", ") + std::string(name(stage.stage));
  }
  return unchanged;
}

std::string largest_words(const Frame& frame, const StageDifference& stage) {
  switch (stage.kind) {
    case Kind::same: return frame.words("compare.same");
    case Kind::other_shape: return frame.words("compare.other_shape");
    case Kind::only_a: return frame.words("compare.only_a");
    case Kind::only_b: return frame.words("compare.only_b");
    case Kind::differs: break;
  }
  return stage.largest > 0 ? "±" + number_text(stage.largest, 3) : frame.words("compare.infinite");
}

std::string difference_words(const Frame& frame, const StageDifference& stage) {
  if (stage.kind == Kind::other_shape) {
    return frame.words.fill("compare.shapes", {to_string((*frame.document.pinned)[stage.stage].shape()),
                                               to_string((*frame.trace())[stage.stage].shape())});
  }
  if (stage.kind != Kind::differs) return largest_words(frame, stage);
  const std::string count = std::to_string(stage.changed);
  const std::string all = std::to_string(stage.values.count());
  if (stage.largest == 0)
    return frame.words.fill("compare.changed_infinite", {count, all, place_words(frame, stage.at)});
  const Document& document = frame.document;
  const auto at = [&](const Trace& trace) {
    return number_text(trace[stage.stage].matrix(stage.at.batch, stage.at.head)(stage.at.row, stage.at.col), 4);
  };
  return frame.words.fill("compare.changed",
                          {count, all, place_words(frame, stage.at), at(*document.pinned), at(*document.trace)});
}

std::string slice_title(const Frame& frame, Stage stage, const Slice& slice) {
  if (slice.batch == frame.view().batch && slice.head == frame.view().head) return frame.words("compare.b_minus_a");
  const std::string entry = entry_words(frame, stage, slice.batch);
  if (!has_head_axis(stage)) return frame.words.fill("compare.slice_no_head", {entry});
  return frame.words.fill("compare.slice", {entry, slice.head / heads_per(*frame.trace(), stage)});
}

}  // namespace headlight
