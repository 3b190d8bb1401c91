// Split and concat: the heads' columns move between the whole matrix and the matrices of the heads.
#include <algorithm>

#include "ui/base/look/measure.h"
#include "ui/views/operation/parts.h"

namespace headlight::operation {
namespace {

/// In points.
struct MoveSizes {
  static constexpr float highest_row = 44, least_column = 3, least_between = 24;
};

/// The whole matrix and its heads, one above the other, with the columns at this moment.
struct Moving : TaskPart {
  const bool merges = task.stage == Stage::concat;
  const Stage source = made_from(trace, task.stage);
  const Stage whole = merges ? Stage::concat : source, heads = merges ? source : task.stage;
  const Tensor& parts = trace[heads];
  const Index count = parts.size(1), d_head = parts.size(-1);
  const Index groups = heads_per(trace, heads);
  const Index chosen = view.head / groups;
  const Cell cell = cell_of(trace, view, heads, task.focus);
  const Axis axis = info(heads).rows;
  const IndexRange features{0, d_head, 0, false};
  const float t = eased(task.reveal.share.value_or(task.reveal.whole() || task.reveal.shown.rows > 0 ? 1.0f : 0.5f));
  const float labels = pen.type.caption * 2;

  IndexRange rows{}, shown{};              ///< rows of the matrices, heads side by side
  float names = 0, gap = 0, deep = 0;      ///< room for words, between heads, height of a matrix
  float x = 0, width = 0, whole_left = 0;  ///< of the heads; where the whole matrix begins
  float whole_y = 0, heads_y = 0, between = 0;

  void lay_out() {
    const Rect& area = task.area;
    const float number = context.fonts.crisp(Face::mono, pen.type.number);
    rows = range_around(cell.row, parts.size(-2), (area.height() - 3 * labels) * 0.42f,
                        std::max(number * 0.8f, pen.bold(pen.type.least) * 1.06f), MoveSizes::highest_row * u);
    names = std::min(row_room(pen, rows, axis), area.width() * 0.18f);
    width = area.width() - names;
    // As many heads as have three points for each column.
    gap = std::max(Space::pad * u, width * 0.012f);
    shown = range_around(chosen, count, width, static_cast<float>(d_head) * MoveSizes::least_column * u + gap, 1e6f);
    deep = rows.extent();
    between = area.height() - 2 * deep - 3 * labels;
    const float top = area.min.y + labels, low = area.max.y - labels - deep;
    x = area.min.x + names;
    whole_y = merges ? low : top;
    heads_y = merges ? top : low;
    // The whole matrix has no gaps and is centred in the same width.
    whole_left = x + (width - block() * static_cast<float>(shown.count)) / 2;
  }

  float block() const { return shown.size - gap; }
  Rect whole_rect() const {
    return {{whole_left, whole_y}, {whole_left + block() * static_cast<float>(shown.count), whole_y + deep}};
  }
  Rect place_in_whole(Index h) const {
    const float left = whole_left + static_cast<float>(h - shown.first) * block();
    return {{left, whole_y}, {left + block(), whole_y + deep}};
  }
  Rect place_of_head(Index h) const {
    const float left = x + gap / 2 + static_cast<float>(h - shown.first) * shown.size;
    return {{left, heads_y}, {left + block(), heads_y + deep}};
  }
  Rect from(Index h) const { return merges ? place_of_head(h) : place_in_whole(h); }
  Rect to(Index h) const { return merges ? place_in_whole(h) : place_of_head(h); }
  MatrixCut block_of(Index h, Rect rect) const {
    MatrixCut block = make_block(context, heads, rows, features, rect);
    block.quad.head = h;
    return block;
  }
  MatrixCut moving(Index h) const { return block_of(h, mixed(from(h), to(h), t)); }

  void put_bar(Rect rect, float inset, ImU32 colour) const {
    const float bar = std::max(Space::tight * u, 4.0f);
    pen.fill(
        {{rect.min.x + inset, rect.min.y - bar - Space::fine * u}, {rect.max.x - inset, rect.min.y - Space::fine * u}},
        colour, Corner::mark * u);
  }

  /// A head's columns: pale where they come from, at their current place, and empty where they go.
  void put_columns(Index h) const {
    const bool lit = h == chosen;
    const ImU32 colour = look.head(h * groups);
    put(pen, block_of(h, from(h)), t > 0.02f ? 0.3f : 1.0f);
    if (t < 0.98f) put_ghost(pen, block_of(h, to(h)));
    if (t > 0.02f) put(pen, moving(h), lit ? 1.0f : 0.8f);
    if (t > 0.02f && t < 0.98f) put_bar(moving(h).rect, u, colour);
    pen.add_content(from(h));
    pen.add_content(to(h));
    put_bar(place_in_whole(h), u, colour);
    put_bar(place_of_head(h), 0, colour);
    const ImVec2 up{place_in_whole(h).centre().x,
                    merges ? whole_y - Space::apart * u : whole_y + deep + Space::near * u},
        down{place_of_head(h).centre().x, merges ? heads_y + deep + Space::near * u : heads_y - Space::apart * u};
    const ImVec2 start = merges ? down : up, end = merges ? up : down;
    const float bend = (end.y - start.y) / 2;
    if (between > MoveSizes::least_between * u)
      pen.curve({start, ImVec2{start.x, start.y + bend}, ImVec2{end.x, end.y - bend}, end},
                fade(colour, lit ? 0.9f : 0.35f), Stroke::firm(u));
  }

  void put_head_name(Index h) const {
    const bool lit = h == chosen;
    const Rect head = place_of_head(h);
    const std::string title = say.fill("inspector.head", {h}), plain = std::to_string(h);
    const Face face = lit ? Face::bold : Face::ui;
    const float y = merges ? heads_y - labels * 0.62f : heads_y + deep + labels * 0.42f;  // no columns move across it
    const float size = lit ? pen.bold(pen.type.caption) : pen.type.caption;
    const bool fits = pen.measure(face, size, title).x <= shown.size - Space::tight * u;
    if (fits || pen.measure(face, size, plain).x <= shown.size - Space::fine * u)
      pen.text(TextRole::caption, face, size, {head.centre().x, y}, Align::middle,
               lit ? look.head(h * groups) : look.muted, fits ? title : plain);
    pen.target(head, SceneAction::head, h * groups);
  }

  /// The place of the number that is to be guessed.
  void put_question() const {
    const MatrixCut made = block_of(chosen, to(chosen));
    const Rect at = made.cell(cell.row, std::clamp<Index>(task.focus.feature % d_head, 0, d_head - 1));
    pen.box(at.grown(Space::fine * u), look.ink, Stroke::followed(u), Corner::cell * u);
    pen.label(TextRole::word, true, pen.type.word, at.centre(), Align::middle, look.ink, "?");
    pen.box(made.rect.grown(Outset::head * u), look.head(chosen * groups), Stroke::firm(u), Corner::control * u);
  }

  /// The chosen head's numbers, which move with its columns, and its frame, above its neighbours.
  void put_chosen() const {
    if (chosen < shown.first || chosen >= shown.end()) return;
    if (is_guessed(context)) return put_question();
    const MatrixCut seen = t > 0.02f ? moving(chosen) : block_of(chosen, from(chosen));
    MatrixNumbers figures(numbers_of(trace, view, heads));
    const float pixels = fitting(pen, seen, figures, pen.type.number);
    write(pen, seen, figures, pixels, [](Index, Index) { return true; });
    pen.frame(seen.row_at(cell.row).grown(u), look.ink);
    pen.box(seen.rect.grown(Outset::head * u), look.head(chosen * groups), Stroke::firm(u), Corner::control * u);
  }

  void put_names() const {
    MatrixCut base = make_block(context, whole, rows, {0, 1, 0, false}, whole_rect());
    name_rows(pen, base, axis, x, names, cell.row, look.lane(heads));
    base.rect = {{x, heads_y}, {x + width, heads_y + deep}};
    name_rows(pen, base, axis, x, names, cell.row, look.lane(heads));
    const float y = merges ? whole_y + deep + labels * 0.55f : whole_y - labels * 0.7f;
    const float title =
        pen.math(pen.type.formula, {whole_left, y}, 1e6f, look.lane(whole), false, symbol_of(context, whole));
    const Rect sizes =
        pen.caption({whole_left + title + Space::gap * u, y}, Align::left, sizes_of(numbers_of(trace, view, whole)));
    // At the end of that line: how many heads are not shown, and the size of each.
    float right = task.area.max.x;
    const auto note = [&](const std::string& words) {
      const float extent = pen.measure(Face::ui, pen.type.caption, words).x;
      if (right - extent < sizes.max.x + Space::part * u) return;
      pen.caption({right, y}, Align::right, words);
      right -= extent + Space::section * u;
    };
    if (shown.part) note(say.fill("level.more_heads", {count - shown.count}));
    if (!merges) note(say.fill("level.heads_of", {count, sizes_of(parts.matrix())}));
  }
};

}  // namespace

void split_or_merge(const Task& task) {
  Moving moving{task};
  moving.lay_out();
  for (Index h = moving.shown.first; h < moving.shown.end(); ++h) {
    moving.put_columns(h);
    moving.put_head_name(h);
  }
  moving.put_chosen();
  moving.put_names();
}

}  // namespace headlight::operation
