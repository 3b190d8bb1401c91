#include <algorithm>

#include "core/teaching/explain/explain.h"
#include "ui/parts/matrix/heatmap.h"
#include "ui/parts/scene/scene.h"
#include "ui/views/inspector/inspector_picture.h"
#include "ui/views/pipeline/picture.h"

namespace headlight {
namespace {

struct Place {
  const CardPicture* card = nullptr;
  const HeatPicture* heat = nullptr;
};

/// Range of rows and columns of some terms in one matrix.
struct Span {
  Stage stage{};
  Index row, row_end, col, col_end;
  Index count = 0;
  Index size() const { return (row_end - row) * (col_end - col); }
};

Place find(const PipelinePicture& picture, Stage stage, Index batch, Index head) {
  for (const CardPicture& card : picture.cards) {
    for (const HeatPicture& heat : card.heats) {
      // The card of the weights may show a measure of them: it has the same rows and columns.
      const bool here = heat.stage == stage || (stage == Stage::weights && is_measure(heat.stage));
      if (here && heat.batch == batch && heat.head == head) return {&card, &heat};
    }
  }
  return {};
}

/// Where the picture shows the cell; nothing if it does not.
Place find(const Trace& trace, const PipelinePicture& picture, const Cell& cell) {
  return contains(trace, cell) ? find(picture, shown_as(trace, cell.stage), cell.batch, cell.head) : Place();
}

Rect cells(const HeatPicture& heat, Index row, Index rows, Index col, Index cols) {
  return cells_rect(heat, heat.rect, row, rows, col, cols);
}

/// Enters the card from the left or from above, depending on the source, and continues between the cells.
ProvenanceArc arc(const Place& source, const Rect& mark, const Place& target, const Rect& cell) {
  const Rect& from = source.card->card;
  const Rect& to = target.card->card;
  ProvenanceArc a;
  a.from_stage = source.heat->stage;
  const bool beside = from.max.x <= to.min.x || from.min.x >= to.max.x;
  const ImVec2 cell_of_target = cell_size(*target.heat, target.heat->rect);
  a.room = beside ? cell_of_target.y : cell_of_target.x;
  if (beside) {
    const bool left = from.max.x <= to.min.x;
    a.from = {left ? from.max.x : from.min.x, mark.centre().y};
    a.to = {left ? to.min.x : to.max.x, cell.min.y};
    const float middle = (a.from.x + a.to.x) / 2;
    a.from_control = {middle, a.from.y};
    a.to_control = {middle, a.to.y};
    a.enter = a.to;
    a.end = {left ? cell.min.x : cell.max.x, cell.min.y};
    return a;
  }
  const bool above = from.max.y <= to.min.y;
  a.from = {std::clamp(mark.centre().x, from.min.x, from.max.x), above ? from.max.y : from.min.y};
  a.to = {cell.min.x, above ? to.min.y : to.max.y};
  const float middle = (a.from.y + a.to.y) / 2;
  a.from_control = {a.from.x, middle};
  a.to_control = {a.to.x, middle};
  const Rect& matrix = target.heat->rect;
  a.enter = {cell.min.x, above ? matrix.min.y : matrix.max.y};
  a.end = {cell.min.x, above ? cell.min.y : cell.max.y};
  return a;
}

std::vector<Span> spans(const Trace& trace, const Explanation& e, Index head) {
  std::vector<Span> found;
  for (const Term& term : e.terms) {
    if (has_head_axis(term.cell.stage) && term.cell.head != head / heads_per(trace, term.cell.stage)) continue;
    const Stage stage = shown_as(trace, term.cell.stage);
    auto span = std::ranges::find(found, stage, &Span::stage);
    if (span == found.end())
      span = found.insert(span, {stage, term.cell.row, term.cell.row, term.cell.col, term.cell.col});
    span->row = std::min(span->row, term.cell.row);
    span->row_end = std::max(span->row_end, term.cell.row + 1);
    span->col = std::min(span->col, term.cell.col);
    span->col_end = std::max(span->col_end, term.cell.col + 1);
    ++span->count;
  }
  return found;
}

/// Arcs to the cells that depend on it, in the colours of their targets.
Provenance make_reach(const Trace& trace, const PipelinePicture& picture, const Cell& cell) {
  Provenance result;
  const Place source = find(trace, picture, cell);
  if (!source.heat) return result;
  const Rect at = cells(*source.heat, cell.row, 1, cell.col, 1);
  for (const Region& region : reach_of(trace, cell)) {
    const Place target = find(picture, region.stage, region.batch, region.head);
    if (!target.heat) continue;
    const Rect whole = cells(*target.heat, region.row, region.rows, region.col, region.cols);
    result.marks.push_back({region.stage, whole});
    if (target.card == source.card) continue;
    result.arcs.push_back(arc(source, at, target, whole));
    result.arcs.back().from_stage = region.stage;
  }
  return result;
}

bool crosses(const ProvenanceArc& arc, const Rect& rect) {
  constexpr int steps = 48;
  for (int i = 0; i <= steps; ++i) {
    const std::array points{arc.from, arc.from_control, arc.to_control, arc.to};
    if (rect.contains(point_along(points, static_cast<float>(i) / steps))) return true;
  }
  return false;
}

}  // namespace

Rect clear_of_arcs(const Provenance& provenance, const Arrow& arrow, const Rect& words) {
  const auto free = [&](const Rect& rect) {
    const Rect room = rect.grown(3);
    return std::ranges::none_of(provenance.arcs, [&](const ProvenanceArc& arc) { return crosses(arc, room); });
  };
  const bool beside = arrow.from.x == arrow.to.x && !arrow.leader && words.max.x < arrow.from.x;
  if (!beside || free(words)) return words;
  const Rect other{{2 * arrow.from.x - words.max.x, words.min.y}, {2 * arrow.from.x - words.min.x, words.max.y}};
  return free(other) ? other : words;
}

std::optional<Rect> place_of(const Trace& trace, const PipelinePicture& picture, const Cell& cell) {
  const Place place = find(trace, picture, cell);
  return place.heat ? std::optional(cells(*place.heat, cell.row, 1, cell.col, 1)) : std::nullopt;
}

Provenance make_provenance(const Trace& trace, const PipelinePicture& picture, const Cell& cell) {
  Provenance result;
  const Place target = find(trace, picture, cell);
  if (!target.heat) return result;
  const Rect at = cells(*target.heat, cell.row, 1, cell.col, 1);
  const Explanation e = explain(trace, cell);
  Index head = has_head_axis(cell.stage) ? cell.head : e.terms.empty() ? 0 : e.terms[0].cell.head;
  head *= heads_per(trace, cell.stage);
  for (const Span& span : spans(trace, e, head)) {
    const Place source = find(picture, span.stage, is_parameter(span.stage) ? 0 : cell.batch,
                              has_head_axis(span.stage) ? head / heads_per(trace, span.stage) : 0);
    if (!source.heat) continue;
    const Rect whole = cells(*source.heat, span.row, span.row_end - span.row, span.col, span.col_end - span.col);
    if (span.count == span.size()) {
      result.marks.push_back({span.stage, whole});
    } else {  // the two channels of a rotary pair
      for (const Term& term : e.terms) {
        if (shown_as(trace, term.cell.stage) == span.stage) {
          result.marks.push_back({span.stage, cells(*source.heat, term.cell.row, 1, term.cell.col, 1)});
        }
      }
    }
    if (source.card != target.card) result.arcs.push_back(arc(source, whole, target, at));
  }
  return result;
}

const Provenance& provenance_picture(const Frame& frame, const PipelinePicture& picture) {
  const std::optional<Cell> cell = frame.looked_at();
  const bool reaches = cell && shows_reach(frame.view(), *frame.trace(), cell->stage);
  const auto make = [&] {
    if (!cell) return Provenance();
    return reaches ? make_reach(*frame.trace(), picture, *cell) : make_provenance(*frame.trace(), picture, *cell);
  };
  return picture_of_cards_at(frame, std::pair(cell, reaches), make, picture.size.x, picture.size.y);
}

}  // namespace headlight
