#include "ui/masklab/reach_picture.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "ui/frame/colormaps.h"
#include "ui/frame/matrix_painter.h"
#include "ui/look/measure.h"
#include "ui/look/number_text.h"

namespace headlight {
namespace {

constexpr Index most_layers = 32;
constexpr float settings_width = 230, gap = 12, name_size = 12;  // points

bool all_keep_themselves(const MatrixView& mask) {
  for (Index i = 0; i < mask.rows; ++i) {
    if (mask(i, i) == 0) return false;
  }
  return true;
}

void count_rows(ReachNumbers& numbers) {
  const MatrixView strength = numbers.strength.matrix();
  numbers.per_row.assign(static_cast<std::size_t>(strength.rows), 0);
  for (Index q = 0; q < strength.rows; ++q) {
    for (Index k = 0; k < strength.cols; ++k)
      numbers.per_row[static_cast<std::size_t>(q)] += strength(q, k) != 0 ? 1 : 0;
  }
  const Index all = std::accumulate(numbers.per_row.begin(), numbers.per_row.end(), Index{0});
  numbers.share = static_cast<double>(all) / static_cast<double>(strength.rows * strength.cols);
}

void update(const Frame& frame, ReachNumbers& numbers) {
  const View& view = frame.view();
  const MaskLab& lab = view.mask_lab;
  const bool same = numbers.trace == frame.document.trace && numbers.batch == view.batch && numbers.head == view.head &&
                    numbers.residual == lab.residual;
  if (same && numbers.layers == lab.layers) return;
  if (!same) {
    numbers.mask = looked_at_mask(frame);
    const bool layered = numbers.mask.size(0) == numbers.mask.size(1);
    numbers.first = layered ? first_reach(numbers.mask.matrix(), {most_layers, lab.residual}) : numbers.mask;
  }
  numbers.trace = frame.document.trace;
  numbers.batch = view.batch;
  numbers.head = view.head;
  numbers.residual = lab.residual;
  numbers.layers = lab.layers;
  // Where every token keeps itself, nothing that was reached is lost again; elsewhere the power says what is left.
  // Between other tokens information crosses once, in the first layer.
  const bool keeps =
      lab.residual || numbers.mask.size(0) != numbers.mask.size(1) || all_keep_themselves(numbers.mask.matrix());
  const Tensor last = keeps ? numbers.first : reach(numbers.mask.matrix(), {lab.layers, false});
  Buffer strength(static_cast<std::size_t>(last.count()), 0);
  const auto layers = static_cast<float>(lab.layers);
  for (std::size_t i = 0; i < strength.size(); ++i) {
    const float first = numbers.first.values()[i];
    if (first > 0 && first <= layers && last.values()[i] != 0) strength[i] = layers + 1 - first;
  }
  numbers.strength = Tensor(last.shape(), std::move(strength));
  count_rows(numbers);
}

struct ReachBuilder {
  const Frame& frame;
  Rect area;
  Index query;
  ReachNumbers& numbers;
  const Dims& dims = frame.trace()->dims();
  const float u = frame.u;
  ReachPicture picture{};

  std::string fill(const char* key, std::initializer_list<std::string_view> values) const {
    return frame.words.fill(key, values);
  }

  /// Queries and keys are the same tokens, which a further layer asks again.
  bool layered() const { return dims.n_q == dims.n_k; }

  bool say_why_not() {
    if (std::max(dims.n_q, dims.n_k) > reach_at_most)
      picture.words.error = fill("mask_lab.reach.large", {grouped(reach_at_most)});
    return !picture.words.error.empty();
  }

  void say() {
    const std::string n = grouped(dims.n_k), layers = std::to_string(numbers.layers);
    const std::string known = grouped(numbers.per_row[static_cast<std::size_t>(query)]);
    picture.words.lines.push_back(
        fill(layered() ? "mask_lab.reach.query" : "mask_lab.reach.crossing",
             {layers, axis_label(*frame.trace(), Axis::query, frame.view().batch, query), known, n}));
    picture.words.lines.push_back(fill("mask_lab.reach.all", {percent_text(numbers.share)}));
  }

  void place_matrix(Rect room) {
    MatrixCard& card = picture.matrix;
    card.title = frame.words(layered() ? "mask_lab.reach.matrix" : "mask_lab.reach.once");
    card.heat = sheet_heat(frame, looked_at_stage(frame), numbers.strength, {0, static_cast<float>(numbers.layers)});
    card.heat.quad.colormap = card.heat.colormap = &window_colormap(frame.view(), Stage::weights);
    card.heat.quad.mask = numbers.strength;
    if (layered()) room.max.x = room.min.x + std::max(room.width() * 0.52f, room.width() - 1.6f * room.height());
    lay_out(frame, card, room, {.closes_width = layered(), .fills_height = true});
  }

  void place_diagram(Rect card) {
    picture.diagram_card = card;
    picture.diagram_title =
        fill("mask_lab.reach.diagram", {axis_label(*frame.trace(), Axis::query, frame.view().batch, query)});
    const float names = text_size(frame.fonts, Face::ui, TypeSize::note * u,
                                  fill("mask_lab.reach.layer", {std::to_string(numbers.layers)}))
                            .x;
    const float inputs = text_size(frame.fonts, Face::ui, TypeSize::note * u, frame.words("mask_lab.reach.inputs")).x;
    const float left = card.min.x + std::max(names, inputs) + 24 * u;
    Rect dots{{left, card.min.y + 56 * u}, {std::max(card.max.x - 14 * u, left + 40 * u), card.max.y - 34 * u}};
    const ReachSettings settings{numbers.layers, numbers.residual};
    picture.diagram = make_reach_diagram(numbers.mask.matrix(), settings, query, dots, u);
    name_tokens();
    if (picture.turned) {
      dots.max.y -= 34 * u;
      picture.diagram = make_reach_diagram(numbers.mask.matrix(), settings, query, dots, u);
    }
    name_layers();
    const ReachDiagram& shown = picture.diagram;
    if (shown.every > 1) {
      picture.part = fill("mask_lab.reach.thinned", {grouped(shown.every)});
    } else if (!shown.whole()) {
      picture.part =
          fill("mask_lab.reach.part", {std::to_string(shown.first), std::to_string(shown.first + shown.count - 1)});
    }
  }

  void name_tokens() {
    float widest = 0;
    picture.names.clear();
    for (Index k = 0; k < picture.diagram.count; ++k) {
      picture.names.push_back(axis_label(*frame.trace(), Axis::key, frame.view().batch, picture.diagram.first + k));
      if (picture.diagram.pitch >= name_size * u)
        widest = std::max(widest, text_size(frame.fonts, Face::bold, name_size * u, picture.names.back()).x);
    }
    const bool words = !frame.trace()->inputs.key_tokens.empty();
    picture.turned = words && widest + 3 * u > picture.diagram.pitch && picture.diagram.pitch >= name_size * u;
  }

  void name_layers() {
    picture.layer_names.resize(static_cast<std::size_t>(numbers.layers) + 1);
    picture.layer_names.front() = frame.words("mask_lab.reach.inputs");
    const int every = std::max(1, static_cast<int>(16 * u / std::max(picture.diagram.step, 1.0f) + 0.999f));
    for (int l = numbers.layers; l > 0; l -= every)
      picture.layer_names[static_cast<std::size_t>(l)] = fill("mask_lab.reach.layer", {std::to_string(l)});
    if (every > 1 && numbers.layers % every != 0) picture.layer_names[1].clear();
  }
};

/// The query of the diagram: under the pointer, else selected, else the last.
Index chosen_query(const Frame& frame) {
  const View& view = frame.view();
  const Index last = frame.trace()->dims().n_q - 1;
  for (const std::optional<Cell>& cell : {view.hovered, view.selected}) {
    if (cell && info(cell->stage).rows == Axis::query && cell->row >= 0) return std::min(cell->row, last);
  }
  return last;
}

/// The query of the diagram: under the pointer, else selected, else the last.
ReachPicture make_reach_picture(const Frame& frame, Rect area, Index query, ReachNumbers& numbers) {
  ReachBuilder build{frame, area, query, numbers};
  build.picture.words.title = frame.words("mask_lab.reach.about");
  if (build.say_why_not()) return std::move(build.picture);
  update(frame, numbers);
  build.say();
  Rect below = below_words(frame, build.picture.words, area);
  below.min.y += 6 * frame.u;
  build.picture.settings = {{area.max.x - settings_width * frame.u, area.min.y - 4 * frame.u},
                            {area.max.x, below.min.y}};
  build.place_matrix(below);
  if (build.layered()) build.place_diagram({{build.picture.matrix.card.max.x + gap * frame.u, below.min.y}, below.max});
  return std::move(build.picture);
}

}  // namespace

const ReachPicture& reach_picture(const Frame& frame, Rect area) {
  const Index query = chosen_query(frame);
  ReachNumbers& numbers = frame.pictures.get<ReachNumbers>([] { return ReachNumbers(); }, frame.document.trace);
  return frame.picture<ReachPicture>([&] { return make_reach_picture(frame, area, query, numbers); },
                                     frame.view().mask_lab, area, query);
}

namespace {

constexpr float least_pitch = 7, most_pitch = 120;  // points
constexpr Index most_dots = 2400;
constexpr std::size_t most_edges = 5000;  // lines that a frame draws without effort

struct Span {
  Index from = 0, to = 0;
};

/// The first and the last token that the query or its field has in any layer.
Span extent(const ReachDiagram& diagram) {
  Span span{diagram.query, diagram.query};
  for (const std::vector<std::uint8_t>& layer : diagram.lit) {
    for (Index k = 0; k < diagram.tokens; ++k) {
      if (layer[static_cast<std::size_t>(k)] != 0) span = {std::min(span.from, k), std::max(span.to, k)};
    }
  }
  return span;
}

void add_edges(const MatrixView& mask, bool residual, bool lit, ReachDiagram& diagram) {
  const Index last = diagram.first + diagram.count;
  for (Index layer = 1; layer <= diagram.layers; ++layer) {
    for (Index q = diagram.first; q < last; ++q) {
      if (diagram.is_lit(layer, q) != lit) continue;
      for (Index k = diagram.first; k < last; ++k) {
        if (mask(q, k) != 0 || (residual && q == k)) diagram.edges.push_back({layer, q, k, lit});
      }
    }
  }
}

/// All tokens around the field with all edges between them; false where there are too many. Faint ones only where they
/// do not drown the lit.
bool show_field(const MatrixView& mask, bool residual, Index room, std::size_t lines, ReachDiagram& diagram) {
  const Span field = extent(diagram);
  if (field.to - field.from >= room) return false;
  diagram.count = std::min(room, diagram.tokens);
  diagram.first = std::clamp<Index>((field.from + field.to + 1 - diagram.count) / 2, 0, diagram.tokens - diagram.count);
  add_edges(mask, residual, false, diagram);
  if (diagram.edges.size() > lines) diagram.edges.clear();
  const std::size_t faint = diagram.edges.size();
  add_edges(mask, residual, true, diagram);
  return diagram.edges.size() - faint <= lines;
}

/// The lit edges down from the query: of each token to one in `every` of those it sees, and to both ends of each run of
/// them.
void follow(const MatrixView& mask, bool residual, ReachDiagram& diagram) {
  std::vector<std::uint8_t> here(static_cast<std::size_t>(diagram.tokens), 0), below;
  here[static_cast<std::size_t>(diagram.query)] = 1;
  const auto sees = [&](Index q, Index k) {
    return k >= 0 && k < diagram.tokens && (mask(q, k) != 0 || (residual && q == k));
  };
  for (Index layer = diagram.layers; layer > 0; --layer) {
    below.assign(here.size(), 0);
    for (Index q = 0; q < diagram.tokens; ++q) {
      if (here[static_cast<std::size_t>(q)] == 0) continue;
      for (Index k = 0; k < diagram.tokens; ++k) {
        if (!sees(q, k)) continue;
        const bool end = !sees(q, k - 1) || !sees(q, k + 1);
        if (!end && k % diagram.every != diagram.query % diagram.every) continue;
        diagram.edges.push_back({layer, q, k, true});
        below[static_cast<std::size_t>(k)] = 1;
      }
    }
    here.swap(below);
  }
}

void show_all(const MatrixView& mask, bool residual, Index room, std::size_t lines, ReachDiagram& diagram) {
  diagram.first = 0;
  diagram.count = diagram.tokens;
  for (diagram.every = 2; diagram.every * room < diagram.tokens; diagram.every *= 2) {}
  for (;; diagram.every *= 2) {
    diagram.edges.clear();
    follow(mask, residual, diagram);
    if (diagram.edges.size() <= lines || diagram.every > diagram.tokens) break;
  }
  if (diagram.edges.size() > most_edges) diagram.edges.resize(most_edges);
}

}  // namespace

Index ReachDiagram::token_at(float x) const {
  if (x < area.min.x || count == 0) return -1;
  const auto column = static_cast<Index>((x - area.min.x) / pitch);
  return column < count ? first + column : -1;
}

ReachDiagram make_reach_diagram(const MatrixView& mask, const ReachSettings& settings, Index query, Rect area,
                                float u) {
  assert(mask.rows == mask.cols && query >= 0 && query < mask.rows);
  ReachDiagram diagram;
  diagram.query = query;
  diagram.layers = settings.layers;
  diagram.tokens = mask.cols;
  diagram.lit = receptive_field(mask, query, settings);
  const auto fits = static_cast<Index>(area.width() / (least_pitch * u));
  const Index room = std::clamp<Index>(std::min(fits, most_dots / (settings.layers + 1)), 1, mask.cols);
  const auto lines_a_layer = static_cast<std::size_t>(std::max(area.width() / (1.2f * u), 60.0f));
  const std::size_t lines = std::min(lines_a_layer * static_cast<std::size_t>(settings.layers), most_edges);
  if (!show_field(mask, settings.residual, room, lines, diagram))
    show_all(mask, settings.residual, room, lines, diagram);
  diagram.pitch = std::min(area.width() / static_cast<float>(diagram.count), most_pitch * u);
  diagram.step = area.height() / static_cast<float>(settings.layers);
  const float width = diagram.pitch * static_cast<float>(diagram.count), left = std::round(area.centre().x - width / 2);
  diagram.area = {{left, area.min.y}, {left + width, area.max.y}};
  const float apart = diagram.pitch * static_cast<float>(diagram.every);
  diagram.radius = std::min(std::clamp(apart * 0.2f, 1.8f * u, 6 * u), std::max(diagram.step * 0.2f, 1.2f * u));
  return diagram;
}

}  // namespace headlight
