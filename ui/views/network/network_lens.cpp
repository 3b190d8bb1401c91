// The network's prediction if it ended after each layer: a table of layers by positions.
#include <algorithm>
#include <tuple>

#include "core/base/image/theme.h"
#include "core/compute/run/trace.h"
#include "ui/base/look/measure.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/views/network/network_scene.h"

namespace headlight {
namespace {

constexpr float narrowest_lens = 62, widest_lens = 150, highest_lens_row = 64;  // points

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

struct LensTable : NetworkPart {
  LayerGrid grid;
  const Index positions = std::ssize(facts.lens_words), layers = std::ssize(facts.lens_layers);
  const std::string title = say(key_for(trace, "network.the_words"));
  const float note = caption * 1.7f;  ///< for the note about the shown positions

  std::string layer_name(Index i) const {
    return say.fill("network.after", {layer_at(item(facts.lens_layers, i)).layer});
  }

  void put_cell(const LensCell& cell, Rect at, Index layer, Index position, bool last) const {
    const ImU32 ground = between(look.card, look.after, cell.probability_of * 0.85);
    pen.fill(at, ground, Corner::cell * u);
    if (last) pen.box(at, look.after, Stroke::frame(u), Corner::cell * u);
    const bool two = at.height() >= pen.type.word * 1.3f + pen.type.number * 1.5f;
    const ImU32 ink = to_imgui(ink_on(colour_of(ground)));
    const float middle = two ? at.centre().y - pen.type.number * 0.75f : at.centre().y;
    pen.text(TextRole::word, Face::ui, pen.type.word, {at.centre().x, middle}, Align::middle, ink, cell.likely.text,
             at.width() - Space::near * u);
    if (two)
      pen.number(pen.type.number, {at.centre().x, at.centre().y + pen.type.word * 0.7f}, Align::middle, ink,
                 MatrixNumbers(2, true)(static_cast<float>(cell.likely.probability)));
    pen.target(at, SceneAction::lens, position, {Stage::weights, layer, 0, position, 0});
  }

  void lay_out() {
    grid.names = width_of(title) + Space::apart * u;
    for (Index i = 0; i < layers; ++i) grid.names = std::max(grid.names, width_of(layer_name(i)) + Space::apart * u);
    grid.head = pen.type.word * 1.9f;
    const Index query = std::min(view.levels.query.value_or(positions - 1), positions - 1);
    grid.lay_out({query, positions, narrowest_lens * u, widest_lens * u},
                 {std::min(looked.layer, layers - 1), layers, pen.type.word * 1.7f, highest_lens_row * u}, note);
  }

  void put() {
    if (positions == 0 || facts.lens.empty()) return;
    lay_out();
    const ImVec2 corner = grid.room.min;
    const Index last = grid.first + grid.columns - 1;
    pen.caption({corner.x, corner.y + grid.head / 2}, Align::left, title);
    for (Index q = grid.first; q <= last; ++q)
      pen.label(TextRole::word, true, pen.type.word, {grid.middle_of(q), corner.y + grid.head / 2}, Align::middle,
                look.ink, item(facts.lens_words, q), grid.column - Space::tight * u);
    for (Index l = grid.top; l < grid.top + grid.lines; ++l) {
      pen.caption({corner.x, grid.y_of(l) + grid.line / 2}, Align::left, layer_name(l));
      if (l >= std::ssize(facts.lens)) continue;  // not computed yet
      for (Index q = grid.first; q <= last; ++q)
        put_cell(item(item(facts.lens, l), q), grid.cell(l, q, Space::fine * u), item(facts.lens_layers, l), q,
                 l == layers - 1);
    }
    if (grid.columns < positions)
      pen.caption({corner.x, grid.end().y + note / 2}, Align::left,
                  say.fill(key_for(trace, "network.positions"), {grid.first, last, positions}));
    pen.add_content({corner, grid.end()});
  }
};

}  // namespace

std::pair<Index, Index> part_around(Index at, Index count, float room, float least) {
  const Index fits = std::clamp<Index>(static_cast<Index>(room / least), 1, count);
  return {std::clamp<Index>(at - fits / 2, 0, count - fits), fits};
}

void LayerGrid::lay_out(const GridSide& across, const GridSide& down, float foot) {
  const float width = room.width() - names, height = room.height() - head - foot;
  std::tie(first, columns) = part_around(across.at, across.count, width, across.least);
  std::tie(top, lines) = part_around(down.at, down.count, height, down.least);
  column = std::min(width / static_cast<float>(columns), across.most);
  line = std::min(height / static_cast<float>(lines), down.most);
}

void put_lens(const NetworkPart& part, Rect room) { LensTable{part, {room}}.put(); }

}  // namespace headlight
