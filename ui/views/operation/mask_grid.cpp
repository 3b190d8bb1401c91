// The mask of a head: a cell is open if the row's word may attend to the column's, else hatched.
#include <algorithm>

#include "core/base/text/in_sentence.h"
#include "ui/base/look/measure.h"
#include "ui/views/operation/parts.h"

namespace headlight::operation {

namespace {

/// In points.
struct MaskSizes {
  static constexpr float widest_gap = 2.5f;  ///< around an open cell
};

/// Cells as large as the rows and their names allow.
struct MaskGrid : TaskPart {
  const MatrixView allowed = numbers_of(trace, view, task.stage);
  const Cell cell = cell_of(trace, view, task.stage, task.focus);
  const bool hidden = is_guessed(context);
  const float number = context.fonts.crisp(Face::ui, pen.type.word);
  IndexRange rows{}, cols{};
  float names = 0, names_above = 0;  ///< room for the names of rows and of columns
  MatrixCut block{};

  void lay_out() {
    const Rect area{task.area.min, {task.area.max.x, task.area.max.y - pen.type.formula * 2.2f}};
    rows = range_around(cell.row, allowed.rows, area.height() * 0.86f, number * 1.05f, MostCell::row * u);
    names = std::min(row_room(pen, rows, Axis::query), area.width() * 0.22f);
    cols = range_around(cell.col, allowed.cols, area.width() - 2 * names, std::min(number * 1.05f, rows.size),
                        presenting ? 1e6f : MostCell::key * u);
    names_above = key_room(pen, cols) + Space::near * u;
    rows = range_around(cell.row, allowed.rows, area.height() - names_above, number * 1.05f,
                        std::min(MostCell::row * u, cols.size * 1.2f));
    if (!presenting) cols.size = std::min(cols.size, rows.size * 1.9f);
    const float wide = cols.extent(), deep = rows.extent();
    const float x = area.centre().x - (wide - names) / 2,
                y = area.min.y + names_above + std::max(0.0f, (area.height() - names_above - deep) * 0.3f);
    block = make_block(context, task.stage, rows, cols, {{x, y}, {x + wide, y + deep}});
  }

  /// Whether a row is shown; they appear one by one during playback.
  bool is_there(Index r) const {
    if (hidden) return r != cell.row;
    if (!task.reveal.share) return task.reveal.shown.has(r, 0) || task.reveal.shown.rows > r;
    return static_cast<float>(r - rows.first) < *task.reveal.share / number_there * static_cast<float>(rows.count);
  }

  void put_open(Index r, Index c, Rect rect) const {
    const bool lit = r == cell.row, there = is_there(r);
    const float size = std::min(rows.size, cols.size),
                mark = std::clamp(size * 0.3f, pen.type.word, pen.type.great);  // as large as fits
    pen.fill(rect, look.card, Corner::cell * u);
    if (there) pen.fill(rect, fade(look.after, lit ? 0.34f : 0.16f), Corner::cell * u);
    pen.box(rect, lit && there ? look.muted : look.line, Stroke::hair(u), Corner::cell * u);
    if (there && size >= number * 1.2f)
      pen.text(TextRole::word, lit ? Face::bold : Face::ui, lit ? pen.strong(mark) : mark, rect.centre(), Align::middle,
               look.ink, "✓");
    if (!there && hidden && c == cell.col)
      pen.label(TextRole::word, true, pen.type.word, rect.centre(), Align::middle, look.ink, "?");
  }

  /// Neighbouring masked cells of a row are hatched in one piece.
  void put_row(Index r) const {
    const float gap = std::min({MaskSizes::widest_gap * u, rows.size * 0.05f, cols.size * 0.05f});
    const auto inside = [&](Index c) { return block.cell(r, c).grown(-gap); };
    for (Index c = cols.first; c < cols.end();) {
      Index end = c + 1;
      if (!is_there(r) || allowed(r, c) != 0) {
        put_open(r, c, inside(c));
      } else {
        while (end < cols.end() && allowed(r, end) == 0) ++end;
        pen.hatch({inside(c).min, inside(end - 1).max});
      }
      c = end;
    }
  }

  /// The names of rows and columns, and whether the query may attend to the key.
  void put_words() const {
    name_rows(pen, block, Axis::query, block.rect.min.x, names, cell.row, look.q);
    name_keys(pen, cols, block.rect, true, names_above, cell.col, look.k);
    const char* key = hidden                             ? "level.mask_unknown"
                      : allowed(cell.row, cell.col) != 0 ? "level.mask_may"
                                                         : "level.mask_may_not";
    const std::vector<Named> values{
        {in_sentence(query_word(context, cell.row)), look.q, true, NamedLink{SceneAction::query_word, cell.row}},
        {in_sentence(key_word(context, cell.col)), look.k, true, NamedLink{SceneAction::key_word, cell.col}}};
    pen.sentence(TextRole::story, say(key), values,
                 {{task.area.min.x, block.rect.max.y + Space::apart * u}, task.area.max}, pen.type.story, look.ink,
                 Align::middle);
  }
};

}  // namespace

void mask_grid(const Task& task) {
  MaskGrid grid{task};
  grid.lay_out();
  for (Index r = grid.rows.first; r < grid.rows.end(); ++r) grid.put_row(r);
  target_cells(task.pen, grid.block);
  const float u = task.u();
  task.pen.box(grid.block.row_at(grid.cell.row).grown(Space::fine * u), grid.look.q, Stroke::chosen(u),
               Corner::control * u);
  task.pen.box(grid.block.cell(grid.cell.row, grid.cell.col).grown(Space::fine * u), grid.look.ink,
               std::max(2.0f, Space::thin * u), Corner::control * u);
  task.pen.add_content(grid.block.rect);
  grid.put_words();
}

}  // namespace headlight::operation
