#include "ui/views/masklab/reach_picture.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "ui/base/frame/colormaps.h"
#include "ui/base/frame/matrix_painter.h"
#include "ui/base/look/measure.h"

namespace headlight {
namespace {

constexpr float line_apart = 1.2f, least_dot = 1.8f, largest_dot = 6, thinnest_dot = 1.2f;  // points

constexpr Index most_layers = 32;

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

constexpr float least_pitch = 7, most_pitch = 120;  // points
constexpr Index most_dots = 2400;
constexpr std::size_t most_edges = 5000;  // number of lines that can be drawn per frame without delay

struct Span {
  Index from = 0, to = 0;
};

/// The first and last token of the query's receptive field in all layers.
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

/// All tokens around the receptive field with all edges between them; false if there are too many. Faint edges only if
/// they do not hide the highlighted ones.
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

/// The highlighted edges down from the query: from each token to one in `every` of those it attends to, and to both
/// ends of each run of them.
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

const ReachNumbers& reach_numbers(const Frame& frame) {
  ReachNumbers& numbers = frame.pictures.get<ReachNumbers>([] { return ReachNumbers(); }, frame.document.trace);
  const View& view = frame.view();
  const MaskLab& lab = view.mask_lab;
  const bool same = numbers.trace == frame.document.trace && numbers.batch == view.batch && numbers.head == view.head &&
                    numbers.residual == lab.residual;
  if (same && numbers.layers == lab.layers) return numbers;
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
  // If every token keeps its own information, nothing is lost again; otherwise the matrix power shows what remains.
  // Between other tokens, information passes once, in the first layer.
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
  return numbers;
}

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
  const auto lines_a_layer = static_cast<std::size_t>(std::max(area.width() / (line_apart * u), 60.0f));
  const std::size_t lines = std::min(lines_a_layer * static_cast<std::size_t>(settings.layers), most_edges);
  if (!show_field(mask, settings.residual, room, lines, diagram))
    show_all(mask, settings.residual, room, lines, diagram);
  diagram.pitch = std::min(area.width() / static_cast<float>(diagram.count), most_pitch * u);
  diagram.step = area.height() / static_cast<float>(settings.layers);
  const float width = diagram.pitch * static_cast<float>(diagram.count), left = std::round(area.centre().x - width / 2);
  diagram.area = {{left, area.min.y}, {left + width, area.max.y}};
  const float apart = diagram.pitch * static_cast<float>(diagram.every);
  diagram.radius = std::min(std::clamp(apart * 0.2f, least_dot * u, largest_dot * u),
                            std::max(diagram.step * 0.2f, thinnest_dot * u));
  return diagram;
}

}  // namespace headlight
