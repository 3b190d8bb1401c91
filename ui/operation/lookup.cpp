#include "ui/operation/lookup.h"

#include <algorithm>

#include "ui/look/measure.h"

namespace headlight::operation {
namespace {

float line_of(const Pen& pen) { return pen.type.caption * 1.35f; }

void put_table(const Task& task, const Tables& tables, const std::vector<TableRow>& table, const Rect& at, Index taken,
               const std::string& title, const Window& cols, float most, float names) {
  Pen& pen = task.pen;
  const Look& look = pen.look();
  const float u = task.u(), caption = pen.type.caption;
  pen.text(TextRole::caption, Face::ui, caption, {at.min.x, at.min.y - caption * 0.8f}, Align::left, look.muted,
           elide(pen.context().fonts, Face::ui, caption, title, at.width()));
  float y = at.min.y;
  for (const TableRow& row : table) {
    const bool here = row.number == taken;
    const Rect rect{{at.min.x, y + u}, {at.max.x, y + tables.line - u}};
    put(pen, row_block(task, row.numbers, cols, rect, most), here ? 1.0f : 0.4f);
    if (here) pen.frame(rect.grown(2 * u), look.q);
    const std::string name = name_in_table(row);
    const Face face = here ? Face::bold : Face::ui;
    const float size = here ? pen.bold(caption) : caption;
    pen.text(TextRole::caption, face, size, {at.min.x - 10 * u, rect.centre().y}, Align::right,
             here ? look.q : look.muted, elide(pen.context().fonts, face, size, name, names));
    y += tables.line;
  }
}

}  // namespace

std::string name_in_table(const TableRow& row) {
  return std::to_string(row.number) + (row.word.empty() ? "" : "  " + row.word);
}

Rect Tables::row_of(const std::vector<TableRow>& table, const Rect& at, Index number) const {
  const float y = at.min.y + line * static_cast<float>(table.empty() ? 0 : number - table.front().number);
  return {{at.min.x, y}, {at.max.x, y + line}};
}

float height_of(const Pen& pen, const RowLookup& rows) {
  const std::size_t count = std::max(rows.words.size(), rows.places.size());
  return count == 0 ? 0 : pen.type.caption * 2.2f + line_of(pen) * static_cast<float>(count);
}

Tables lay_out_tables(const Pen& pen, RowLookup rows, Rect room) {
  Tables tables{std::move(rows), {}, {}, line_of(pen)};
  const float top = room.min.y + pen.type.caption * 1.6f, wide = room.width() * (tables.rows.places.empty() ? 1 : 0.5f);
  tables.words = {{room.min.x, top},
                  {room.min.x + wide, top + tables.line * static_cast<float>(tables.rows.words.size())}};
  tables.places = {{room.min.x + room.width() * 0.6f, top},
                   {room.max.x, top + tables.line * static_cast<float>(tables.rows.places.size())}};
  return tables;
}

float largest_of(const RowLookup& rows) {
  float most = 0;
  for (const auto* table : {&rows.words, &rows.places}) {
    for (const TableRow& row : *table) most = std::max(most, largest_of(row.numbers));
  }
  return most;
}

void put_tables(const Task& task, const Tables& tables, const Window& cols, float most, float names,
                const std::string& scale) {
  const RowLookup& rows = tables.rows;
  const Words& words = task.context().words;
  std::string title = std::string(words("level.table_words")) + (scale.empty() ? "" : " · ") + scale;
  if (task.pen.measure(Face::ui, task.pen.type.caption, title).x > tables.words.width())
    title = words("level.table_words_short");
  put_table(task, tables, rows.words, tables.words, rows.token, title, cols, most, names);
  if (!rows.places.empty())
    put_table(task, tables, rows.places, tables.places, rows.place, std::string(words("level.table_places")), cols,
              most, tables.places.min.x - tables.words.max.x - 20 * task.u());
}

Block row_block(const Task& task, const std::vector<float>& numbers, const Window& cols, Rect rect, float most) {
  Block block = make_block(task.context(), task.stage, {0, 1, 0, true}, cols, rect);
  Buffer part;
  for (Index c = cols.first; c < cols.first + cols.count; ++c) part.push_back(numbers[static_cast<std::size_t>(c)]);
  block = with_numbers(block, Tensor({1, cols.count}, std::move(part)));
  block.quad.range = {-most, most};
  block.own = false;
  return block;
}

}  // namespace headlight::operation
