#include <algorithm>
#include <cmath>

#include "core/text/number_text.h"
#include "ui/document/action.h"
#include "ui/frame/frame.h"
#include "ui/look/words.h"
#include "ui/pipeline/picture.h"
#include "ui/widgets/math_text.h"

namespace headlight {
namespace {

constexpr float pad = card_pad, header = card_header;  // points
constexpr float footer = 39;                           // notes and colour bar
constexpr float notes_line = 18;
constexpr float reading_line = 15;
constexpr float least_beside_names = 20;  // minimum for an input's matrix
constexpr float scrubber_height = 10;
constexpr float strip_height = 7;  // of the head colours above a matrix

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
  card.lo = bound_text(range.lo);
  card.hi = bound_text(range.hi);
  const bool sampled = card.heats[0].quad.values.source() && range.lo < 0;
  if (sampled) card.lo = "<" + card.lo, card.hi = ">" + card.hi;
  if (card.heats[0].quad.norm != Norm::linear) {
    card.lo = frame.words(card.heats[0].quad.norm == Norm::log ? "controls.norm_log" : "controls.norm_sqrt") +
              formatted(" %.1g", static_cast<double>(range.lo));
  }
  const auto width = [&](const std::string& text) {
    return text_size(frame.fonts, Face::mono, end_points * t, text).x;
  };
  if (width(card.lo) + width(card.hi) + 26 * t <= inner) return;
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
  const float inner = card.card.width() - 12 * t;
  constexpr std::string_view all = "W_q, W_k, W_v";
  set_title(frame, card, text_size(frame.fonts, Face::ui, title_points * t, all).x <= inner ? all : "W_qkv", inner, t);
  constexpr Stage weights[] = {Stage::W_q, Stage::W_k, Stage::W_v};
  Index rows = 0;
  for (const Stage stage : weights) rows += trace[stage].size(0);
  const float strip = 6 * t;
  const Rect box{{card.card.min.x + pad * t + strip, card.card.min.y + (header + pad / 2) * t},
                 {card.card.max.x - pad * t, card.card.max.y - (footer + pad / 2) * t}};
  float y = box.min.y;
  for (const Stage stage : weights) {
    const float height = box.height() * static_cast<float>(trace[stage].size(0)) / static_cast<float>(rows);
    card.heats.push_back(make_heat(frame, stage, 0, {{box.min.x, y}, {box.max.x, y + height - 2 * t}}));
    y += height;
  }
  card.shape = std::to_string(rows) + " × " + std::to_string(trace[Stage::W_q].size(1));
  set_ends(frame, card, card.card.width() - 2 * pad * t, t);
  const float bar = card.card.max.y - 14 * t;
  card.notes = {{card.card.min.x + pad * t, bar - 22 * t}, {card.card.max.x - pad * t, bar - 5 * t}};
  return card;
}

/// Whether there is room for a number per row next to a card's matrix.
bool has_strip(const Slot& slot, const MatrixView& matrix, float label_room, float foot, float t) {
  if (slot.stage != Stage::weights && slot.stage != Stage::dropped_weights) return false;
  const float width = slot.card.width() - 2 * pad * t - label_room - row_strip_width * t;
  const float height = slot.card.height() - (header + foot + pad + 16) * t;
  return width >= 90 * t && height / static_cast<float>(matrix.rows) >= 13 * t;
}

/// The length of the key labels in pixels, if they are at 45°; else 0.
float turned_labels(const Frame& frame, const Slot& slot, const MatrixView& matrix, float label_room, float foot,
                    float t) {
  const float strip = has_strip(slot, matrix, label_room, foot, t) ? row_strip_width * t : 0;
  const ImVec2 box{slot.card.width() - 2 * pad * t - label_room - strip,
                   slot.card.height() - (header + foot + pad + 16) * t};
  return turned_room(frame, Axis::key, matrix.rows, matrix.cols, box, 12 * t);
}

/// Which head and batch entry the weights are of, if there are several; `room` is the width for the text.
std::string whose(const Frame& frame, float room, float t) {
  const Dims& dims = frame.trace()->dims();
  std::string words;
  if (dims.heads > 1) words = frame.words.fill("inspector.head", {frame.view().head});
  if (dims.batch > 1)
    words += (words.empty() ? "" : ", ") + frame.words.fill("pipeline.batch_entry", {frame.view().batch});
  return text_size(frame.fonts, Face::bold, subtitle_points * t, words).x + 60 * t <= room ? words : std::string();
}

/// Whether the weights are complete: no moment is played, or one after them.
bool weights_are_there(const Frame& frame) {
  const std::optional<int> step = frame.view().step;
  if (!step) return true;
  const Shown shown = frame.timeline.shown(Stage::weights, *step);
  return frame.timeline.at(*step).stage != Stage::weights && shown.rows == Shown::all && shown.columns == Shown::all;
}

/// The room that a card's labels, notes and strips take before the matrix gets the rest.
struct CardRooms {
  const Frame& frame;
  const Slot& slot;
  float t = 1;
  const Trace& trace = *frame.trace();
  /// For weights, the selected measure, once the weights are complete.
  const Stage shown = weights_are_there(frame) ? measured_stage(trace, frame.view(), slot.stage) : slot.stage;
  const MatrixView matrix = trace[slot.stage].matrix();
  const bool large = slot.stage == Stage::weights;
  const bool labelled = large || is_input(slot.stage);
  const bool has_bias = is_parameter(slot.stage) && trace[bias_beside(slot.stage)].defined();
  /// Notes are placed next to the title if height is scarce.
  const bool notes_above = large && slot.folded.empty() && slot.card.height() < 230 * t && slot.card.width() > 196 * t;
  float foot = notes_above ? footer - notes_line : footer;
  float label = 0, second_tier = 0, turned = 0,
        below = 0;  ///< lengths of the labels next to the rows and below the columns
  float bias = 0, strip = 0, head = 0;
  ImVec2 box{}, size{};        ///< the remaining room, and the matrix's part of it
  bool reading_below = false;  ///< the note on pooling is on its own line below the shape

  void measure_names(float pitch) {
    const float most = large ? std::max(slot.card.width() * 0.5f, 32 * t)
                             : std::max(slot.card.width() - (2 * pad + least_beside_names) * t, 32 * t);
    const RowNames names = names_beside(frame, info(slot.stage).rows, matrix.rows, pitch, label_points * t, most);
    label = names.room;
    second_tier = names.second_tier;
    turned = large ? turned_labels(frame, slot, matrix, label, foot, t) : 0;
    below = !large ? 0 : turned > 0 ? 0.71f * turned + 14 * t : 16 * t;
  }

  void measure() {
    if (labelled) {
      measure_names(1e6f);
      const float rows = slot.card.height() - (header + foot + pad) * t - below;
      measure_names(rows / static_cast<float>(matrix.rows));
    }
    bias = has_bias ? 9 * t : 0;
    strip = shown == slot.stage && has_strip(slot, matrix, label, foot, t) ? row_strip_width * t : 0;
    head =
        (header + (slot.folded.empty() ? 0 : scrubber_height) + (has_head_strips(slot.stage) ? strip_height : 0)) * t;
    fit();
    const std::string one_line = std::to_string(matrix.rows) + " × " + std::to_string(matrix.cols) + "  " + reading();
    reading_below = pooled() && !notes_above && width_of(one_line) > slot.card.width() - 2 * pad * t;
    if (!reading_below) return;
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
                          : labelled                 ? std::max(1.45f, 14 * t / square)
                                                     : 1.45f;
    size = fit_cells(matrix.rows, matrix.cols, box, stretch);
  }

  float width_of(std::string_view words) const { return text_size(frame.fonts, Face::ui, label_points * t, words).x; }

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
    const bool narrow = reading_below && width_of(words) > slot.card.width() - 2 * pad * t;
    return narrow ? frame.words(means ? "pipeline.pooled_short" : "pipeline.extremes_short") : words;
  }
};

/// Fits the card around its matrix; the centre of the lane does not move.
void place_heats(const CardRooms& rooms, CardPicture& card) {
  const Frame& frame = rooms.frame;
  const Slot& slot = rooms.slot;
  const float t = rooms.t;
  const float height = rooms.size.y + rooms.head + (rooms.foot + pad) * t + rooms.below + rooms.bias;
  const float middle = slot.card.centre().y;
  card.card = {{slot.card.min.x, middle - height / 2}, {slot.card.max.x, middle + height / 2}};
  const float left = card.card.min.x + pad * t + rooms.label + (rooms.box.x - rooms.size.x) / 2;
  const float top = card.card.min.y + rooms.head + pad * 0.5f * t;
  const Rect heat{{left, top}, {left + rooms.size.x, top + rooms.size.y}};
  card.heats.push_back(make_heat(frame, rooms.shown, frame.view().head, heat));
  if (rooms.labelled) {
    HeatPicture& shown = card.heats.back();
    add_labels(frame, shown, label_points * t, rooms.label - 4 * t, rooms.large);
    shown.second_tier = rooms.second_tier / (label_points * t);
    shown.turned_room = rooms.turned / (label_points * t);
  }
  if (rooms.has_bias) {
    const float y = heat.max.y + 3 * t;
    // b has one number per row of W, but is drawn as a row below the matrix.
    card.heats.push_back(make_heat(frame, bias_beside(slot.stage), 0, {{heat.min.x, y}, {heat.max.x, y + 6 * t}}));
  }
  if (rooms.strip > 0) card.strip = row_strip(rooms.trace, card.heats[0]);
}

/// Below the matrix, or next to the title.
Rect place_of_notes(const CardRooms& rooms, const CardPicture& card) {
  const float t = rooms.t, bar = card.card.max.y - 11 * t;
  if (!rooms.notes_above)
    return {{card.card.min.x + pad * t, bar - (3 + 22 + (rooms.reading_below ? reading_line : 0)) * t},
            {card.card.max.x - pad * t, bar - 8 * t}};
  const Fonts& fonts = rooms.frame.fonts;
  const float words = text_size(fonts, card.title_face, title_points * t, card.title).x +
                      text_size(fonts, Face::bold, subtitle_points * t, card.subtitle).x;
  const float top = card.card.min.y + (11.5f - label_points / 2) * t;
  const float end = card.measures.empty()
                        ? card.card.max.x - math_size(fonts, symbol_points * t, card.symbol).x - 18 * t
                        : card.measures.front().rect.min.x - 8 * t;
  return {{card.card.min.x + words + 34 * t, top}, {end, top + label_points * 1.3f * t}};
}

/// Between the title and the symbol: all three measures or, if they do not fit, only the next one.
void add_measures(const CardRooms& rooms, CardPicture& card) {
  const Frame& frame = rooms.frame;
  if (!rooms.large || !weights_are_there(frame) || !can_be_measured(rooms.trace)) return;
  const float t = rooms.t, height = 17 * t;
  const auto width_of = [&](Face face, float points, std::string_view words) {
    return text_size(frame.fonts, face, points * t, words).x;
  };
  float total = 0;
  for (const char* key : measure_keys) total += width_of(Face::bold, label_points, frame.words(key)) + 14 * t;
  const float title =
      width_of(card.title_face, title_points, card.title) + width_of(Face::bold, subtitle_points, card.subtitle);
  const float symbol = math_size(frame.fonts, symbol_points * t, card.symbol).x;
  const float room = card.card.width() - title - symbol - (2 * pad + 34) * t, y = card.card.min.y + 4 * t,
              end = card.card.max.x - (pad + 8) * t - symbol;
  const HeadMeasure now = measure_shown(rooms.trace, frame.view());
  const auto put = [&](HeadMeasure measure, float x, const std::string& words) {
    const float width = width_of(Face::bold, label_points, words) + 14 * t;
    card.measures.push_back({measure, {{x, y}, {x + width, y + height}}, words, measure == now});
    return x + width;
  };
  if (total <= room && !rooms.notes_above) {
    float x = end - total;
    for (std::size_t i = 0; i < std::size(measure_keys); ++i)
      x = put(static_cast<HeadMeasure>(i), x, frame.words(measure_keys[i]));
    return;
  }
  const std::size_t next = (static_cast<std::size_t>(now) + 1) % std::size(measure_keys);
  const std::string words = "→ " + std::string(frame.words(measure_keys[next]));
  const float width = width_of(Face::bold, label_points, words) + 14 * t;
  if (width <= room) put(static_cast<HeadMeasure>(next), end - width, words);
  else if (room > 4 * t) put(static_cast<HeadMeasure>(next), end - 24 * t, "→");
}

/// Title, symbol, notes and colour bar.
void write_card(const CardRooms& rooms, CardPicture& card) {
  const Frame& frame = rooms.frame;
  const Slot& slot = rooms.slot;
  const float t = rooms.t;
  const Trace& trace = rooms.trace;
  const float inner = card.card.width() - 2 * pad * t;
  const bool is_x = slot.stage == Stage::key && trace.inputs.self_attention();
  const bool measured = rooms.shown != slot.stage;
  const std::string_view title = is_x       ? "X"
                                 : measured ? frame.words(measure_keys[static_cast<std::size_t>(frame.view().measure)])
                                            : name(slot.stage);
  set_title(frame, card, title, card.card.width() - 12 * t, t);
  if (!measured) card.symbol = symbol_of(trace, slot.stage, frame.view().head);
  if (card.symbol == card.title) card.symbol.clear();
  card.folded = slot.folded;
  if (rooms.large)
    card.subtitle = whose(frame, inner - text_size(frame.fonts, card.title_face, title_points * t, card.title).x, t);
  add_measures(rooms, card);
  card.notes = place_of_notes(rooms, card);
  card.shape = shape_text(frame, slot.stage, card.notes.width(), label_points * t);
  card.reading = rooms.reading();
  card.reading_below = rooms.reading_below;
  if (info(slot.stage).palette != Palette::boolean) {
    set_ends(frame, card, inner, t);
    if (rooms.large) card.ticks = ticks_between(card.heats[0].quad, inner / t);
  }
}

}  // namespace

ImVec2 fit_cells(Index rows, Index cols, ImVec2 box, float stretch) {
  constexpr float least = 0.42f;
  const auto r = static_cast<float>(rows);
  const auto c = static_cast<float>(cols);
  const float w = box.x / c;
  const float h = box.y / r;
  const float side = std::min(w, h) * stretch;
  return {std::max(std::min(w, side) * c, std::min(box.x, box.y * least)),
          std::max(std::min(h, side) * r, std::min(box.y, box.x * least))};
}

CardPicture make_card(const Frame& frame, const Slot& slot, float type) {
  const float t = frame.u * type;
  if (slot.stage == Stage::W_q && slot.folded.empty() && shows_packed(frame)) return make_packed_card(frame, slot, t);
  CardRooms rooms{frame, slot, t};
  rooms.measure();
  CardPicture card;
  card.stage = slot.stage;
  card.colour = frame.look.lane(slot.stage);
  card.behind = cards_behind(rooms.trace, slot.stage);
  card.labelled = rooms.labelled;
  if (has_head_axis(slot.stage) && rooms.trace.dims().heads > 1 && slot.stage != Stage::mask)
    card.border = frame.look.head(frame.view().head);
  place_heats(rooms, card);
  write_card(rooms, card);
  return card;
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
  card.counts = count_notes(frame, card.heats[0], width - length(card.shape) - 8 * t, card.notes.max.x, t);
}

}  // namespace headlight
