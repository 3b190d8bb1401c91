// The arcs between the words in the heads view.
#include <algorithm>
#include <cmath>

#include "ui/base/look/measure.h"
#include "ui/parts/matrix/heatmap.h"
#include "ui/parts/scene/pen.h"
#include "ui/views/heads/heads_picture.h"

namespace headlight {
namespace {

/// The names of the tokens beside the arcs, and the weights right of the keys, in points.
struct TokenColumns {
  static constexpr float query = 84, key = 64, weight = 74, half_line = 7;
};

/// The arcs with their words, and the row statistics: everything that depends on the selected cell.
struct ArcsBuilder {
  const Frame& frame;
  const HeadsPicture& picture;
  const std::vector<HeadArcs>& heads;
  Pen& pen;
  const float u = frame.u;
  const Rect& arcs = picture.arcs;
  const std::optional<Cell> looked = frame.looked_at();
  const Index query = looked && info(looked->stage).rows == Axis::query ? looked->row : -1;
  const Index key = looked && info(looked->stage).cols == Axis::key ? looked->col : -1;

  void put_arcs(const HeadArcs& head) const {
    const Index shown = frame.rows_shown(Stage::weights);
    for (const TokenArc& arc : head.arcs) {
      if (arc.query >= shown) continue;  // the step player has not reached it
      const bool lit = query < 0 || arc.query == query;
      const ImVec2 a{arcs.min.x, picture.query_y(arc.query)}, b{arcs.max.x, picture.key_y(arc.key)};
      const float middle = arcs.centre().x, weight = std::min(arc.weight, 1.0f);
      pen.curve({a, {middle, a.y}, {middle, b.y}, b},
                fade(head.hue, (lit ? 0.35f : 0.07f) + (lit ? 0.6f : 0.15f) * weight), (0.6f + 4.4f * weight) * u);
    }
  }

  /// Names in a column, only some of them if they would overlap, but always the marked word's, else the asked word's;
  /// calls put(index, y) for each.
  void put_names(Axis axis, Index count, Index lit, float x, float width, Align align, auto put) const {
    const float line = arcs.height() / static_cast<float>(count), pixels = TypeSize::note * u;
    const Index step = std::max<Index>(1, static_cast<Index>(Space::card * u / line + 0.999f));
    const bool has_asked = axis == Axis::query || frame.trace()->inputs.self_attention();
    const Index kept = lit >= 0 ? lit : has_asked ? query_asked(*frame.trace(), frame.view()) : -1;
    for (Index i = 0; i < count; ++i) {
      if (!has_label(i, step, kept, -1, static_cast<float>(step))) continue;
      const float y = arcs.min.y + (static_cast<float>(i) + 0.5f) * line;
      pen.words(i == lit ? Face::bold : Face::ui, pixels, {x, y - pixels * 0.6f},
                i == lit ? frame.look.ink : frame.look.muted, axis_label(*frame.trace(), axis, picture.batch, i), width,
                align);
      put(i, y);
    }
  }

  /// The head whose weights are written next to the keys; null if there is none.
  const HeadArcs* weighed() const {
    if (query < 0 || query >= frame.rows_shown(Stage::weights)) return nullptr;
    for (const HeadArcs& each : heads) {
      if (looked->stage == picture.arcs_of && looked->head == each.head) return &each;
    }
    return heads.size() == 1 ? &heads[0] : nullptr;
  }

  void put(Index rows) const {
    if (!picture.strip.rows.empty())
      put_row_strip(pen, picture.strip, picture.first->rect, rows, query, u * picture.type);
    for (const HeadArcs& head : heads) put_arcs(head);
    put_names(Axis::query, picture.n_q, query, arcs.min.x - Space::near * u, TokenColumns::query * u, Align::right,
              [](Index, float) {});
    // The query's weights next to its keys: always that of the selected key, the others if there is room.
    const HeadArcs* head = weighed();
    const float room = Space::apart * u, pointed = key < 0 ? -1e9f : picture.key_y(key);
    float last = -1e9f;
    put_names(Axis::key, picture.n_k, key, arcs.max.x + Space::near * u, TokenColumns::key * u, Align::left,
              [&](Index k, float y) {
                if (!head || y - last < room || (k != key && std::abs(y - pointed) < room)) return;
                for (const TokenArc& arc : head->arcs) {
                  if (arc.query != query || arc.key != k) continue;
                  pen.words(Face::mono, TypeSize::note * u,
                            {arcs.max.x + TokenColumns::weight * u, y - TokenColumns::half_line * u}, frame.look.ink,
                            number_text(arc.weight, arc.weight < 1e-3f ? 2 : 4));
                  last = y;
                }
              });
  }
};

}  // namespace

std::vector<TokenArc> token_arcs(MatrixView weights, Index first, Index last, float mass) {
  std::vector<TokenArc> arcs;
  std::vector<TokenArc> row;
  for (Index q = first; q < last; ++q) {
    row.clear();
    double sum = 0;
    for (Index k = 0; k < weights.cols; ++k) {
      const float weight = weights(q, k);
      sum += static_cast<double>(weight);
      if (weight > 0) row.push_back({q, k, weight});
    }
    if (!std::isfinite(sum)) continue;
    std::ranges::stable_sort(row, std::greater(), &TokenArc::weight);
    // Slightly less, so that rounding in the sum does not add another arc.
    const double wanted = static_cast<double>(mass) * sum * (1 - 1e-6);
    double reached = 0;
    for (const TokenArc& arc : row) {
      if (reached >= wanted) break;
      arcs.push_back(arc);
      reached += static_cast<double>(arc.weight);
    }
  }
  return arcs;
}

std::optional<Cell> HeadsPicture::arc_at(const std::vector<HeadArcs>& heads, ImVec2 point, float reach) const {
  if (point.x <= arcs.min.x || point.x >= arcs.max.x) return std::nullopt;
  // Both control points are in the middle: x = 3/2 t (1 − t) + t³ of the width grows with t, y = (3 − 2t) t² of the
  // drop.
  const float wanted = (point.x - arcs.min.x) / arcs.width();
  float from = 0, to = 1;
  for (int halving = 0; halving < 20; ++halving) {
    const float t = (from + to) / 2;
    (1.5f * t * (1 - t) + t * t * t < wanted ? from : to) = t;
  }
  const float drop = (3 - 2 * from) * from * from;
  std::optional<Cell> nearest;
  for (const HeadArcs& each : heads) {
    for (const TokenArc& arc : each.arcs) {
      const float a = query_y(arc.query), b = key_y(arc.key);
      const float distance = std::abs(a + (b - a) * drop - point.y);
      if (distance > reach) continue;
      reach = distance;
      nearest = Cell{arcs_of, batch, each.head, arc.query, arc.key};
    }
  }
  return nearest;
}

const std::vector<HeadArcs>& heads_arcs(const Frame& frame, const HeadsPicture& picture) {
  const View& view = frame.view();
  const std::optional<Cell>& cell = view.pointed.cell ? view.pointed.cell : view.selected;
  const bool many = picture.n_q > arc_queries, of_query = many && cell && info(cell->stage).rows == Axis::query;
  const Index from = of_query ? cell->row : 0, to = many ? from + 1 : picture.n_q;
  const auto make = [&] {
    std::vector<Index> heads = view.heads.isolated ? std::vector{*view.heads.isolated} : view.heads.heads;
    if (heads.empty()) heads = {view.head};
    std::vector<HeadArcs> made;
    for (const Index h : heads)
      made.push_back(
          {h, frame.look.head(h), token_arcs(picture.arc_shares.matrix(view.batch, h), from, to, view.heads.mass)});
    return made;
  };
  return frame.kept_at(from, make, view.heads, view.measure);
}

const Scene& arcs_scene(const Frame& frame, const HeadsPicture& picture) {
  const Index rows = frame.rows_shown(picture.first->stage);
  const auto make = [&] {
    Scene made;
    Pen pen(frame, made);
    ArcsBuilder{frame, picture, heads_arcs(frame, picture), pen}.put(rows);
    return made;
  };
  return frame.kept_at(frame.looked_at(), make, frame.view().heads, frame.view().measure, frame.view().levels.query,
                       picture.arcs, picture.first->rect, frame.rows_shown(Stage::weights), rows);
}

}  // namespace headlight
