// A stage and its gradient beside each other: where the loss would change most if a number changed.
#include <algorithm>

#include "core/base/text/in_sentence.h"
#include "core/base/text/number_text.h"
#include "ui/base/look/measure.h"
#include "ui/views/operation/parts.h"

namespace headlight {

using namespace operation;

namespace {

/// The place of the chosen cell in words: "e → c" among words, else "e, 3".
std::string place_in_words(const SceneContext& context, const Cell& cell) {
  const auto of = [&](Axis axis, Index at) {
    if (axis != Axis::query && axis != Axis::key) return std::to_string(at);
    return in_sentence(axis == Axis::query ? query_word(context, at) : key_word(context, at));
  };
  const StageInfo& about = info(cell.stage);
  return of(about.rows, cell.row) + (about.cols == Axis::key ? " → " : ", ") + of(about.cols, cell.col);
}

/// In points.
struct GradientSizes {
  static constexpr float largest_cell = 74, between_matrices = 40;
};

/// One of the two matrices: its title, the names of its rows and keys, its numbers and the chosen cell.
struct MatrixBeside : ScenePart {
  Stage stage{};
  Cell cell;
  Rect room;
  std::string title;

  void put() const {
    const MatrixView numbers = numbers_of(trace, view, stage);
    const StageInfo& about = info(stage);
    const Rect head = pen.text(TextRole::caption, Face::bold, pen.type.word, {room.min.x, room.min.y + pen.type.word},
                               Align::left, look.lane(stage), title, room.width());
    const Rect below{{room.min.x, head.max.y + Space::pad * u}, {room.max.x, room.max.y - 2.4f * pen.type.caption}};
    const float line = pen.type.caption * 1.1f;
    IndexRange rows = range_around(cell.row, numbers.rows, below.height(), line, GradientSizes::largest_cell * u);
    const float names = std::min(row_room(pen, rows, about.rows), 0.3f * below.width());
    IndexRange cols =
        range_around(cell.col, numbers.cols, below.width() - names, Space::thin * u, GradientSizes::largest_cell * u);
    const float above = about.cols == Axis::key ? key_room(pen, cols) + Space::near * u : 0;
    rows = range_around(cell.row, numbers.rows, below.height() - above, line, GradientSizes::largest_cell * u);
    const ImVec2 from{below.min.x + names, below.min.y + above};
    const MatrixCut block =
        make_block(context, stage, rows, cols, {from, {from.x + cols.extent(), from.y + rows.extent()}});
    operation::put(pen, block);
    MatrixNumbers figures(numbers);
    if (const float pixels = fitting(pen, block, figures, pen.type.number); pixels > 0)
      write(pen, block, figures, pixels, [](Index, Index) { return true; });
    name_rows(pen, block, about.rows, block.rect.min.x, names, cell.row, look.q);
    if (about.cols == Axis::key) name_keys(pen, cols, block.rect, true, above, cell.col, look.k);
    pen.box(block.cell(cell.row, cell.col).grown(u), look.ink, Stroke::chosen(u), Corner::cell * u);
    target_cells(pen, block);
    pen.add_content(block.rect);
    const float most = std::max(std::abs(block.quad.range.lo), std::abs(block.quad.range.hi));
    const std::string scale =
        context.words.fill("gradient.scale", {MatrixNumbers(std::span(&block.quad.range.lo, 1))(block.quad.range.lo),
                                              MatrixNumbers(std::span(&most, 1))(block.quad.range.hi)});
    pen.caption({block.rect.min.x, block.rect.max.y + 1.2f * pen.type.caption}, Align::left, scale);
  }
};

}  // namespace

Cell cell_of_gradient(const Trace& gradients, const View& view, Stage stage) {
  return cell_of(gradients, view, stage, focus_of(*gradients.gradients_of, view));
}

Scene make_gradients(const SceneContext& context, Stage stage, Rect place) {
  const Trace& gradients = context.trace;
  Scene scene;
  Pen pen(context, scene);
  const float u = context.u;
  Rect area = scene_area(context, place);
  const Cell cell = cell_of_gradient(gradients, context.view, stage);
  const float slope = value_at(gradients, cell);
  const std::vector<Named> values{
      {gradients.name_of(stage), context.look.lane(stage)},
      {place_in_words(context, cell), context.look.ink},
      {with_minus(formatted("%.3g", static_cast<double>(slope))), slope < 0 ? context.look.q : context.look.warning},
      {context.words.translate(gradients.loss), context.look.muted, false}};
  const char* const story = slope > 0 ? "gradient.grows" : slope < 0 ? "gradient.falls" : "gradient.stays";
  put_title_and_story(pen, area, context.words("gradient.title"), context.words(story), values, Space::part * u);
  const float apart = GradientSizes::between_matrices * u, half = (area.width() - apart) / 2;
  const SceneContext of_numbers{*gradients.gradients_of, context.view, context.look,  context.fonts,
                                context.words,           context.u,    context.window};
  Pen before(of_numbers, scene);
  MatrixBeside{before, stage, cell, {area.min, {area.min.x + half, area.max.y}}, std::string(name(stage))}.put();
  MatrixBeside{pen, stage, cell, {{area.max.x - half, area.min.y}, area.max}, gradients.name_of(stage)}.put();
  return scene;
}

}  // namespace headlight
