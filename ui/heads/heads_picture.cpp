#include "ui/heads/heads_picture.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/run/contributions.h"
#include "ui/frame/frame.h"
#include "ui/look/number_text.h"

namespace headlight {
namespace {

bool is_chosen(const HeadsChoice& choice, Index head) {
  return choice.heads.empty() || std::ranges::find(choice.heads, head) != choice.heads.end();
}

/// The matrix in the middle of its card, its cells no more than twice as wide as high or high as wide.
Rect heat_rect(const Rect& box, Index rows, Index cols) {
  const float w = std::max(box.width(), 4.0f) / static_cast<float>(cols);
  const float h = std::max(box.height(), 4.0f) / static_cast<float>(rows);
  const float side = std::min(w, h) * 2;
  const float least = 0.15f * std::min(std::max(box.width(), 4.0f), std::max(box.height(), 4.0f));
  const ImVec2 size{std::max(std::min(w, side) * static_cast<float>(cols), least),
                    std::max(std::min(h, side) * static_cast<float>(rows), least)};
  const ImVec2 c = box.centre();
  return {{c.x - size.x / 2, c.y - size.y / 2}, {c.x + size.x / 2, c.y + size.y / 2}};
}

/// What the names along the sides of every card take: nothing where the cards are too small for them.
struct LabelRoom {
  float left = 0, below = 0;
  float turned = 0;  ///< along the names of the columns, where they stand at 45°
};

LabelRoom label_room(const Frame& frame, Stage stage, const MatrixView& matrix, const Rect& card, float points) {
  const float u = frame.u;
  if (card.width() < 170 * u || card.height() < 130 * u) return {};
  const float widest = widest_label(frame, info(stage).rows, matrix.rows, points * u);
  LabelRoom room{std::min(widest + 5 * u, card.width() * 0.25f), points * 1.5f * u, 0};
  const Axis columns = info(stage).cols;
  if (columns != Axis::key && columns != Axis::query) return room;
  room.turned = turned_room(frame, columns, matrix.rows, matrix.cols,
                            {card.width() - room.left - 12 * u, card.height() - room.below - 28 * u}, points * u);
  if (room.turned > 0) room.below = 0.71f * room.turned + points * 1.2f * u;
  return room;
}

/// A card a head, and one of their mean, with their words.
void name_cards(const Frame& frame, const Tensor& values, Index group, HeadsPicture& picture) {
  const HeadsChoice& choice = frame.view().heads;
  std::vector<Index> shared;  // of the chosen heads, along the tensor's own axis
  for (Index h = 0; h < values.size(1); ++h) {
    if (choice.isolated && *choice.isolated / group != h) continue;
    HeadCard card;
    card.head = h * group;
    card.users = group;
    card.hue = frame.look.head(card.head);
    card.chosen = false;
    for (Index g = 0; g < group; ++g) card.chosen = card.chosen || is_chosen(choice, card.head + g);
    if (card.chosen || choice.isolated) shared.push_back(h);
    card.chosen = card.chosen || choice.isolated.has_value();
    card.number = std::to_string(h);
    card.title = frame.words.fill(group > 1 ? "heads.kv_head" : "heads.head", {std::to_string(h)});
    picture.cards.push_back(std::move(card));
  }
  if (shared.size() > 1 && !values.source()) {  // a mean over what nobody can hold is left out
    picture.averaged = shared;
    HeadCard card;
    card.average = true;
    card.hue = frame.look.muted;
    card.title = frame.words.fill("heads.average", {std::to_string(shared.size())});
    card.number = frame.words("heads.average_short");
    picture.cards.push_back(std::move(card));
  }
}

void add_cards(const Frame& frame, Rect grid, HeadsPicture& picture) {
  const Trace& trace = *frame.trace();
  const Stage stage = heads_stage(trace, frame.view());
  const Tensor values = numbers_shown(frame, stage);
  name_cards(frame, values, is_per_kv_head(stage) ? trace.dims().groups() : 1, picture);
  const MatrixView matrix = values.matrix();
  const float header = 25 * frame.u;
  const float aspect = std::clamp(static_cast<float>(matrix.cols) / static_cast<float>(matrix.rows), 0.5f, 2.0f);
  const std::vector<Rect> places = lay_out_heads(static_cast<Index>(picture.cards.size()), grid, aspect,
                                                 (picture.cards.size() > 20 ? 4 : 10) * frame.u, header);
  const float pad = 6 * frame.u;
  const bool alone = picture.cards.size() == 1;
  picture.type = alone ? 1.25f : 1;
  const float t = frame.u * picture.type;
  const LabelRoom names = label_room(frame, stage, matrix, places[0], picture.label_points());
  const bool has_strip =
      alone && (stage == Stage::weights || stage == Stage::dropped_weights) &&
      places[0].height() / static_cast<float>(matrix.rows) >= 13 * t &&
      (places[0].width() - 2 * pad - names.left - row_strip_width * t) / static_cast<float>(matrix.cols) >=
          6.5f * t;  // rows stay as high as their numbers
  const float beside = pad + (has_strip ? row_strip_width * t : 0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    HeadCard& card = picture.cards[i];
    card.card = places[i];
    const Rect box{{card.card.min.x + pad + names.left, card.card.min.y + header},
                   {card.card.max.x - beside, card.card.max.y - pad - names.below}};
    card.heat = make_heat(frame, stage, card.head, heat_rect(box, matrix.rows, matrix.cols));
    if (names.left > 0) add_labels(frame, card.heat, picture.label_points() * frame.u, names.left - 4 * frame.u, true);
    card.heat.turned_room = names.turned / (picture.label_points() * frame.u);
    if (has_strip) card.strip = row_strip(*frame.trace(), card.heat);
    card.heat.quad.opacity = card.chosen ? 1.0f : 0.3f;
    if (!card.average) continue;
    MatrixQuad& quad = card.heat.quad;
    for (const HeadCard& each : picture.cards)  // the heads may have ranges of their own
      quad.range = {std::min(quad.range.lo, each.heat.quad.range.lo), std::max(quad.range.hi, each.heat.quad.range.hi)};
    quad.values = {};
    picture.averaged_mask = std::exchange(quad.mask, Tensor());
    quad.kept = Tensor();
    card.heat.shades = Tensor();
    quad.row_ranges = false;
    quad.batch = quad.head = card.heat.batch = card.heat.head = 0;
  }
}

/// The ends of the colours, which all cards share unless the view gives each head or row its own.
void state_scale(const Frame& frame, Rect grid, HeadsPicture& picture) {
  const MatrixQuad& quad = picture.cards[0].heat.quad;
  picture.scale = {{grid.min.x, grid.max.y - 15 * frame.u}, grid.max};
  if (info(picture.cards[0].heat.stage).palette == Palette::boolean) return;
  if (quad.row_ranges || frame.view().range.mode == RangeMode::head) {
    picture.scale_words = frame.words(quad.row_ranges ? "heads.colours_row" : "heads.colours_head");
    return;
  }
  picture.scale_words = frame.words("heads.colours");
  if (quad.norm != Norm::linear)
    picture.scale_words +=
        " · " + std::string(frame.words(quad.norm == Norm::log ? "controls.norm_log" : "controls.norm_sqrt"));
  const bool sampled = quad.values.source() && quad.range.lo < 0;
  picture.scale_lo = (sampled ? "<" : "") + bound_text(quad.range.lo);
  picture.scale_hi = (sampled ? ">" : "") + bound_text(quad.range.hi);
}

/// Names down a column, thinned out where they would touch.
std::vector<TokenLabel> labels(const Frame& frame, Axis axis, Index count, Rect place) {
  const float line = place.height() / static_cast<float>(count);
  const Index step = std::max<Index>(1, static_cast<Index>(14 * frame.u / line + 0.999f));
  std::vector<TokenLabel> names;
  for (Index i = 0; i < count; i += step) {
    names.push_back({i, place.min.y + (static_cast<float>(i) + 0.5f) * line,
                     axis_label(*frame.trace(), axis, frame.view().batch, i)});
  }
  return names;
}

}  // namespace

Stage heads_stage(const Trace& trace, const View& view) { return measured_stage(trace, view, view.heads.stage); }

std::optional<Cell> HeadsPicture::arc_at(ImVec2 point, float reach) const {
  if (point.x <= arcs.min.x || point.x >= arcs.max.x) return std::nullopt;
  // Both control points stand in the middle: x = 3/2 t (1 − t) + t³ of the width grows with t, y = (3 − 2t) t² of the
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

namespace {

HeadsPicture make_heads_picture(const Frame& frame, Rect grid, Rect arcs, std::optional<Index> query) {
  const Trace& trace = *frame.trace();
  const View& view = frame.view();
  HeadsPicture picture;
  add_cards(frame, {grid.min, {grid.max.x, grid.max.y - 21 * frame.u}}, picture);
  state_scale(frame, grid, picture);
  picture.n_q = trace.dims().n_q;
  picture.n_k = trace.dims().n_k;
  picture.batch = view.batch;
  picture.arcs = arcs;
  picture.queries = labels(frame, Axis::query, picture.n_q, arcs);
  picture.keys = labels(frame, Axis::key, picture.n_k, arcs);
  std::vector<Index> heads = view.heads.isolated ? std::vector{*view.heads.isolated} : view.heads.heads;
  if (heads.empty()) heads = {view.head};
  picture.arcs_of = measured_stage(trace, view, Stage::weights);
  const Tensor lengths = numbers_shown(frame, picture.arcs_of);
  picture.arc_shares =
      is_measure(picture.arcs_of) && view.measure != HeadMeasure::share ? row_shares(lengths) : lengths;
  const bool many = picture.n_q > arc_queries;
  const Index first = many ? query.value_or(0) : 0;
  const Index last = many ? first + 1 : picture.n_q;
  for (const Index h : heads) {
    picture.heads.push_back(
        {h, frame.look.head(h), token_arcs(picture.arc_shares.matrix(view.batch, h), first, last, view.heads.mass)});
  }
  return picture;
}

}  // namespace

const HeadsPicture& heads_picture(const Frame& frame, Rect grid, Rect arcs) {
  constexpr Index averaged_a_frame = 2'000'000;  // numbers: a millisecond or two
  const View& view = frame.view();
  const Trace& trace = *frame.trace();
  const std::optional<Cell>& cell = view.hovered ? view.hovered : view.selected;
  std::optional<Index> query;
  if (trace.dims().n_q > arc_queries && cell && info(cell->stage).rows == Axis::query) query = cell->row;
  HeadsPicture& picture = frame.picture<HeadsPicture>([&] { return make_heads_picture(frame, grid, arcs, query); },
                                                      view.heads, view.measure, query, grid, arcs);
  if (picture.averaged.empty()) return picture;
  HeadsAverage& average = frame.pictures.get<HeadsAverage>([] { return HeadsAverage(); }, frame.document.trace);
  average.want(numbers_shown(frame, heads_stage(trace, view)), picture.averaged_mask, view.batch, picture.averaged);
  average.advance(averaged_a_frame);
  if (average.busy()) frame.pictures.go_on();
  MatrixQuad& quad = picture.cards.back().heat.quad;
  quad.values = average.mean();
  quad.mask = average.allowed();
  return picture;
}

std::vector<Rect> lay_out_heads(Index count, Rect box, float aspect, float gap, float header) {
  const auto card_size = [&](Index cols) {
    const Index rows = (count + cols - 1) / cols;
    const auto part = [&](float whole, Index n) {
      return std::max((whole - gap * static_cast<float>(n - 1)) / static_cast<float>(n), 1.0f);
    };
    return ImVec2{part(box.width(), cols), part(box.height(), rows)};
  };
  Index best = 1;
  float largest = -1;
  for (Index cols = 1; cols <= count; ++cols) {
    const ImVec2 card = card_size(cols);
    const float height = std::min(card.y - header, card.x / aspect);
    if (height > largest) {
      largest = height;
      best = cols;
    }
  }
  const ImVec2 card = card_size(best);
  std::vector<Rect> cards;
  for (Index i = 0; i < count; ++i) {
    const ImVec2 min{box.min.x + static_cast<float>(i % best) * (card.x + gap),
                     box.min.y + static_cast<float>(i / best) * (card.y + gap)};
    cards.push_back({min, {min.x + card.x, min.y + card.y}});
  }
  return cards;
}

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
    // A hair less than asked for, so that rounding in the sum does not let one more in.
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

void HeadsAverage::want(const Tensor& values, const Tensor& mask, Index batch, const std::vector<Index>& heads) {
  if (values_.defined() && identical(values, values_) && identical(mask, mask_) && batch == batch_ && heads == heads_)
    return;
  const MatrixView shape = values.matrix();
  values_ = values;
  mask_ = mask;
  batch_ = batch;
  heads_ = heads;
  sums_.assign(static_cast<std::size_t>(shape.rows * shape.cols), 0);
  any_.assign(mask.defined() ? sums_.size() : 0, 0);
  next_row_ = 0;
  rows_ = shape.rows;
  mean_ = allowed_ = {};
}

void HeadsAverage::drop() { *this = {}; }

void HeadsAverage::advance(Index numbers) {
  if (!busy()) return;
  const Index cols = values_.size(-1);
  const Index a_row = std::max<Index>(cols * static_cast<Index>(heads_.size()), 1);
  const Index last = std::min(rows_, next_row_ + std::max<Index>(numbers / a_row, 1));
  for (; next_row_ < last; ++next_row_) add_row(next_row_);
  if (next_row_ < rows_) return;
  mean_ = Tensor({1, 1, rows_, cols}, std::move(sums_));
  if (mask_.defined()) allowed_ = Tensor({1, 1, rows_, cols}, std::move(any_));
}

void HeadsAverage::add_row(Index row) {
  const Index cols = values_.size(-1);
  float* sums = sums_.data() + row * cols;
  for (const Index head : heads_) {
    const MatrixView matrix = values_.matrix(batch_, head);
    for (Index col = 0; col < cols; ++col) sums[col] += matrix(row, col);
  }
  for (Index col = 0; col < cols; ++col) sums[col] /= static_cast<float>(heads_.size());
  if (!mask_.defined()) return;
  float* any = any_.data() + row * cols;
  for (const Index head : heads_) {
    const MatrixView mask = mask_.matrix(batch_, head);
    for (Index col = 0; col < cols; ++col) any[col] = std::max(any[col], mask(row, col));
  }
}

float HeadsAverage::share() const { return rows_ > 0 ? static_cast<float>(next_row_) / static_cast<float>(rows_) : 0; }

}  // namespace headlight
