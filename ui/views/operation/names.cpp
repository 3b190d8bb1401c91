// Names of the rows and columns of an operation's matrices: words or numbers, at 45° over narrow columns.
#include <algorithm>
#include <cmath>

#include "ui/base/look/measure.h"
#include "ui/parts/matrix/heat.h"
#include "ui/views/operation/parts.h"

namespace headlight::operation {
namespace {

constexpr float turned_reach = 0.71f;         // of a length at 45°
constexpr float name_gap = 10, name_air = 4;  // points right and left of row labels

ImU32 quiet_ink(const Pen& pen, bool lit, ImU32 colour) { return lit ? colour : pen.look().muted; }

std::string name_of(const SceneContext& context, Axis axis, Index index) {
  return axis_label(context.trace, axis, context.view.batch, index);
}

/// The width of the widest name, plain or bold, at this font size.
float widest(const Pen& pen, const IndexRange& keys, float pixels) {
  float most = 0;
  for (Index k = keys.first; k < keys.end(); ++k)
    most = std::max({most, pen.measure(Face::bold, pen.bold(pixels), name_of(pen.context(), Axis::key, k)).x,
                     pen.measure(Face::ui, pixels, name_of(pen.context(), Axis::key, k)).x});
  return most;
}

/// The font size at which upright names of these columns fit; else 0.
float upright_size(const Pen& pen, const IndexRange& keys) {
  const Fonts& fonts = pen.context().fonts;
  for (const float size :
       {fonts.crisp(Face::ui, pen.type.word * 1.35f), pen.type.word, std::max(pen.type.word * 0.85f, pen.type.least),
        size_not_below(fonts, Face::ui, pen.type.least)}) {
    if (widest(pen, keys, size) + Space::near * pen.u() <= keys.size) return size;
  }
  return 0;
}

}  // namespace

float row_room(const Pen& pen, const IndexRange& rows, Axis axis) {
  float widest = 0;
  for (Index r = rows.first; r < rows.end(); ++r)
    widest = std::max({widest, pen.measure(Face::bold, pen.bold(pen.type.word), name_of(pen.context(), axis, r)).x,
                       pen.measure(Face::ui, pen.type.word, name_of(pen.context(), axis, r)).x});
  return widest + (name_gap + name_air) * pen.u();
}

void name_rows(Pen& pen, const MatrixCut& block, Axis axis, float x, float room, Index lit, ImU32 colour) {
  const float line = block.rect.height() / static_cast<float>(block.rows);
  const Fonts& fonts = pen.context().fonts;
  x -= name_gap * pen.u();
  room -= (name_gap + name_air) * pen.u();
  // As large as the rows allow, down to the smallest; if even that is too high, only some rows have their names.
  float pixels = std::min(pen.type.word, std::max(line, pen.type.least));
  pixels = std::max(fonts.crisp(Face::ui, pixels), size_not_below(fonts, Face::ui, pen.type.least));
  if (std::max(fonts.crisp(Face::bold, pixels), pixels) * 1.02f > line)
    pixels = size_not_below(fonts, Face::ui, pen.type.least);
  const auto every = static_cast<Index>(std::ceil(std::max(fonts.crisp(Face::bold, pixels), pixels) * 1.02f / line));
  const float least = size_not_below(fonts, Face::ui, pen.type.least);
  // Bold type comes in other sizes: where it is too high for its row, the colour alone marks the name.
  const bool bold_fits = pen.measure(Face::bold, pen.bold(pixels), "x").y <= line * static_cast<float>(every) + 1;
  for (Index r = block.row; r < block.row + block.rows; ++r) {
    const bool is_lit = r == lit;
    if (!is_lit && every > 1 && ((r - lit) % every != 0)) {
      if (has_words(pen.context(), axis)) pen.scene().left_out.push_back({name_of(pen.context(), axis, r), room, line});
      continue;
    }
    std::string word = name_of(pen.context(), axis, r);
    const bool bold = is_lit && bold_fits;
    const Face face = bold ? Face::bold : Face::ui;
    float size = bold ? pen.bold(pixels) : pixels;
    if (pen.measure(face, size, word).x > room) size = bold ? pen.bold(least) : least;
    pen.text(TextRole::word, face, size, {x, block.row_at(r).centre().y}, Align::right, quiet_ink(pen, is_lit, colour),
             std::move(word), room);
    if (axis == Axis::query || axis == Axis::key) {
      pen.target({{x - room, block.row_at(r).min.y}, {x, block.row_at(r).max.y}},
                 axis == Axis::query ? SceneAction::query_word : SceneAction::key_word, r);
    }
  }
}

float key_room(const Pen& pen, const IndexRange& keys) {
  if (const float size = upright_size(pen, keys); size > 0) return size * 1.6f;
  const float size = turned_size(pen, Face::ui, keys.size);
  return turned_height(widest(pen, keys, size), size);
}

float turned_size(const Pen& pen, Face face, float column) {
  const float least =
      face == Face::bold ? pen.bold(pen.type.least) : size_not_below(pen.context().fonts, face, pen.type.least);
  return std::clamp(column * 0.7f, least, std::max(pen.type.word, least));
}

float turned_height(float width, float pixels) { return std::min(width * turned_reach, 9 * pixels) + pixels; }
float turned_width(float height, float pixels) { return (height - pixels * 0.8f) / turned_reach; }

void put_turned(Pen& pen, Face face, float pixels, ImVec2 foot, bool above, float width, ImU32 colour,
                std::string word) {
  word = elide(pen.context().fonts, face, pixels, word, width);
  const float reach = above ? pen.measure(face, pixels, word).x * turned_reach : 0;
  pen.turned(face, pixels, {foot.x + reach, foot.y - reach}, -45, colour, std::move(word));
}

void name_keys(Pen& pen, const IndexRange& keys, const Rect& rect, bool above, float room, Index lit, ImU32 colour) {
  const Fonts& fonts = pen.context().fonts;
  const IndexRange cols{keys.first, keys.count, rect.width() / static_cast<float>(keys.count)};
  const float upright = upright_size(pen, cols);
  const float size = upright > 0 ? upright : turned_size(pen, Face::ui, cols.size);
  const float pitch = fonts.crisp(Face::ui, size) * 1.25f;
  const Index every = upright > 0 ? 1 : static_cast<Index>(std::ceil(pitch / cols.size));
  for (Index c = cols.first; c < cols.end(); ++c) {
    const bool is_lit = c == lit;
    const float left = rect.min.x + static_cast<float>(c - cols.first) * cols.size;
    const Rect column{{left, rect.min.y}, {left + cols.size, rect.max.y}};
    pen.target({{column.min.x, above ? column.min.y - room : column.max.y},
                {column.max.x, above ? column.min.y : column.max.y + room}},
               SceneAction::key_word, c);
    if (!is_lit && every > 1 && (c - lit) % every != 0) {
      // At 45° its height would be a column's width.
      if (has_words(pen.context(), Axis::key))
        pen.scene().left_out.push_back(
            {name_of(pen.context(), Axis::key, c), turned_width(room, size), cols.size / 1.25f});
      continue;
    }
    std::string word = name_of(pen.context(), Axis::key, c);
    const ImU32 ink = quiet_ink(pen, is_lit, colour);
    if (upright > 0) {
      const float y = above ? column.min.y - room / 2 : column.max.y + room / 2;
      pen.label(TextRole::word, is_lit, size, {column.centre().x, y}, Align::middle, ink, std::move(word));
      continue;
    }
    const ImVec2 foot{column.centre().x, above ? column.min.y - size * 0.55f : column.max.y + size * 0.55f};
    put_turned(pen, is_lit ? Face::bold : Face::ui, is_lit ? pen.bold(size) : size, foot, above,
               turned_width(room, size), ink, std::move(word));
  }
}

}  // namespace headlight::operation
