#include "ui/views/heads/heads_picture.h"

#include <algorithm>
#include <utility>

#include "core/compute/run/contributions.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/parts/scene/pen.h"
#include "ui/parts/widgets/card.h"

namespace headlight {
namespace {

constexpr float head_of_card = 25;  // height of its title, in points
constexpr float above_cells = 28;   // of a card whose columns have names at 45°

bool is_chosen(const HeadsChoice& choice, Index head) {
  return choice.heads.empty() || std::ranges::find(choice.heads, head) != choice.heads.end();
}

/// Centres the matrix in its card; the aspect ratio of its cells is at most 2.
Rect heat_rect(const Rect& box, Index rows, Index cols) {
  const float w = std::max(box.width(), 4.0f) / static_cast<float>(cols);
  const float h = std::max(box.height(), 4.0f) / static_cast<float>(rows);
  const float side = std::min(w, h) * 2;
  const float least = 0.15f * std::min(std::max(box.width(), 4.0f), std::max(box.height(), 4.0f));
  const ImVec2 size{std::max(std::min(w, side) * static_cast<float>(cols), least),
                    std::max(std::min(h, side) * static_cast<float>(rows), least)};
  return around(box.centre(), size.x / 2, size.y / 2);
}

/// Room for the labels along the sides of a card.
struct LabelRoom {
  float left = 0, below = 0;
  float turned = 0;  ///< length of the column labels, if they are at 45°
};

/// The labels of a card that has `most` for those of its rows.
LabelRoom label_room(const Frame& frame, Stage stage, const MatrixView& matrix, ImVec2 card, float most, float pixels) {
  const float u = frame.u;
  const float widest = widest_label(frame, info(stage).rows, matrix.rows, pixels);
  LabelRoom room{std::min(widest + Space::close * u, most), pixels * 1.5f, 0};
  const Axis columns = info(stage).cols;
  if (columns != Axis::key && columns != Axis::query) return room;
  room.turned = turned_room(frame, columns, matrix.rows, matrix.cols,
                            {card.x - room.left - Space::apart * u, card.y - room.below - above_cells * u}, pixels);
  if (room.turned > 0) room.below = 0.71f * room.turned + pixels * 1.2f;
  return room;
}

/// A card of a head, in points.
struct HeadCardSizes {
  static constexpr float corner = 7, mark = 7, border = 1.1f, front_border = 2.4f;
  static constexpr float names_from_width = 170, names_from_height = 130, shared_names = 72;
  static constexpr float marks_from = 8;     ///< lines around larger cells do not hide them
  static constexpr float least_cell = 6.5f;  ///< beside the numbers of the rows
};

/// The cards with the room for the labels of each. Small cards share theirs: rows are named in the first column of
/// cards, columns in the lowest card of each column, and cells too small for that have no names.
struct CardGrid {
  std::vector<Rect> places;
  std::vector<LabelRoom> names;

  CardGrid(const Frame& frame, Stage stage, const MatrixView& matrix, Rect grid, Index count, float pixels) {
    const float u = frame.u, gap = (count > 20 ? Space::tight : Space::pad) * u;
    const float aspect = std::clamp(static_cast<float>(matrix.cols) / static_cast<float>(matrix.rows), 0.5f, 2.0f);
    const auto lay_out = [&](const Rect& box) { return lay_out_heads(count, box, aspect, gap, head_of_card * u); };
    const auto size = [&] { return ImVec2{places[0].width(), places[0].height()}; };
    places = lay_out(grid);
    if (size().x >= HeadCardSizes::names_from_width * u && size().y >= HeadCardSizes::names_from_height * u) {
      names.assign(places.size(), label_room(frame, stage, matrix, size(), places[0].width() * 0.25f, pixels));
      return;
    }
    names.resize(places.size());
    const LabelRoom rows = label_room(frame, stage, matrix, size(), HeadCardSizes::shared_names * u, pixels);
    grid.min.x += rows.left;
    std::vector<Rect> wide = std::exchange(places, lay_out(grid));
    const LabelRoom shared =
        label_room(frame, stage, matrix, {size().x + rows.left, size().y}, HeadCardSizes::shared_names * u, pixels);
    grid.max.y -= shared.below;
    places = lay_out(grid);
    const float least = Space::near * u;
    if (size().x - Space::apart * u < least * static_cast<float>(matrix.cols) ||
        size().y - (head_of_card + Space::near) * u < least * static_cast<float>(matrix.rows)) {
      places = std::move(wide);
      return;
    }
    share(shared, count);
  }

 private:
  void share(const LabelRoom& room, Index count) {
    const float left = places[0].min.x, top = places[0].min.y;
    const Index columns = std::ranges::count_if(places, [top](const Rect& place) { return place.min.y == top; });
    for (Index i = 0; i < count; ++i) {
      Rect& place = places[static_cast<std::size_t>(i)];
      LabelRoom& own = names[static_cast<std::size_t>(i)];
      if (place.min.x == left) {
        own.left = room.left;
        place.min.x -= room.left;
      }
      if (i + columns < count) continue;
      own.below = room.below;
      own.turned = room.turned;
      place.max.y += room.below;
    }
  }
};

struct HeadCard {
  Index head = 0;   ///< query head; for a key/value head, the first query head that uses it
  Index users = 1;  ///< number of query heads that use it; 0: the mean over the chosen heads
  bool chosen = true;
  std::string title, number;  ///< "head 3", or "3" if that does not fit
};

/// One card per head, and one for their mean.
std::vector<HeadCard> head_cards(const Frame& frame, const Tensor& values, Index group, HeadsPicture& picture) {
  const HeadsChoice& choice = frame.view().heads;
  std::vector<HeadCard> cards;
  std::vector<Index> shared;  // the chosen heads, as indices of the tensor's own axis
  for (Index h = 0; h < values.size(1); ++h) {
    if (choice.isolated && *choice.isolated / group != h) continue;
    HeadCard card{h * group, group, choice.isolated.has_value(), {}, std::to_string(h)};
    for (Index g = 0; g < group; ++g) card.chosen = card.chosen || is_chosen(choice, card.head + g);
    if (card.chosen) shared.push_back(h);
    card.title = frame.words.fill(group > 1 ? "heads.kv_head" : "heads.head", {card.number});
    cards.push_back(std::move(card));
  }
  if (shared.size() < 2 || values.source()) return cards;  // the mean of matrices that are not in memory is omitted
  picture.average_title = frame.words.fill("heads.average", {shared.size()});
  picture.averaged = std::move(shared);
  cards.push_back({0, 0, true, picture.average_title, frame.words("heads.average_short")});
  return cards;
}

/// The head's hue is shown next to its name; if there is only room for its number, on the border.
void put_card(Pen& pen, const HeadCard& card, const Rect& place, std::size_t count, SceneHeat heat) {
  const float u = pen.u(), pixels = TypeSize::body * u;
  const Look& look = pen.look();
  const Rect r = card_on_pixels(place);
  const bool average = card.users == 0, front = !average && card.head == pen.context().view.head;
  const ImU32 hue = average ? look.line : fade(look.head(card.head), card.chosen ? 1.0f : 0.35f);
  const Face face = average ? Face::ui : Face::bold;
  const auto fits = [&](const std::string& words, float room) { return pen.measure(face, pixels, words).x <= room; };
  const bool marked = !average && fits(std::string(std::to_string(count).size(), '8'), r.width() - Space::section * u);
  const float mark = marked ? Space::apart * u : 0, room = r.width() - Space::apart * u - mark;
  pen.fill(r, look.card, HeadCardSizes::corner * u);
  if (marked)
    pen.fill({{r.min.x + HeadCardSizes::mark * u, r.min.y + Space::gap * u},
              {r.min.x + (HeadCardSizes::mark + Space::gap) * u, r.min.y + Space::part * u}},
             hue, Corner::mark * u);
  const std::string& title = fits(card.title, room) ? card.title : card.number;
  if (fits(title, room))
    pen.words(face, pixels, {r.min.x + HeadCardSizes::mark * u + mark, r.min.y + Space::tight * u},
              card.chosen ? look.ink : look.muted, title);
  const HeatPicture& cells = *heat.heat;
  const bool covered = std::min(cells.rect.width() / static_cast<float>(cells.cols),
                                cells.rect.height() / static_cast<float>(cells.rows)) < HeadCardSizes::marks_from * u;
  heat.numbers = card.chosen;
  heat.marks = front || !covered;  // otherwise the lines would hide what they surround
  heat.every_head = true;          // query 3 is the same query in every head
  pen.target(place, SceneAction::head, card.users, {cells.stage, cells.batch, card.head, 0, 0});
  pen.heat(std::move(heat));
  pen.box(r, hue, (front ? HeadCardSizes::front_border : HeadCardSizes::border) * u, HeadCardSizes::corner * u,
          average ? 0 : look.head_lap(card.head));
}

/// The colour range of the mean includes those of all heads.
void make_average(std::shared_ptr<HeatPicture> heat, ValueRange range, HeadsPicture& picture) {
  MatrixQuad& quad = heat->quad;
  quad.range = range;
  quad.values = {};
  picture.averaged_mask = std::exchange(quad.mask, Tensor());
  quad.kept = Tensor();
  heat->shades = Tensor();
  quad.row_ranges = false;
  quad.batch = quad.head = heat->batch = heat->head = 0;
  picture.average = std::move(heat);
}

void put_cards(const Frame& frame, Pen& pen, Rect grid, HeadsPicture& picture) {
  const Trace& trace = *frame.trace();
  const Stage stage = heads_stage(trace, frame.view());
  const Tensor values = numbers_shown(frame, stage);
  const std::vector<HeadCard> cards = head_cards(frame, values, heads_per(trace, stage), picture);
  const MatrixView matrix = values.matrix();
  const float u = frame.u, header = head_of_card * u, pad = Space::near * u;
  const bool alone = cards.size() == 1;
  picture.type = alone ? 1.25f : 1;
  const float t = u * picture.type, labels = TypeSize::note * t;
  const auto [places, names] = CardGrid(frame, stage, matrix, grid, static_cast<Index>(cards.size()), labels);
  const bool has_strip =
      alone && (stage == Stage::weights || stage == Stage::dropped_weights) &&
      places[0].height() / static_cast<float>(matrix.rows) >= LeastCell::numbers * t &&
      (places[0].width() - 2 * pad - names[0].left - row_strip_width * t) / static_cast<float>(matrix.cols) >=
          HeadCardSizes::least_cell * t;  // rows stay at least as high as their numbers
  const float beside = pad + (has_strip ? row_strip_width * t : 0);
  ValueRange range;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Rect& place = places[i];
    const Rect box{{place.min.x + pad + names[i].left, place.min.y + header},
                   {place.max.x - beside, place.max.y - pad - names[i].below}};
    const auto heat =
        std::make_shared<HeatPicture>(make_heat(frame, stage, cards[i].head, heat_rect(box, matrix.rows, matrix.cols)));
    if (names[i].left > 0 || names[i].below > 0)
      add_labels(frame, *heat, labels, std::max(names[i].left - Space::tight * u, 0.0f), names[i].below > 0);
    if (names[i].left == 0) heat->row_labels.clear();
    heat->turned_room = names[i].turned / labels;
    if (has_strip) picture.strip = row_strip(trace, *heat);
    heat->quad.opacity = cards[i].chosen ? 1.0f : 0.3f;
    const ValueRange own = heat->quad.range;
    range = i == 0 ? own : ValueRange{std::min(range.lo, own.lo), std::max(range.hi, own.hi)};
    if (i == 0) picture.first = heat;
    if (cards[i].users == 0) make_average(heat, range, picture);
    put_card(pen, cards[i], place, cards.size(), {heat, labels});
  }
}

/// The colour bar below the cards, with the words before it, in points.
struct ScaleSizes {
  static constexpr float room = 21, words = 15, bar = 90, bar_bottom = 11;
};

/// The colour bar below the cards, with its ends, unless each head or row has its own range.
void put_scale(const Frame& frame, Pen& pen, Rect grid, const HeatPicture& heat) {
  const float u = frame.u, pixels = TypeSize::note * u, y = grid.max.y - ScaleSizes::words * u;
  const MatrixQuad& quad = heat.quad;
  float x = grid.min.x;
  const auto put = [&](Face face, std::string_view words) {
    x = pen.words(face, pixels, {x, y}, frame.look.muted, words).max.x + Space::near * u;
  };
  if (info(heat.stage).palette == Palette::boolean) return;
  if (quad.row_ranges || frame.view().range.mode == RangeMode::head)
    return put(Face::ui, frame.words(quad.row_ranges ? "heads.colours_row" : "heads.colours_head"));
  std::string words = frame.words("heads.colours");
  const BarEnds ends = bar_ends(heat);
  if (ends.norm) words.append(" · ").append(frame.words(ends.norm));
  put(Face::ui, words);
  put(Face::mono, (ends.sampled ? "<" : "") + bound_text(ends.lo));
  const Rect bar{{x, y + Space::tight * u}, {x + ScaleSizes::bar * u, y + ScaleSizes::bar_bottom * u}};
  pen.colours(bar, *heat.colormap);
  x = bar.max.x + Space::near * u;
  put(Face::mono, (ends.sampled ? ">" : "") + bound_text(ends.hi));
}

HeadsPicture make_heads_picture(const Frame& frame, Rect grid, Rect arcs) {
  const Trace& trace = *frame.trace();
  const View& view = frame.view();
  HeadsPicture picture;
  Pen pen(frame, picture.cards);
  put_cards(frame, pen, {grid.min, {grid.max.x, grid.max.y - ScaleSizes::room * frame.u}}, picture);
  put_scale(frame, pen, grid, *picture.first);
  picture.n_q = trace.dims().n_q;
  picture.n_k = trace.dims().n_k;
  picture.batch = view.batch;
  picture.arcs = arcs;
  picture.arcs_of = measured_stage(trace, view, Stage::weights);
  const Tensor lengths = numbers_shown(frame, picture.arcs_of);
  picture.arc_shares =
      is_measure(picture.arcs_of) && view.measure != HeadMeasure::share ? row_shares(lengths) : lengths;
  return picture;
}

}  // namespace

Stage heads_stage(const Trace& trace, const View& view) { return measured_stage(trace, view, view.heads.stage); }

const HeadsPicture& heads_picture(const Frame& frame, Rect grid, Rect arcs) {
  constexpr Index averaged_a_frame = 2'000'000;  // numbers per frame: one or two milliseconds
  const View& view = frame.view();
  const Trace& trace = *frame.trace();
  HeadsPicture& picture = frame.picture<HeadsPicture>([&] { return make_heads_picture(frame, grid, arcs); }, view.heads,
                                                      view.measure, grid, arcs);
  if (picture.averaged.empty()) return picture;
  HeadsAverage& average = frame.pictures.get<HeadsAverage>([] { return HeadsAverage(); }, frame.document.trace);
  average.want(numbers_shown(frame, heads_stage(trace, view)), picture.averaged_mask, view.batch, picture.averaged);
  average.advance(averaged_a_frame);
  if (average.busy()) frame.pictures.go_on();
  MatrixQuad& quad = picture.average->quad;
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
    if (height > largest) largest = height, best = cols;
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
