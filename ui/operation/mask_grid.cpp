// The mask of a head, word by word: open where the row's word may look at the column's, hatched where not.
#include <algorithm>
#include <cmath>

#include "ui/look/measure.h"
#include "ui/operation/parts.h"

namespace headlight::operation {

void mask_grid(const Task& task) {
  Pen& pen = task.pen;
  const Look& look = pen.look();
  const float u = task.u();
  const Stage stage = task.stage;
  const MatrixView allowed = numbers_of(task.trace(), task.context().view, stage);
  const Cell cell = cell_of(task.trace(), task.context().view, stage, task.focus);
  const bool hidden = is_guessed(task.context());
  Rect area = task.area;
  const float formula = pen.type.formula * 2.2f;
  area.max.y -= formula;
  const float number = pen.context().fonts.crisp(Face::ui, pen.type.word);

  // Square cells, as large as the rows and the words at their side allow.
  Window rows = window_around(cell.row, allowed.rows, area.height() * 0.86f, number * 1.05f, 110 * u);
  const float names = std::min(row_room(pen, rows, Axis::query), area.width() * 0.22f);
  Window cols = window_around(cell.col, allowed.cols, area.width() - 2 * names, std::min(number * 1.05f, rows.size),
                              pen.context().view.presenting ? 1e6f : 150 * u);
  const float heads = column_room(pen, cols, Axis::key) + 6 * u;
  rows =
      window_around(cell.row, allowed.rows, area.height() - heads, number * 1.05f, std::min(110 * u, cols.size * 1.2f));
  if (!pen.context().view.presenting) cols.size = std::min(cols.size, rows.size * 1.9f);
  const float wide = cols.size * static_cast<float>(cols.count), deep = rows.size * static_cast<float>(rows.count);
  const float x = area.centre().x - (wide - names) / 2,
              y = area.min.y + heads + std::max(0.0f, (area.height() - heads - deep) * 0.3f);
  const Block block = make_block(task.context(), stage, rows, cols, {{x, y}, {x + wide, y + deep}});
  const float gap = std::min({2.5f * u, rows.size * 0.05f, cols.size * 0.05f});
  const float mark = std::clamp(std::min(rows.size, cols.size) * 0.3f, pen.type.word,
                                pen.type.great);  // as large as the cells have room for
  const bool marks = std::min(rows.size, cols.size) >= number * 1.2f;
  // Row by row while it is played, the hatches of a row in as few pieces as it has.
  const float share = task.reveal.share.value_or(1.0f);
  const auto there = [&](Index r) {
    if (hidden) return r != cell.row;
    if (!task.reveal.share) return task.reveal.shown.has(r, 0) || task.reveal.shown.rows > r;
    return static_cast<float>(r - rows.first) < share / 0.8f * static_cast<float>(rows.count);
  };
  for (Index r = rows.first; r < rows.first + rows.count; ++r) {
    const bool lit = r == cell.row;
    for (Index c = cols.first; c < cols.first + cols.count;) {
      const Rect one = block.cell(r, c).grown(-gap);
      if (!there(r) || allowed(r, c) != 0) {
        pen.fill(one, look.card, Corner::cell * u);
        if (there(r)) pen.fill(one, fade(look.after, lit ? 0.34f : 0.16f), Corner::cell * u);
        pen.box(one, lit && there(r) ? look.muted : look.line, std::max(1.0f, u), Corner::cell * u);
        if (there(r) && marks)
          pen.text(TextRole::word, lit ? Face::bold : Face::ui, lit ? pen.strong(mark) : mark, one.centre(),
                   Align::middle, look.ink, "✓");
        if (!there(r) && hidden && c == cell.col)
          pen.text(TextRole::word, Face::bold, pen.bold(pen.type.word), one.centre(), Align::middle, look.ink, "?");
        ++c;
        continue;
      }
      Index end = c;
      while (end < cols.first + cols.count && allowed(r, end) == 0) ++end;
      pen.hatch({one.min, block.cell(r, end - 1).grown(-gap).max});
      c = end;
    }
    for (Index c = cols.first; c < cols.first + cols.count; ++c)
      pen.target(block.cell(r, c), SceneAction::look_at, 0, {cell.stage, cell.batch, cell.head, r, c});
  }
  pen.box(block.row_at(cell.row).grown(2 * u), look.q, std::max(2.0f, 2 * u), Corner::control * u);
  pen.box(block.cell(cell.row, cell.col).grown(2 * u), look.ink, std::max(2.0f, 3 * u), Corner::control * u);
  pen.matter(block.rect);
  name_rows(pen, block, Axis::query, x - 10 * u, names - 14 * u, cell.row, look.q);
  name_columns(pen, block, Axis::key, true, heads, cell.col, look.k);
  // Which of the two is asked: rows look, columns are looked at.
  const Words& words = task.context().words;
  const std::string says = words(hidden                             ? "level.mask_unknown"
                                 : allowed(cell.row, cell.col) != 0 ? "level.mask_may"
                                                                    : "level.mask_may_not");
  const std::vector<Named> names_of{
      {query_word(task.context(), cell.row), look.q, true, NamedLink{SceneAction::query_word, cell.row}},
      {key_word(task.context(), cell.col), look.k, true, NamedLink{SceneAction::key_word, cell.col}}};
  pen.sentence(TextRole::story, says, names_of, {{task.area.min.x, y + deep + 12 * u}, task.area.max}, pen.type.story,
               look.ink, Align::middle);
}

}  // namespace headlight::operation
