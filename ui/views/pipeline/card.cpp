#include <algorithm>
#include <cmath>

#include "core/base/text/number_text.h"
#include "ui/base/frame/frame.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/parts/widgets/math_text.h"
#include "ui/views/pipeline/picture.h"

namespace headlight {
namespace {

constexpr float pad = card_pad, header = card_header;  // points
constexpr float footer = 39;                           // notes and colour bar
constexpr float notes_line = 18;
constexpr float reading_line = 15;
constexpr float least_beside_names = 20;  // minimum for an input's matrix
constexpr float scrubber_height = 10;
constexpr float strip_height = 7;  // of the head colours above a matrix
/// Lengths in a card, in points.
struct CardSizes {
  static constexpr float between_ends = 26;                      ///< the least colour bar, with its gaps
  static constexpr float projection_strip = 6, packed_bar = 14;  ///< of packed weights
  static constexpr float notes = 22, bar = 11;                   ///< above the card's lower edge
  static constexpr float notes_below_from = 230, notes_above_from = 196;
  static constexpr float after_title = 34;
  static constexpr float whose_beside = 60;      ///< from the title on, beside the head and the batch entry
  static constexpr float beside_row_strip = 90;  ///< the least matrix beside the numbers of its rows
  static constexpr float least_names = 32, names_below = 16, labelled_row = 14;
  static constexpr float bias = 6;
  static constexpr float measure_height = 17, measure_pad = 14, short_measure = 24;
};

std::string symbol_of(const Trace& trace, Stage stage, Index head) {
  const bool is_x = trace.inputs.self_attention() && is_input(stage);
  if (is_x) return "X";
  const std::string symbol(info(stage).symbol);
  if (!has_head_axis(stage) || stage == Stage::mask) return symbol;
  return symbol + "_{" + std::to_string(head / heads_per(trace, stage)) + "}";
}

/// The ends of a card's colour bar. If there is no room for both and the range is symmetric, one end is enough.
void set_ends(const Frame& frame, CardPicture& card, float inner, float t) {
  const ValueRange range = card.heats[0].quad.range;
  const BarEnds ends = bar_ends(card.heats[0]);
  card.lo = ends.norm ? frame.words(ends.norm) + formatted(" %.1g", static_cast<double>(range.lo))
                      : (ends.sampled ? "<" : "") + bound_text(range.lo);
  card.hi = (ends.sampled ? ">" : "") + bound_text(range.hi);
  const auto width = [&](const std::string& text) {
    return text_size(frame.fonts, Face::mono, end_points * t, text).x;
  };
  if (width(card.lo) + width(card.hi) + CardSizes::between_ends * t <= inner) return;
  card.lo = range.lo == -range.hi ? "±" + card.hi : card.lo + "…" + card.hi;
  card.hi.clear();
  if (width(card.lo) > inner) card.lo.clear();
}

/// Round numbers for a bar of this length, not too close to the labels of its ends.
std::vector<BarTick> ticks_between(const MatrixQuad& quad, float points) {
  std::vector<BarTick> ticks =
      quad.norm == Norm::linear
          ? bar_ticks(quad.range, std::clamp(static_cast<int>(points / 100), 2, 6) + 1)
          : spread_ticks(quad.range, quad.colormap->kind(), quad.norm, std::max(90 / points, 0.15f));
  std::erase_if(ticks, [](const BarTick& tick) { return tick.at < 0.16f || tick.at > 0.86f; });
  return ticks;
}

/// The title in the boldest type that fits.
void set_title(const Frame& frame, CardPicture& card, std::string_view title, float inner, float t) {
  for (const Face face : {Face::bold, Face::ui}) {
    card.title_face = face;
    if (text_size(frame.fonts, face, title_points * t, title).x <= inner) break;
  }
  card.title = elide(frame.fonts, card.title_face, title_points * t, title, inner);
}

/// One [d_model + 2·G·d_head, in] matrix across all three lanes; the rows of each third have its lane's colour.
CardPicture make_packed_card(const Frame& frame, const Slot& slot, float t) {
  const Trace& trace = *frame.trace();
  CardPicture card;
  card.stage = Stage::W_q;
  card.colour = frame.look.ink;
  card.card = slot.card;
  card.symbol = "W";
  const bool brief = frame.view().presenting;
  const float inner = card.card.width() - Space::apart * t;
  constexpr std::string_view all = "W_q, W_k, W_v";
  const std::string_view one = trace.gradients_of ? "d_W_qkv" : "W_qkv";
  const bool named = !trace.gradients_of && text_size(frame.fonts, Face::ui, title_points * t, all).x <= inner;
  set_title(frame, card, named ? all : one, inner, t);
  constexpr Stage weights[] = {Stage::W_q, Stage::W_k, Stage::W_v};
  Index rows = 0;
  for (const Stage stage : weights) rows += trace[stage].size(0);
  const float strip = CardSizes::projection_strip * t;
  const Rect box{{card.card.min.x + pad * t + strip, card.card.min.y + (header + pad / 2) * t},
                 {card.card.max.x - pad * t, card.card.max.y - (brief ? pad : footer + pad / 2) * t}};
  float y = box.min.y;
  for (const Stage stage : weights) {
    const float height = box.height() * static_cast<float>(trace[stage].size(0)) / static_cast<float>(rows);
    card.heats.push_back(make_heat(frame, stage, 0, {{box.min.x, y}, {box.max.x, y + height - Space::fine * t}}));
    y += height;
  }
  if (brief) return card;
  const float room = card.card.width() - 2 * pad * t;
  card.shape = size_text(frame, rows, trace[Stage::W_q].size(1), room, label_points * t);
  set_ends(frame, card, room, t);
  const float bar = card.card.max.y - CardSizes::packed_bar * t;
  card.notes = {{card.card.min.x + pad * t, bar - CardSizes::notes * t},
                {card.card.max.x - pad * t, bar - Space::close * t}};
  return card;
}

/// Which head and batch entry the weights are of, if there are several; `room` is the width for the text.
std::string whose(const Frame& frame, float room, float t) {
  const Dims& dims = frame.trace()->dims();
  std::string words;
  if (dims.heads > 1) words = frame.words.fill("inspector.head", {frame.view().head});
  if (dims.batch > 1)
    words += (words.empty() ? "" : ", ") + frame.words.fill("pipeline.batch_entry", {frame.view().batch});
  return text_size(frame.fonts, Face::bold, subtitle_points * t, words).x + CardSizes::whose_beside * t <= room
             ? words
             : std::string();
}

/// Whether the weights are complete: no moment is played, or one after them.
bool weights_are_there(const Frame& frame) {
  const std::optional<int> step = frame.view().step;
  if (!step) return true;
  const Shown shown = frame.timeline.shown(Stage::weights, *step);
  return frame.timeline.at(*step).stage != Stage::weights && shown.rows == Shown::all && shown.columns == Shown::all;
}

/// Makes a card: measures the room that labels, notes and strips take, and gives the matrix the rest.
struct CardMaker {
  const Frame& frame;
  const Slot& slot;
  float t = 1;
  const Trace& trace = *frame.trace();
  /// For weights, the selected measure, once the weights are complete.
  const Stage shown = weights_are_there(frame) ? measured_stage(trace, frame.view(), slot.stage) : slot.stage;
  const MatrixView matrix = trace[slot.stage].matrix();
  const bool brief = frame.view().presenting;  // beside the step, which has the names and numbers
  const bool large = slot.stage == Stage::weights;
  const bool labelled = !brief && (large || is_input(slot.stage));
  const bool has_bias = is_parameter(slot.stage) && trace[bias_beside(slot.stage)].defined();
  /// Notes are placed next to the title if height is scarce.
  const bool notes_above = large && slot.folded.empty() && slot.card.height() < CardSizes::notes_below_from * t &&
                           slot.card.width() > t* CardSizes::notes_above_from;
  float foot = brief ? 0 : notes_above ? footer - notes_line : footer;
  float label = 0, second_tier = 0, turned = 0,
        below = 0;  ///< lengths of the labels next to the rows and below the columns
  float bias = 0, strip = 0, head = 0;
  ImVec2 box{}, size{};  ///< the remaining room, and the matrix's part of it
  CardPicture card{};

  /// The width of the row statistics next to the matrix; 0 if there is no room for a number per row.
  float strip_width() const {
    if (brief || (slot.stage != Stage::weights && slot.stage != Stage::dropped_weights)) return 0;
    if (trace.gradients_of) return 0;  // they add up to nothing
    const float width = slot.card.width() - 2 * pad * t - label - row_strip_width * t;
    const float height = slot.card.height() - (header + foot + pad + CardSizes::names_below) * t;
    return width >= CardSizes::beside_row_strip * t &&
                   height / static_cast<float>(matrix.rows) >= LeastCell::numbers * t
               ? row_strip_width * t
               : 0;
  }

  void measure_names(float pitch) {
    const float most =
        large ? std::max(slot.card.width() * 0.5f, CardSizes::least_names * t)
              : std::max(slot.card.width() - (2 * pad + least_beside_names) * t, CardSizes::least_names * t);
    const RowNames names = names_beside(frame, info(slot.stage).rows, matrix.rows, pitch, label_points * t, most);
    label = names.room;
    second_tier = names.second_tier;
    const ImVec2 most_box{slot.card.width() - 2 * pad * t - label - strip_width(),
                          slot.card.height() - (header + foot + pad + CardSizes::names_below) * t};
    turned = large ? turned_room(frame, Axis::key, matrix.rows, matrix.cols, most_box, label_points * t) : 0;
    below = !large ? 0 : turned > 0 ? 0.71f * turned + NameGap::turned * t : CardSizes::names_below * t;
  }

  void measure() {
    if (labelled) {
      measure_names(1e6f);
      const float rows = slot.card.height() - (header + foot + pad) * t - below;
      measure_names(rows / static_cast<float>(matrix.rows));
    }
    bias = has_bias ? (Space::thin + CardSizes::bias) * t : 0;
    strip = shown == slot.stage ? strip_width() : 0;
    head =
        (header + (slot.folded.empty() ? 0 : scrubber_height) + (has_head_strips(slot.stage) ? strip_height : 0)) * t;
    fit();
    const std::string one_line = std::to_string(matrix.rows) + " × " + std::to_string(matrix.cols) + "  " + reading();
    card.reading_below = !brief && pooled() && !notes_above && width_of(one_line) > slot.card.width() - 2 * pad * t;
    if (!card.reading_below) return;
    foot += reading_line;
    fit();
  }

  void fit() {
    box = {std::max(slot.card.width() - 2 * pad * t - label - strip, 12.0f),
           std::max(slot.card.height() - head - (foot + pad) * t - below - bias, 12.0f)};
    // Rows are as high as their labels, if there is room.
    const float square = std::min(box.x / static_cast<float>(matrix.cols), box.y / static_cast<float>(matrix.rows));
    const float stretch = large                      ? 2.0f
                          : is_parameter(slot.stage) ? 1.12f
                          : labelled                 ? std::max(1.45f, CardSizes::labelled_row * t / square)
                                                     : 1.45f;
    size = fit_cells(matrix.rows, matrix.cols, box, stretch);
  }

  float width_of(Face face, float points, std::string_view words) const {
    return text_size(frame.fonts, face, points * t, words).x;
  }
  float width_of(std::string_view words) const { return width_of(Face::ui, label_points, words); }
  float symbol_width() const { return math_size(frame.fonts, symbol_points * t, card.symbol).x; }
  /// Of the title and the subtitle.
  float title_width() const {
    return width_of(card.title_face, title_points, card.title) + width_of(Face::bold, subtitle_points, card.subtitle);
  }

  bool pooled() const {
    return std::min(size.x / static_cast<float>(matrix.cols), size.y / static_cast<float>(matrix.rows)) < 1;
  }

  /// How a matrix with more cells than pixels is pooled, in words that fit the line below the shape.
  std::string reading() const {
    if (!pooled()) return {};
    if (trace[slot.stage].source()) return frame.words("pipeline.sampled_rows");
    const auto blocks = [](Index cells, float pixels) {
      return std::to_string(std::min<Index>(cells, std::lround(pixels)));
    };
    const bool means = is_parameter(slot.stage);
    std::string words = frame.words.fill(means ? "pipeline.pooled" : "pipeline.pooled_extremes",
                                         {blocks(matrix.rows, size.y), blocks(matrix.cols, size.x)});
    const bool narrow = card.reading_below && width_of(words) > slot.card.width() - 2 * pad * t;
    return narrow ? frame.words(means ? "pipeline.pooled_short" : "pipeline.extremes_short") : words;
  }

  /// Fits the card around its matrix; the centre of the lane does not move.
  void place_heats() {
    const float height = size.y + head + (foot + pad) * t + below + bias;
    const float middle = slot.card.centre().y;
    card.card = {{slot.card.min.x, middle - height / 2}, {slot.card.max.x, middle + height / 2}};
    const float left = card.card.min.x + pad * t + label + (box.x - size.x) / 2;
    const float top = card.card.min.y + head + pad * 0.5f * t;
    const Rect heat{{left, top}, {left + size.x, top + size.y}};
    card.heats.push_back(make_heat(frame, shown, frame.view().head, heat));
    if (labelled) {
      HeatPicture& named = card.heats.back();
      add_labels(frame, named, label_points * t, label - Space::tight * t, large);
      named.second_tier = second_tier / (label_points * t);
      named.turned_room = turned / (label_points * t);
    }
    if (has_bias) {
      const float y = heat.max.y + Space::thin * t;
      // b has one number per row of W, but is drawn as a row below the matrix.
      card.heats.push_back(
          make_heat(frame, bias_beside(slot.stage), 0, {{heat.min.x, y}, {heat.max.x, y + CardSizes::bias * t}}));
    }
    if (strip > 0) card.strip = row_strip(trace, card.heats[0]);
  }

  /// Below the matrix, or next to the title.
  Rect place_of_notes() const {
    const float bar = card.card.max.y - CardSizes::bar * t;
    if (!notes_above)
      return {{card.card.min.x + pad * t, bar - (3 + 22 + (card.reading_below ? reading_line : 0)) * t},
              {card.card.max.x - pad * t, bar - Space::gap * t}};
    const float top = card.card.min.y + (11.5f - label_points / 2) * t;
    const float end = card.measures.empty() ? card.card.max.x - symbol_width() - Space::row * t
                                            : card.measures.front().rect.min.x - Space::gap * t;
    return {{card.card.min.x + title_width() + CardSizes::after_title * t, top}, {end, top + label_points * 1.3f * t}};
  }

  /// Between the title and the symbol: all three measures or, if they do not fit, only the next one.
  void add_measures() {
    if (!large || !weights_are_there(frame) || !can_be_measured(trace)) return;
    const float height = CardSizes::measure_height * t;
    float total = 0;
    for (const char* key : measure_keys)
      total += width_of(Face::bold, label_points, frame.words(key)) + CardSizes::measure_pad * t;
    const float symbol = symbol_width();
    const float room = card.card.width() - title_width() - symbol - (2 * pad + CardSizes::after_title) * t,
                y = card.card.min.y + Space::tight * t, end = card.card.max.x - (pad + Space::gap) * t - symbol;
    const HeadMeasure now = measure_shown(trace, frame.view());
    const auto put = [&](HeadMeasure measure, float x, const std::string& words) {
      const float width = width_of(Face::bold, label_points, words) + CardSizes::measure_pad * t;
      card.measures.push_back({measure, {{x, y}, {x + width, y + height}}, words, measure == now});
      return x + width;
    };
    if (total <= room && !notes_above) {
      float x = end - total;
      for (std::size_t i = 0; i < std::size(measure_keys); ++i)
        x = put(static_cast<HeadMeasure>(i), x, frame.words(measure_keys[i]));
      return;
    }
    const std::size_t next = (static_cast<std::size_t>(now) + 1) % std::size(measure_keys);
    const std::string words = "→ " + std::string(frame.words(measure_keys[next]));
    const float width = width_of(Face::bold, label_points, words) + CardSizes::measure_pad * t;
    if (width <= room) put(static_cast<HeadMeasure>(next), end - width, words);
    else if (room > Space::tight * t) put(static_cast<HeadMeasure>(next), end - CardSizes::short_measure * t, "→");
  }

  /// Title, symbol, notes and colour bar.
  void write() {
    card.stage = slot.stage;
    card.colour = frame.look.lane(slot.stage);
    card.behind = cards_behind(trace, slot.stage);
    card.labelled = labelled;
    if (has_head_axis(slot.stage) && trace.dims().heads > 1 && slot.stage != Stage::mask)
      card.border = frame.look.head(frame.view().head);
    const float inner = card.card.width() - 2 * pad * t;
    const bool is_x = slot.stage == Stage::key && trace.inputs.self_attention();
    const bool measured = shown != slot.stage;
    const std::string title = is_x       ? (trace.gradients_of ? "d_X" : "X")
                              : measured ? frame.words(measure_keys[static_cast<std::size_t>(frame.view().measure)])
                                         : trace.name_of(slot.stage);
    set_title(frame, card, title, card.card.width() - Space::apart * t, t);
    if (!measured) card.symbol = symbol_of(trace, slot.stage, frame.view().head);
    if (card.symbol == card.title) card.symbol.clear();
    card.folded = slot.folded;
    if (brief) return;
    if (large) card.subtitle = whose(frame, inner - width_of(card.title_face, title_points, card.title), t);
    add_measures();
    card.notes = place_of_notes();
    card.shape = shape_text(frame, slot.stage, card.notes.width(), label_points * t);
    card.reading = reading();
    if (info(slot.stage).palette != Palette::boolean) {
      set_ends(frame, card, inner, t);
      if (large) card.ticks = ticks_between(card.heats[0].quad, inner / t);
    }
  }
};

}  // namespace

ImVec2 fit_cells(Index rows, Index cols, ImVec2 box, float stretch) {
  constexpr float least = 0.42f;
  const auto r = static_cast<float>(rows), c = static_cast<float>(cols);
  const float w = box.x / c, h = box.y / r;
  const float side = std::min(w, h) * stretch;
  return {std::max(std::min(w, side) * c, std::min(box.x, box.y * least)),
          std::max(std::min(h, side) * r, std::min(box.y, box.x * least))};
}

CardPicture make_card(const Frame& frame, const Slot& slot, float type) {
  const float t = frame.u * type;
  if (slot.stage == Stage::W_q && slot.folded.empty() && shows_packed(frame)) return make_packed_card(frame, slot, t);
  CardMaker maker{frame, slot, t};
  maker.measure();
  maker.place_heats();
  maker.write();
  return std::move(maker.card);
}

void write_notes(const Frame& frame, CardPicture& card, bool named, float t) {
  const float width = card.notes.width();
  const auto length = [&](const std::string& text) {
    return text_size(frame.fonts, Face::ui, label_points * t, text).x;
  };
  const bool joined = !card.reading.empty() && !card.reading_below;
  const float beside = joined ? length("  " + card.reading) : 0;
  card.shape = shape_text(frame, card.stage, width - beside, label_points * t, named);
  if (card.shape.empty()) card.shape = shape_text(frame, card.stage, width, label_points * t, named);
  else if (joined) card.shape += "  " + card.reading;
  card.counts = count_notes(frame, card.heats[0], width - length(card.shape) - Space::gap * t, card.notes.max.x, t);
}

}  // namespace headlight
