// How far information travels through layers of the mask: the first layer for every pair, and a diagram of one query's
// receptive field.
#include <algorithm>

#include "core/base/text/number_text.h"
#include "core/figures/figure/ticks.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/parts/matrix/heatmap.h"
#include "ui/parts/scene/pointer.h"
#include "ui/parts/scene/scene.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/masklab/mask_picture.h"
#include "ui/views/masklab/reach_picture.h"

namespace headlight {
namespace {

/// The matrix of layers, and the diagram of dots with the names below them, in points.
struct ReachSizes {
  static constexpr float numbered_cell = 16, largest_number = 17;
  static constexpr float least_dots = 40, above_dots = 56, below_dots = 34, part = 26;
  static constexpr float turned_names = 34, turned_below = 9;
  static constexpr float dense_below = 16, lit_edge = 1.6f;
};

constexpr float settings_width = 230, reach_gap = 12;  // points

struct ReachPicture {
  Scene scene;
  bool shows = false;        ///< false: too many tokens
  Rect settings{}, cells{};  ///< the rectangles of the sliders, and of the matrix with the diagram
  Rect diagram_card{};       ///< empty if queries and keys are different tokens
  ReachDiagram diagram;
};

struct ReachBuilder : ScenePart {
  const Frame& frame;
  Rect area;
  Index query;
  ReachPicture& picture;
  const Dims& dims = trace.dims();
  const float small = TypeSize::note * u;
  ReachDiagram& diagram = picture.diagram;
  const ReachNumbers* numbers = nullptr;

  std::string query_name() const { return axis_label(trace, Axis::query, view.batch, query); }

  /// Whether queries and keys are the same tokens, so that further layers make sense.
  bool layered() const { return dims.n_q == dims.n_k; }

  void put() {
    SheetWords words;
    words.title = say("mask_lab.reach.about");
    picture.shows = std::max(dims.n_q, dims.n_k) <= reach_at_most;
    if (!picture.shows) {
      words.error = say.fill("mask_lab.reach.large", {grouped(reach_at_most)});
      put_sheet_words(pen, words, area);
      return;
    }
    numbers = &reach_numbers(frame);
    const std::string known = grouped(numbers->per_row[static_cast<std::size_t>(query)]);
    words.lines = {say.fill(layered() ? "mask_lab.reach.query" : "mask_lab.reach.crossing",
                            {numbers->layers, query_name(), known, grouped(dims.n_k)}),
                   say.fill("mask_lab.reach.all", {percent_text(numbers->share)})};
    Rect beside = area;
    beside.max.x -= layered() ? (settings_width + Space::part) * u : 0;
    Rect below = put_sheet_words(pen, words, beside);
    below = {{area.min.x, below.min.y + Space::near * u}, {area.max.x, below.max.y}};
    picture.settings = {{area.max.x - settings_width * u, area.min.y - Space::tight * u}, {area.max.x, below.min.y}};
    picture.cells = put_matrix(below);
    if (!layered()) return;
    picture.diagram_card = {{picture.cells.max.x + reach_gap * u, below.min.y}, below.max};
    picture.cells.max = below.max;
    put_diagram();
  }

  Rect put_matrix(Rect room) {
    MatrixCard card;
    card.title = say(layered() ? "mask_lab.reach.matrix" : "mask_lab.reach.once");
    card.heat = sheet_heat(frame, looked_at_stage(frame), numbers->strength, {0, static_cast<float>(numbers->layers)});
    card.heat.quad.colormap = card.heat.colormap = &window_colormap(view, Stage::weights);
    card.heat.quad.mask = numbers->strength;
    if (layered()) room.max.x = room.min.x + std::max(room.width() * 0.52f, room.width() - 1.6f * room.height());
    lay_out(frame, card, room, {.closes_width = layered(), .fills_height = true});
    put_matrix_card(pen, card);
    put_layers(card.heat);
    return card.card;
  }

  /// Writes the layer into each cell that is not hatched, if it fits.
  void put_layers(const HeatPicture& heat) {
    const auto [w, h] = cell_size(heat, heat.rect);
    if (std::min(w, h) < ReachSizes::numbered_cell * u) return;
    const float size = std::min(h * 0.42f, ReachSizes::largest_number * u);
    const MatrixView strength = heat.quad.values.matrix();
    for (Index r = 0; r < heat.rows; ++r) {
      for (Index c = 0; c < heat.cols; ++c) {
        if (strength(r, c) == 0) continue;
        const auto layer = static_cast<double>(static_cast<float>(numbers->layers) + 1 - strength(r, c));
        const ImU32 ink = to_imgui(ink_on(heat.quad.colormap->at(normalise(strength(r, c), heat.quad.range))));
        pen.number(size, {middle_of(heat.rect.min.x, w, c), middle_of(heat.rect.min.y, h, r)}, Align::middle, ink,
                   formatted("%.0f", layer));
      }
    }
  }

  void put_diagram() {
    const Rect& card = picture.diagram_card;
    pen.card(card);
    put_card_title(pen, card, look.ink, say.fill("mask_lab.reach.diagram", {query_name()}));
    const float names = std::max(pen.measure(Face::ui, small, say.fill("mask_lab.reach.layer", {numbers->layers})).x,
                                 pen.measure(Face::ui, small, say("mask_lab.reach.inputs")).x);
    const float right = card.max.x - Space::card * u,
                left = std::min(card.min.x + names + Space::section * u, right - ReachSizes::least_dots * u);
    Rect dots{{left, card.min.y + ReachSizes::above_dots * u}, {right, card.max.y - ReachSizes::below_dots * u}};
    const ReachSettings settings{numbers->layers, numbers->residual};
    diagram = make_reach_diagram(numbers->mask.matrix(), settings, query, dots, u);
    const bool turned = turns_names();
    if (turned) {
      dots.max.y -= ReachSizes::turned_names * u;
      diagram = make_reach_diagram(numbers->mask.matrix(), settings, query, dots, u);
    }
    const std::string part = diagram.every > 1 ? say.fill("mask_lab.reach.thinned", {grouped(diagram.every)})
                             : diagram.whole()
                                 ? std::string()
                                 : say.fill("mask_lab.reach.part", {diagram.first, diagram.first + diagram.count - 1});
    pen.words(Face::ui, small, {card.min.x + Space::card * u, card.min.y + ReachSizes::part * u}, look.muted, part,
              card.width() - 2 * Space::card * u);
    put_edges();
    if (diagram.every > 1) put_lit_runs();
    put_dots();
    put_names(turned);
    put_layer_names();
  }

  std::string name_of(Index i) const { return axis_label(trace, Axis::key, view.batch, diagram.first + i); }

  /// Whether the labels are slanted: if words are wider than the space between the dots.
  bool turns_names() const {
    if (trace.inputs.key_tokens.empty() || diagram.pitch < small) return false;
    float widest = 0;
    for (Index i = 0; i < diagram.count; ++i) widest = std::max(widest, pen.measure(Face::bold, small, name_of(i)).x);
    return widest + NameGap::beside * u > diagram.pitch;
  }

  void put_edges() {
    const bool dense = diagram.pitch * static_cast<float>(diagram.every) < ReachSizes::dense_below * u;
    const ImU32 faint = fade(look.muted, dense ? 0.16f : 0.3f), lit = fade(look.accent, dense ? 0.4f : 0.75f);
    for (const ReachDiagram::Edge& edge : diagram.edges) {
      pen.line(diagram.at(edge.layer - 1, edge.key), diagram.at(edge.layer, edge.query), edge.lit ? lit : faint,
               edge.lit && !dense ? ReachSizes::lit_edge * u : u);
    }
  }

  /// If edges are thinned out, a line along each layer shows the highlighted tokens.
  void put_lit_runs() {
    const float half = diagram.radius;
    for (Index layer = 0; layer <= diagram.layers; ++layer) {
      const float y = diagram.at(layer, 0).y;
      pen.fill({{diagram.area.min.x, y - half}, {diagram.area.max.x, y + half}}, look.field, half);
      for (Index token = 0; token < diagram.tokens; ++token) {
        if (!diagram.is_lit(layer, token)) continue;
        Index last = token;
        while (last + 1 < diagram.tokens && diagram.is_lit(layer, last + 1)) ++last;
        const float from = diagram.at(layer, token).x - diagram.pitch / 2,
                    to = diagram.at(layer, last).x + diagram.pitch / 2;
        pen.fill({{from, y - half}, {std::max(to, from + 1), y + half}}, look.accent, std::min(half, (to - from) / 2));
        token = last;
      }
    }
  }

  void put_dots() {
    std::vector<SceneItem>& items = pen.scene().items;
    for (Index layer = 0; diagram.every == 1 && layer <= diagram.layers; ++layer) {
      for (Index token = diagram.first; token < diagram.first + diagram.count; ++token) {
        const bool lit = diagram.is_lit(layer, token);
        items.emplace_back(SceneDot{diagram.at(layer, token), diagram.radius * (lit ? 1.0f : 0.75f),
                                    lit ? look.accent : look.field_hover});
      }
    }
    items.emplace_back(SceneDot{diagram.at(diagram.layers, diagram.query), diagram.radius + Space::thin * u,
                                look.accent, Stroke::arrow(u)});
  }

  void put_names(bool turned) {
    const float room = turned ? 1
                              : std::max(diagram.pitch - NameGap::beside * u,
                                         pen.measure(Face::ui, small, name_of(diagram.count - 1)).x + Space::pad * u);
    const Index every = turned ? 1 : round_step(room / diagram.pitch);
    for (Index i = 0; i < diagram.count; i += every) {
      const ImU32 ink = diagram.is_lit(0, diagram.first + i) ? look.ink : look.muted;
      const ImVec2 dot = diagram.at(0, diagram.first + i);
      if (turned)
        pen.turned(Face::ui, small, {dot.x + Space::thin * u, dot.y + diagram.radius + ReachSizes::turned_below * u},
                   -45, ink, elide(frame.fonts, Face::ui, small, name_of(i), NameRoom::column * u));
      else
        pen.words(Face::ui, small, {dot.x, dot.y + diagram.radius + Space::close * u}, ink, name_of(i),
                  diagram.pitch * static_cast<float>(every) - Space::fine * u, Align::middle);
    }
  }

  /// The names of the layers, from the inputs upwards; not all of them if there is little room.
  void put_layer_names() {
    const auto put = [&](Index layer, std::string_view words) {
      pen.words(Face::ui, small,
                {picture.diagram_card.min.x + Space::card * u, diagram.at(layer, diagram.first).y - small / 2 - u},
                look.muted, words);
    };
    put(0, say("mask_lab.reach.inputs"));
    const int every = std::max(1, static_cast<int>(Space::part * u / std::max(diagram.step, 1.0f) + 0.999f));
    for (int l = numbers->layers; l > (every > 1 ? 1 : 0); l -= every) put(l, say.fill("mask_lab.reach.layer", {l}));
  }
};

/// The query of the diagram: under the pointer, otherwise selected, otherwise the last.
Index chosen_query(const Frame& frame) {
  const View& view = frame.view();
  const Index last = frame.trace()->dims().n_q - 1;
  for (const std::optional<Cell>& cell : {view.pointed.cell, view.selected}) {
    if (cell && info(cell->stage).rows == Axis::query && cell->row >= 0) return std::min(cell->row, last);
  }
  return last;
}

/// The picture for the chosen query, cached for the last ones.
const ReachPicture& reach_picture(const Frame& frame, Rect area) {
  const Index query = chosen_query(frame);
  const auto make = [&] {
    ReachPicture picture;
    Pen pen(frame, picture.scene);
    ReachBuilder{pen, frame, area, query, picture}.put();
    return picture;
  };
  return frame.picture_at<ReachPicture>(query, make, frame.view().mask_lab, area);
}

/// Handles the pointer: over the matrix it chooses a row, over the diagram a token. If another query would move the
/// tokens of the diagram, only a click chooses one.
void point(const Frame& frame, const ReachPicture& picture) {
  const bool clicked = clickable("reach", picture.cells);
  std::optional<Cell> cell;
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    const ImVec2 at = ImGui::GetIO().MousePos;
    cell = cell_at(picture.scene, at);
    const Index token = picture.diagram_card.contains(at) ? picture.diagram.token_at(at.x) : -1;
    if (token >= 0 && (picture.diagram.whole() || clicked))
      cell = Cell{looked_at_stage(frame), frame.view().batch, frame.view().head, token, token};
  }
  hover_or_select(frame, cell, clicked);
}

void draw_settings(const Frame& frame, Rect place) {
  const ControlArea area("settings", place);
  const MaskLab& lab = frame.view().mask_lab;
  if (const auto layers =
          int_slider(frame, "layers", frame.words("mask_lab.reach.layers"), lab.layers, Choices(1, 32))) {
    frame.show([n = layers->value](View& v) { v.mask_lab.layers = static_cast<int>(std::clamp<Index>(n, 1, 32)); });
  }
  if (chip(frame, "residual", frame.words("mask_lab.reach.residual"), lab.residual, place.width())) {
    frame.show([](View& v) { v.mask_lab.residual = !v.mask_lab.residual; });
  }
}

}  // namespace

void draw_reach_tab(const Frame& frame, Rect place) {
  const Rect inside = sheet_inside(frame, place);
  const ReachPicture& picture = reach_picture(frame, inside);
  if (picture.diagram_card.width() > 0) draw_settings(frame, picture.settings);
  if (picture.shows) point(frame, picture);
  draw_scene(frame, *ImGui::GetWindowDrawList(), picture.scene);
}

}  // namespace headlight
