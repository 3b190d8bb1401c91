// What the network would say if it ended after each layer: a table of layers by positions.
#include <algorithm>

#include "core/image/theme.h"
#include "core/run/trace.h"
#include "ui/level/matrix_numbers.h"
#include "ui/look/measure.h"
#include "ui/network/network_scene.h"

namespace headlight {
namespace {

Rgba colour_of(ImU32 colour) {
  const auto part = [&](int shift) { return static_cast<std::uint8_t>(colour >> shift & 0xff); };
  return {part(IM_COL32_R_SHIFT), part(IM_COL32_G_SHIFT), part(IM_COL32_B_SHIFT), 255};
}

ImU32 between(ImU32 from, ImU32 to, double share) {
  const Rgba a = colour_of(from), b = colour_of(to);
  if (!(share >= 0)) share = 0;  // NaN
  const auto part = [&](std::uint8_t x, std::uint8_t y) { return static_cast<std::uint8_t>(x + share * (y - x)); };
  return to_imgui({part(a.r, b.r), part(a.g, b.g), part(a.b, b.b), 255});
}

struct LensTable {
  Pen& pen;
  const HeadOverview& overview;
  const NetworkFacts& facts;
  Rect room;
  const SceneContext& context = pen.context();
  const Look& look = context.look;
  const float u = context.u, caption = pen.type.caption;
  float names = 0, column = 0, line = 0;

  std::string layer_name(std::size_t i) const {
    return context.words.fill("network.after", {overview.layers[static_cast<std::size_t>(facts.lens_layers[i])].layer});
  }

  void put_cell(const LensCell& cell, Rect at, Index layer, Index position, bool last) const {
    const ImU32 ground = between(look.card, look.after, cell.probability_of * 0.85);
    pen.fill(at, ground, Corner::cell * u);
    if (last) pen.box(at, look.after, std::max(1.5f, 1.5f * u), Corner::cell * u);
    const bool two = at.height() >= pen.type.word * 1.3f + pen.type.number * 1.5f;
    const ImU32 ink = to_imgui(ink_on(colour_of(ground)));
    const float middle = two ? at.centre().y - pen.type.number * 0.75f : at.centre().y;
    pen.text(TextRole::word, Face::ui, pen.type.word, {at.centre().x, middle}, Align::middle, ink,
             elide(context.fonts, Face::ui, pen.type.word, cell.likely.text, at.width() - 6 * u));
    if (two)
      pen.text(TextRole::number, Face::mono, pen.type.number, {at.centre().x, at.centre().y + pen.type.word * 0.7f},
               Align::middle, ink, MatrixNumbers(2, true)(static_cast<float>(cell.likely.probability)));
    pen.target(at, SceneAction::lens, position, {Stage::weights, layer, 0, position, 0});
  }

  void put() {
    const Index positions = std::ssize(facts.lens_words), lines = std::ssize(facts.lens_layers);
    if (positions == 0 || facts.lens.empty()) return;
    for (std::size_t i = 0; i < facts.lens_layers.size(); ++i)
      names = std::max(names, pen.measure(Face::ui, caption, layer_name(i)).x + 12 * u);
    names = std::max(
        names, pen.measure(Face::ui, caption, context.words(said_of(context.trace, "network.the_words"))).x + 12 * u);
    const float head = pen.type.word * 1.9f, least = 62 * u, note = caption * 1.7f;
    const Index query = context.view.looking.query.value_or(positions - 1);
    const auto [first, columns] = part_around(std::min(query, positions - 1), positions, room.width() - names, least);
    const Index looked = looked_at_head(overview, context.view).layer;
    const auto [top, rows] =
        part_around(std::min(looked, lines - 1), lines, room.height() - head - note, pen.type.word * 1.7f);
    column = std::min((room.width() - names) / static_cast<float>(columns), 150 * u);
    line = std::min((room.height() - head - note) / static_cast<float>(rows), 64 * u);
    const auto text_at = [&](float y, const std::string& words) {
      pen.text(TextRole::caption, Face::ui, caption, {room.min.x, y}, Align::left, look.muted, words);
    };
    text_at(room.min.y + head / 2, std::string(context.words(said_of(context.trace, "network.the_words"))));
    for (Index q = first; q < first + columns; ++q) {
      const float x = room.min.x + names + (static_cast<float>(q - first) + 0.5f) * column;
      pen.text(TextRole::word, Face::bold, pen.bold(pen.type.word), {x, room.min.y + head / 2}, Align::middle, look.ink,
               elide(context.fonts, Face::bold, pen.bold(pen.type.word), facts.lens_words[static_cast<std::size_t>(q)],
                     column - 4 * u));
    }
    for (Index l = top; l < top + rows; ++l) {
      const float y = room.min.y + head + static_cast<float>(l - top) * line;
      text_at(y + line / 2, layer_name(static_cast<std::size_t>(l)));
      if (l >= std::ssize(facts.lens)) continue;  // not computed yet
      for (Index q = first; q < first + columns; ++q) {
        const float x = room.min.x + names + static_cast<float>(q - first) * column;
        put_cell(facts.lens[static_cast<std::size_t>(l)][static_cast<std::size_t>(q)],
                 {{x + 2 * u, y + 2 * u}, {x + column - 2 * u, y + line - 2 * u}},
                 facts.lens_layers[static_cast<std::size_t>(l)], q, l == lines - 1);
      }
    }
    if (columns < positions)
      text_at(
          room.min.y + head + static_cast<float>(rows) * line + note / 2,
          context.words.fill(said_of(context.trace, "network.positions"),
                             {std::to_string(first), std::to_string(first + columns - 1), std::to_string(positions)}));
    pen.add_content({room.min,
                     {room.min.x + names + static_cast<float>(columns) * column,
                      room.min.y + head + static_cast<float>(rows) * line}});
  }
};

}  // namespace

std::pair<Index, Index> part_around(Index at, Index count, float room, float least) {
  const Index fits = std::clamp<Index>(static_cast<Index>(room / least), 1, count);
  return {std::clamp<Index>(at - fits / 2, 0, count - fits), fits};
}

void put_lens(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, Rect room) {
  LensTable{pen, overview, facts, room}.put();
}

}  // namespace headlight
