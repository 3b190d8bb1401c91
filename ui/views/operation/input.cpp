// The inputs: each word is a row of numbers. In a network, the rows whose sum is the followed row are above them.
#include <algorithm>
#include <cmath>

#include "core/compute/network/row_parts.h"
#include "core/scenario/inputs/inputs.h"
#include "core/teaching/explain/explain.h"
#include "ui/base/look/measure.h"
#include "ui/views/operation/parts.h"

namespace headlight::operation {

std::optional<RowParts> parts_of_row(const SceneContext& context, Stage stage, Index row) {
  const Trace& trace = context.trace;
  const auto run = network_of(trace.inputs);
  if (!run || !is_input(stage) || !trace.inputs.self_attention() || !trace.scenario.edits.empty()) return {};
  return row_parts(*run, run->network->layer_or_first(trace.scenario.layer), context.view.batch, row);
}

bool is_added_to_row(const Trace& trace) { return network_of(trace.inputs) != nullptr; }

std::optional<Addition> addition_at(const SceneContext& context, const Cell& output) {
  const Trace& trace = context.trace;
  const auto run = network_of(trace.inputs);
  if (!run) return {};
  const LayerRun& layer = run->layers[static_cast<std::size_t>(run->network->layer_or_first(trace.scenario.layer))];
  if (!layer.residual.defined() || !layer.added.defined()) return {};
  const MatrixView before = layer.residual.matrix(output.batch), added = layer.added.matrix(output.batch);
  if (output.row >= std::min(before.rows, added.rows) || output.col >= std::min(before.cols, added.cols)) return {};
  const auto value = static_cast<double>(value_at(trace, output));
  const auto adds = static_cast<double>(added(output.row, output.col));
  if (!(std::abs(adds - value) <= 1e-4 * (1 + std::abs(value)))) return {};
  return Addition{static_cast<double>(before(output.row, output.col)), adds};
}

namespace {

/// The tables of token and position embeddings: the rows that are taken from them, with their neighbours.
struct Tables {
  RowLookup rows;
  Rect words, places;  ///< of the tables' rows
  float line = 0;      ///< height of a row
  Rect taken_word() const { return row_of(rows.words, words, rows.token); }
  Rect taken_place() const { return row_of(rows.places, places, rows.place); }

 private:
  Rect row_of(const std::vector<TableRow>& table, const Rect& at, Index number) const {
    const float y = at.min.y + line * static_cast<float>(table.empty() ? 0 : number - table.front().number);
    return {{at.min.x, y}, {at.max.x, y + line}};
  }
};

float table_line(const Pen& pen) { return pen.type.caption * 1.35f; }

/// 0 if there are no rows.
float height_of(const Pen& pen, const RowLookup& rows) {
  const std::size_t count = std::max(rows.words.size(), rows.places.size());
  return count == 0 ? 0 : pen.type.caption * 2.2f + table_line(pen) * static_cast<float>(count);
}

/// Both tables side by side at the top of `room`.
Tables lay_out_tables(const Pen& pen, RowLookup rows, Rect room) {
  Tables tables{std::move(rows), {}, {}, table_line(pen)};
  const float top = room.min.y + pen.type.caption * 1.6f, wide = room.width() * (tables.rows.places.empty() ? 1 : 0.5f);
  tables.words = {{room.min.x, top},
                  {room.min.x + wide, top + tables.line * static_cast<float>(tables.rows.words.size())}};
  tables.places = {{room.min.x + room.width() * 0.6f, top},
                   {room.max.x, top + tables.line * static_cast<float>(tables.rows.places.size())}};
  return tables;
}

/// The largest magnitude in the tables' rows.
float largest_in(const RowLookup& rows) {
  float most = 0;
  for (const auto* table : {&rows.words, &rows.places}) {
    for (const TableRow& row : *table) most = std::max(most, largest_of(row.numbers));
  }
  return most;
}

/// "1617  girl"
std::string name_in_table(const TableRow& row) {
  return std::to_string(row.number) + (row.word.empty() ? "" : "  " + row.word);
}

/// One row of numbers in the columns `cols`, −`most` to `most` in colours.
MatrixCut row_block(const Task& task, const std::vector<float>& numbers, const IndexRange& cols, Rect rect,
                    float most) {
  MatrixCut block = make_block(task.context(), task.stage, {0, 1, 0, true}, cols, rect);
  Buffer part;
  for (Index c = cols.first; c < cols.end(); ++c) part.push_back(numbers[static_cast<std::size_t>(c)]);
  block = with_numbers(block, Tensor({1, cols.count}, std::move(part)));
  block.quad.range = {-most, most};
  block.own = false;
  return block;
}

void put_table(const Task& task, const Tables& tables, const std::vector<TableRow>& table, const Rect& at, Index taken,
               const std::string& title, const IndexRange& cols, float most, float names) {
  Pen& pen = task.pen;
  const Look& look = pen.look();
  const float u = task.u(), caption = pen.type.caption;
  pen.caption({at.min.x, at.min.y - caption * 0.8f}, Align::left, title, {}, at.width());
  float y = at.min.y;
  for (const TableRow& row : table) {
    const bool here = row.number == taken;
    const Rect rect{{at.min.x, y + u}, {at.max.x, y + tables.line - u}};
    put(pen, row_block(task, row.numbers, cols, rect, most), here ? 1.0f : 0.4f);
    if (here) pen.frame(rect.grown(Space::fine * u), look.q);
    const std::string name = name_in_table(row);
    pen.label(TextRole::caption, here, caption, {at.min.x - Space::pad * u, rect.centre().y}, Align::right,
              here ? look.q : look.muted, name, names);
    y += tables.line;
  }
}

/// `names`: width of the names at the left; `scale`: the colour scale in words, "" if the rows below have the same.
void put_tables(const Task& task, const Tables& tables, const IndexRange& cols, float most, float names,
                const std::string& scale) {
  const RowLookup& rows = tables.rows;
  const Words& words = task.context().words;
  std::string title = std::string(words("level.table_words")) + (scale.empty() ? "" : " · ") + scale;
  if (task.pen.measure(Face::ui, task.pen.type.caption, title).x > tables.words.width())
    title = words("level.table_words_short");
  put_table(task, tables, rows.words, tables.words, rows.token, title, cols, most, names);
  if (!rows.places.empty())
    put_table(task, tables, rows.places, tables.places, rows.place, std::string(words("level.table_places")), cols,
              most, tables.places.min.x - tables.words.max.x - Space::wide * task.u());
}

/// In points.
struct InputSizes {
  static constexpr float highest_line = 72;                       ///< of the sum
  static constexpr float highest_row = 104, widest_column = 110;  ///< of the matrix
};

// Moments as shares of the stage's time: the sum is complete; all rows are complete; the first row leaves its table; in
// a low window, the sum has moved up and the matrix begins.
constexpr float sum_comes = 0.62f, all_there = 0.9f;
constexpr float taken_from = 0.1f;
constexpr float sum_is_up = 0.68f;

/// A row of numbers above the matrix, with its name at the left.
struct Line {
  std::string name;
  const std::vector<float>* numbers = nullptr;
  ImU32 colour = 0;
  float begins = 0, ends = 0;  ///< shares of the stage's time in which it appears
};

/// What each layer before has added to the row, in order, if that is known of each and there are few; else none.
std::vector<std::vector<float>> earlier_layers(const SceneContext& context, const RowParts& parts, Index row) {
  constexpr Index most_layers = 3;
  const auto run = network_of(context.trace.inputs);
  const Index layer = run->network->layer_or_first(context.trace.scenario.layer);
  if (parts.earlier.empty() || layer < 1 || layer > most_layers) return {};
  std::vector<std::vector<float>> added;
  for (Index l = 0; l < layer; ++l) {
    const NetworkLayer& at = run->network->layer(l);
    const auto i = static_cast<std::size_t>(l);
    const Tensor &before = run->layers[i].residual, &after = run->layers[i + 1].residual;
    if (at.cross || at.stack != run->network->layer(layer).stack || !before.defined() || !after.defined()) return {};
    std::vector<float> sum = row_numbers(after.matrix(context.view.batch), row);
    const std::vector<float> from = row_numbers(before.matrix(context.view.batch), row);
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] -= from[c];
    added.push_back(std::move(sum));
  }
  return added;
}

std::vector<Line> lines_of(const SceneContext& context, const RowParts& parts,
                           const std::vector<std::vector<float>>& layers, Index row) {
  const Words& words = context.words;
  std::vector<Line> lines{{query_word(context, row), &parts.word, context.look.q}};
  if (!parts.place.empty())
    lines.push_back({"+ " + words.fill("level.row_place", {row}), &parts.place, context.look.ink});
  for (std::size_t l = 0; l < layers.size(); ++l)
    lines.push_back({"+ " + words.fill("level.row_layer", {l}), &layers[l], context.look.ink});
  if (!parts.earlier.empty() && layers.empty())
    lines.push_back({"+ " + std::string(words("level.row_earlier")), &parts.earlier, context.look.ink});
  lines.push_back({"= " + std::string(words("level.row_together")), &parts.enters, context.look.ink});
  const float each = (sum_comes - taken_from) / static_cast<float>(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].begins = taken_from + each * static_cast<float>(i);
    lines[i].ends = lines[i].begins + each;
  }
  return lines;
}

/// Whether the matrix has another row than the residual stream, because a norm lies between.
bool is_normed(const MatrixView& numbers, Index row, const std::vector<float>& enters) {
  for (Index c = 0; c < numbers.cols; ++c) {
    const float entered = enters[static_cast<std::size_t>(c)];
    if (!(std::abs(numbers(row, c) - entered) <= 1e-5f * std::max(std::abs(entered), 1.0f))) return true;
  }
  return false;
}

/// The upper ends of the colours. If earlier layers have added much larger numbers than the tables have, the tables'
/// rows have their own scale.
struct LineScales {
  float tables = 1e-20f, sums = 1e-20f;
  bool differ() const { return tables < sums; }
};

LineScales scales_of(const std::vector<Line>& lines, const RowParts& parts, const Tables* tables) {
  constexpr float pale = 0.25f;  // share of the colours below which the tables' rows would hardly be visible
  LineScales scales;
  for (const Line& line : lines) scales.sums = std::max(scales.sums, largest_of(*line.numbers));
  scales.tables = std::max({scales.tables, largest_of(parts.word), parts.place.empty() ? 0 : largest_of(parts.place),
                            tables ? largest_in(tables->rows) : 0});
  if (scales.tables > pale * scales.sums) scales.tables = scales.sums = std::max(scales.tables, scales.sums);
  return scales;
}

/// The lines, one below the other, aligned with the matrix's columns, all with the same number of decimals.
void put_lines(const Task& task, const std::vector<Line>& lines, const RowParts& parts, const Tables* tables,
               const IndexRange& cols, Rect place, float pitch, float names) {
  Pen& pen = task.pen;
  const float u = task.u();
  const LineScales scales = scales_of(lines, parts, tables);
  std::vector<float> shown;
  for (const Line& line : lines) {
    for (Index c = cols.first; c < cols.end(); ++c) shown.push_back((*line.numbers)[static_cast<std::size_t>(c)]);
  }
  MatrixNumbers figures(shown);
  const auto scale_text = [&](float most) {
    return task.context().words.fill("level.colours_to", {printed(static_cast<double>(most)).text});
  };
  if (tables)
    put_tables(task, *tables, cols, scales.tables, names, scales.differ() ? scale_text(scales.tables) : std::string());
  std::vector<std::pair<const std::vector<float>*, Rect>> flying;
  float y = place.min.y;
  for (const Line& line : lines) {
    const Rect rect{{place.min.x, y}, {place.max.x, y + pitch - Space::tight * u}};
    const bool of_table = line.numbers == &parts.word || line.numbers == &parts.place;
    const MatrixCut block = row_block(task, *line.numbers, cols, rect, of_table ? scales.tables : scales.sums);
    const float done = part_done(task.reveal.share.value_or(1.0f), line.begins, line.ends);
    if (done < 1) put_ghost(pen, block);
    // The rows of the token and the position move out of their tables; the others appear from the left.
    const bool is_place = tables && !tables->rows.places.empty() && &line == &lines[1];
    const bool flies = tables && done < 1 && (is_place || &line == &lines[0]);
    if (flies && done > 0)
      flying.push_back(
          {line.numbers, mixed(is_place ? tables->taken_place() : tables->taken_word(), rect, eased(done))});
    else if (done > 0) put(pen, block, 1, {rect.min, {rect.min.x + rect.width() * done, rect.max.y}});
    const float pixels = fitting(pen, block, figures, largest_type(pen, block, figures));
    write(pen, block, figures, pixels, [&](Index, Index c) {
      return !flies && static_cast<float>(c - cols.first + 1) <= done * static_cast<float>(cols.count);
    });
    const bool word = &line == &lines.front();
    pen.label(TextRole::caption, word, pen.type.caption, {place.min.x - Space::pad * u, rect.centre().y}, Align::right,
              word ? line.colour : pen.look().muted, line.name, names);
    pen.add_content(block.rect);
    y += pitch;
  }
  for (const auto& [numbers, rect] : flying) {
    put(pen, row_block(task, *numbers, cols, rect, scales.tables));
    pen.frame(rect.grown(Space::fine * u), pen.look().q);
  }
}

/// The matrix with the followed row bright and framed. During playback that row appears first, as it is the one that is
/// told about, then the others from the top.
void put_rows(const Task& task, const IndexRange& cols, const MatrixCut& block, Index followed, float share) {
  Pen& pen = task.pen;
  const float u = task.u();
  const float part_made = std::clamp(2 * share, 0.0f, 1.0f), others = std::clamp(2 * share - 1, 0.0f, 1.0f);
  const Rect row = block.row_at(followed);
  if (others < 1) put_ghost(pen, block);
  if (const float deep = block.rect.height() * others; deep > 0)
    put(pen, block, 0.35f, {block.rect.min, {block.rect.max.x, block.rect.min.y + deep}});
  if (part_made > 0) put(pen, block, 1, {row.min, {row.min.x + row.width() * part_made, row.max.y}});
  pen.add_content(block.rect);
  MatrixNumbers figures(numbers_of(task.trace(), task.context().view, task.stage));
  const float pixels = fitting(pen, block, figures, largest_type(pen, block, figures));
  write(pen, block, figures, pixels, [&](Index r, Index c) {
    return r == followed && static_cast<float>(c - cols.first + 1) <= part_made * static_cast<float>(cols.count);
  });
  pen.frame(row.grown(Space::fine * u), pen.look().ink);
}

/// The rows of both tables, with as many neighbours as fit.
RowLookup lookup_in(const Task& task, Index row, float room) {
  const auto run = network_of(task.trace().inputs);
  const Index layer = run->network->layer_or_first(task.trace().scenario.layer);
  for (const Index around : {2, 1}) {
    RowLookup found = row_lookup(*run, layer, task.context().view.batch, row, around);
    if (height_of(task.pen, found) <= room) return found;
  }
  return {};
}

/// The matrix of the words' rows. Above it are the rows whose sum is the followed word's row. In a low window the parts
/// of the sum are shown first; then the sum moves up and makes room for the matrix.
struct InputPicture : TaskPart {
  const float caption = pen.type.caption * 2;
  const Cell cell = cell_of(trace, view, task.stage, task.focus);
  const MatrixView numbers = numbers_of(trace, view, task.stage);
  const float number = context.fonts.crisp(Face::mono, pen.type.number);
  const Axis axis = info(task.stage).rows;
  Rect area = task.area;
  const std::optional<RowParts> parts = parts_of_row(context, task.stage, cell.row);
  const float share = task.reveal.share.value_or(1.0f);
  /// The way through the layers before, a line for each.
  const std::vector<std::vector<float>> layers =
      parts ? earlier_layers(context, *parts, cell.row) : std::vector<std::vector<float>>();
  std::vector<Line> lines = parts ? lines_of(context, *parts, layers, cell.row) : std::vector<Line>();
  const float pitch = std::clamp(area.height() * 0.085f, number * 1.5f + Space::tight * u, u* InputSizes::highest_line);
  const float between = pen.type.caption * 2.2f;  ///< from the sum to the matrix
  float summed = static_cast<float>(lines.size()) * pitch + between;
  const bool half =
      parts && summed <= area.height() * 0.5f;  ///< the sum leaves at least half of the height to the matrix
  RowLookup found = half ? looked_up(0.64f) : RowLookup{};
  const bool low = parts && found.words.empty() && !(found = looked_up(1)).words.empty();
  const bool sum = half || low;
  float over = height_of(pen, found);
  IndexRange rows =
      range_around(cell.row, numbers.rows, area.height() - 2 * caption, number * 1.5f, u* InputSizes::highest_row);
  const float names = names_room();
  IndexRange cols{};
  float x = 0, wide = 0;  ///< of the matrix

  /// The tables' rows that fit, with the sum, in this share of the height.
  RowLookup looked_up(float room) const { return lookup_in(task, cell.row, area.height() * room - summed); }

  float names_room() const {
    const float bold = pen.bold(pen.type.caption);
    float room = row_room(pen, rows, axis);
    for (const Line& line : lines)
      room = std::max(room, sum ? pen.measure(Face::bold, bold, line.name).x + Space::card * u : 0);
    for (const TableRow& row : found.words)
      room = std::max(room, pen.measure(Face::bold, bold, name_in_table(row)).x + Space::section * u);
    return std::min(room, area.width() * 0.22f);
  }

  void lay_out() {
    const MatrixNumbers figures(numbers);
    const float needed = pen.digit() * static_cast<float>(figures.longest()) + cell_margin(pen) * 0.7f;
    const float width = area.width() - names;
    cols = range_around(cell.col, numbers.cols, width, needed, InputSizes::widest_column * u);
    wide = cols.extent();
    x = area.min.x + names + (width - wide) / 2;
  }

  /// In a low window, all lines except the sum disappear, and the sum moves up.
  void keep_sum_only() {
    const float from = over + static_cast<float>(lines.size() - 1) * pitch;
    lines = {lines.back()};
    found = {};
    summed = pitch + between;
    over = from * (1 - eased(std::min((share - sum_comes) / (sum_is_up - sum_comes), 1.0f)));
  }

  void put_sum() {
    const Rect room{{x, area.min.y + over + Space::near * u}, {x + wide, area.max.y}};
    const Tables tables = lay_out_tables(pen, found, {{x, area.min.y}, room.max});
    put_lines(task, lines, *parts, found.words.empty() ? nullptr : &tables, cols, room, pitch, names - Space::card * u);
    area.min.y += summed + over;
    if (waits()) return;
    const float middle = area.min.y - between / 2 + Space::tight * u, half = between * 0.26f;
    const char* const how = is_normed(numbers, cell.row, parts->enters) ? "level.row_normed" : "level.row_enters";
    const Rect label = pen.caption({x + wide / 2, middle}, Align::middle, say(how));
    for (const float arrow : {label.min.x - Space::row * u, label.max.x + Space::row * u})
      pen.line({arrow, middle - half}, {arrow, middle + half}, look.muted, Stroke::arrow(u), true);
    rows = range_around(cell.row, numbers.rows, area.height() - 1.2f * caption, number * 1.5f,
                        InputSizes::highest_row * u);
  }

  /// Whether the matrix is not shown yet.
  bool waits() const { return low && share < sum_is_up; }

  void put_matrix() const {
    const float deep = rows.extent(), y = area.min.y + (sum ? 0 : caption);
    const MatrixCut block = make_block(context, task.stage, rows, cols, {{x, y}, {x + wide, y + deep}});
    const float begins = low ? sum_is_up : sum ? sum_comes : 0;
    put_rows(task, cols, block, cell.row, share < 1 ? (share - begins) / (all_there - begins) : 1);
    name_rows(pen, block, axis, x, names, cell.row, look.ink);
    const float under = y + deep + caption * 0.55f;
    const float symbol = pen.math(pen.type.formula, {x, under}, 1e6f, look.ink, false, symbol_of(context, task.stage));
    const std::string part = part_of(context, rows, cols);
    pen.caption({x + symbol + Space::gap * u, under}, Align::left,
                sizes_of(numbers) + (part.empty() ? "" : ", " + part));
    target_cells(pen, block);
  }
};

}  // namespace

void input(const Task& task) {
  InputPicture picture{task};
  picture.lay_out();
  if (picture.low && picture.share >= sum_comes) picture.keep_sum_only();
  if (picture.sum) picture.put_sum();
  if (!picture.waits()) picture.put_matrix();
}

}  // namespace headlight::operation
