// Split and concat: every head's columns on their way between the whole matrix and the head's own.
#include <algorithm>
#include <cmath>
#include <functional>

#include "ui/look/measure.h"
#include "ui/operation/parts.h"

namespace headlight::operation {
void split_or_merge(const Task& task) {
  Pen& pen = task.pen;
  const Trace& trace = task.trace();
  const View& view = task.context().view;
  const Look& look = pen.look();
  const float u = task.u();
  const bool merges = task.stage == Stage::concat;
  const Stage source = made_from(trace, task.stage);
  const Stage whole = merges ? Stage::concat : source, heads = merges ? source : task.stage;
  const Tensor& parts = trace[heads];
  const Index count = parts.size(1), d_head = parts.size(-1), n = parts.size(-2);
  const Index groups = is_per_kv_head(heads) ? trace.dims().groups() : 1;
  const Index chosen = view.head / groups;
  const Cell cell = cell_of(trace, view, heads, task.focus);
  const Axis rows_axis = info(heads).rows;
  const Rect area = task.area;

  const float labels = pen.type.caption * 2;
  const float number = pen.context().fonts.crisp(Face::mono, pen.type.number);
  const Window rows = window_around(cell.row, n, (area.height() - 3 * labels) * 0.42f,
                                    std::max(number * 0.8f, pen.bold(pen.type.least) * 1.06f), 44 * u);
  const float names = std::min(row_room(pen, rows, rows_axis), area.width() * 0.18f);
  const float width = area.width() - names;
  // Heads side by side, as many as keep their columns apart.
  const float gap = std::max(10 * u, width * 0.012f);
  const Window shown = window_around(chosen, count, width, static_cast<float>(d_head) * 3 * u + gap, 1e6f);
  const float deep = rows.size * static_cast<float>(rows.count);
  const float room = area.height() - 2 * deep - 3 * labels;
  const float top = area.min.y + labels, low = area.max.y - labels - deep;
  const float x = area.min.x + names;
  const float whole_y = merges ? low : top, heads_y = merges ? top : low;
  // The whole matrix has no gaps and stands in the middle of the same width.
  const float block = shown.size - gap;
  const float whole_left = x + (width - block * static_cast<float>(shown.count)) / 2;
  const auto place_in_whole = [&](Index h) {
    const float left = whole_left + static_cast<float>(h - shown.first) * block;
    return Rect{{left, whole_y}, {left + block, whole_y + deep}};
  };
  const auto place_of_head = [&](Index h) {
    const float left = x + gap / 2 + static_cast<float>(h - shown.first) * shown.size;
    return Rect{{left, heads_y}, {left + block, heads_y + deep}};
  };
  const float t = eased(task.reveal.share.value_or(task.reveal.whole() || task.reveal.shown.rows > 0 ? 1.0f : 0.5f));
  const Window features{0, d_head, 0, false};
  const Rect whole_rect{{whole_left, whole_y}, {whole_left + block * static_cast<float>(shown.count), whole_y + deep}};

  const float bar = std::max(4 * u, 4.0f);
  std::function<void()> on_top;  // the chosen head's frame: its neighbours' cells do not cover it
  // Where the columns come from stays as a shadow.
  for (Index h = shown.first; h < shown.first + shown.count; ++h) {
    const Rect from = merges ? place_of_head(h) : place_in_whole(h), to = merges ? place_in_whole(h) : place_of_head(h);
    const bool lit = h == chosen;
    const ImU32 colour = look.head(h * groups);
    const Block shadow = make_block(task.context(), heads, rows, features, from);
    Block moving = make_block(task.context(), heads, rows, features, mixed(from, to, t));
    Block still = shadow;
    moving.quad.head = still.quad.head = h;
    put(pen, still, t > 0.02f ? 0.3f : 1.0f);
    if (t < 0.98f) put_ghost(pen, make_block(task.context(), heads, rows, features, to));
    if (t > 0.02f) put(pen, moving, lit ? 1.0f : 0.8f);
    if (t > 0.02f && t < 0.98f)
      pen.fill({{moving.rect.min.x + u, moving.rect.min.y - bar - 2 * u},
                {moving.rect.max.x - u, moving.rect.min.y - 2 * u}},
               colour, Corner::mark * u);
    pen.matter(from);
    pen.matter(to);
    pen.fill({{place_in_whole(h).min.x + u, whole_y - bar - 2 * u}, {place_in_whole(h).max.x - u, whole_y - 2 * u}},
             colour, Corner::mark * u);
    const Rect head = place_of_head(h);
    pen.fill({{head.min.x, heads_y - bar - 2 * u}, {head.max.x, heads_y - 2 * u}}, colour, Corner::mark * u);
    const ImVec2 up{place_in_whole(h).centre().x, merges ? whole_y - 12 * u : whole_y + deep + 6 * u},
        down{head.centre().x, merges ? heads_y + deep + 6 * u : heads_y - 12 * u};
    const ImVec2 start = merges ? down : up, end = merges ? up : down;
    const float bend = (end.y - start.y) / 2;
    if (room > 24 * u)
      pen.curve({start, ImVec2{start.x, start.y + bend}, ImVec2{end.x, end.y - bend}, end},
                fade(colour, lit ? 0.9f : 0.35f), std::max(1.5f, 2 * u));
    const std::string title = task.context().words.fill("inspector.head", {std::to_string(h)});
    const std::string plain = std::to_string(h);
    const Face face = lit ? Face::bold : Face::ui;
    const float y =
        merges ? heads_y - labels * 0.62f : heads_y + deep + labels * 0.42f;  // where no columns fly over it
    const float size = lit ? pen.bold(pen.type.caption) : pen.type.caption;
    const bool fits = pen.measure(face, size, title).x <= shown.size - 4 * u;
    if (fits || pen.measure(face, size, plain).x <= shown.size - 2 * u)
      pen.text(TextRole::caption, face, size, {head.centre().x, y}, Align::middle, lit ? colour : look.muted,
               fits ? title : plain);
    pen.target(head, SceneAction::head, h * groups);
    if (lit && is_guessed(task.context())) {
      const Block made = make_block(task.context(), heads, rows, features, to);
      const Rect at = made.cell(cell.row, std::clamp<Index>(task.focus.feature % d_head, 0, d_head - 1));
      pen.box(at.grown(2 * u), look.ink, std::max(2.0f, 2.4f * u), Corner::cell * u);
      pen.text(TextRole::word, Face::bold, pen.bold(pen.type.word), at.centre(), Align::middle, look.ink, "?");
      pen.box(to.grown(4 * u), colour, std::max(1.5f, 2 * u), Corner::control * u);
    }
    if (lit && !is_guessed(task.context())) {  // its numbers go with it
      const Block& seen = t > 0.02f ? moving : still;
      MatrixNumbers figures(numbers_of(trace, view, heads));
      const float pixels = fitting(pen, seen, figures, pen.type.number);
      write(pen, seen, figures, pixels, [](Index, Index) { return true; });
      on_top = [&pen, &look, row = seen.row_at(cell.row), around = seen.rect, colour, u] {
        pen.box(row.grown(u), look.ink, std::max(2.0f, 2 * u), Corner::cell * u);
        pen.box(around.grown(4 * u), colour, std::max(1.5f, 2 * u), Corner::control * u);
      };
    }
  }
  if (on_top) on_top();
  Block base = make_block(task.context(), whole, rows, {0, 1, 0, false}, whole_rect);
  name_rows(pen, base, rows_axis, x - 10 * u, names - 14 * u, cell.row, look.lane(heads));
  base.rect = {{x, heads_y}, {x + width, heads_y + deep}};
  name_rows(pen, base, rows_axis, x - 10 * u, names - 14 * u, cell.row, look.lane(heads));
  const float title_y = merges ? whole_y + deep + labels * 0.55f : whole_y - labels * 0.7f;
  const float title_width = pen.math(pen.type.formula, {whole_rect.min.x, title_y}, 1e6f, look.lane(whole), false,
                                     symbol_of(task.context(), whole));
  const Rect sizes =
      pen.text(TextRole::caption, Face::ui, pen.type.caption, {whole_rect.min.x + title_width + 8 * u, title_y},
               Align::left, look.muted, sizes_of(numbers_of(trace, view, whole)));
  // At the end of that line: what they become, and how many are not shown.
  float right = area.max.x;
  const auto note = [&](const std::string& words) {
    const float extent = pen.measure(Face::ui, pen.type.caption, words).x;
    if (right - extent < sizes.max.x + 16 * u) return;
    pen.text(TextRole::caption, Face::ui, pen.type.caption, {right, title_y}, Align::right, look.muted, words);
    right -= extent + 24 * u;
  };
  if (shown.part) note(task.context().words.fill("level.more_heads", {std::to_string(count - shown.count)}));
  if (!merges) note(task.context().words.fill("level.heads_of", {std::to_string(count), sizes_of(parts.matrix())}));
}

}  // namespace headlight::operation
