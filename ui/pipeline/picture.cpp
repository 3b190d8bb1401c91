#include "ui/pipeline/picture.h"
#include "ui/look/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ui/frame/colormaps.h"
#include "ui/frame/said.h"
#include "ui/widgets/math_text.h"

namespace headlight {
namespace {

constexpr float pad = 8;         // points
constexpr float header = 24;
constexpr float footer = 39;     // shape line and colour bar
constexpr float scrubber_height = 10;
constexpr float strip_height = 7;  // of the heads' colours over a matrix

/// Cells as large as the box allows, at most this much longer one way than the other, but for matrices that are much
/// wider or taller than the box: those keep a share of it, so that they can be seen and pointed at.
ImVec2 fit_cells(Index rows, Index cols, ImVec2 box, float stretch) {
  constexpr float least = 0.42f;
  const auto r = static_cast<float>(rows);
  const auto c = static_cast<float>(cols);
  const float w = box.x / c;
  const float h = box.y / r;
  const float side = std::min(w, h) * stretch;
  return {std::max(std::min(w, side) * c, std::min(box.x, box.y * least)), std::max(std::min(h, side) * r, std::min(box.y, box.x * least))};
}

std::string symbol_of(const Trace& trace, Stage stage, Index head) {
  const bool is_x = trace.inputs.self_attention() && is_input(stage);
  if (is_x) return "X";
  const std::string symbol(info(stage).symbol);
  if (!has_head_axis(stage) || stage == Stage::mask) return symbol;
  return symbol + "_{" + std::to_string(is_per_kv_head(stage) ? head / trace.dims().groups() : head) + "}";
}

/// Colours over the columns of Q, K, V and concat: which head each belongs to.
std::vector<Strip> head_strips(const Frame& frame, Stage stage, Rect heat) {
  const Dims& dims = frame.trace()->dims();
  const bool query_side = stage == Stage::Q || stage == Stage::concat;
  if (!query_side && stage != Stage::K && stage != Stage::V) return {};
  const Index count = query_side ? dims.heads : dims.kv_heads;
  const float width = heat.width() / static_cast<float>(count);
  std::vector<Strip> strips;
  for (Index h = 0; h < count; ++h) {
    const float from = heat.min.x + width * static_cast<float>(h);
    const float gap = width > 6 * frame.u ? frame.u : 0;
    const Index head = query_side ? h : h * dims.groups();
    // Where the hues have come back a strip is in pieces: two for the second eight heads, three for the third.
    const float from_here = from + gap, all = width - 2 * gap;
    const int pieces = all >= 5 * frame.u ? std::min(frame.look.head_lap(head), 3) + 1 : 1;
    const float piece = all / static_cast<float>(pieces), apart = pieces > 1 ? std::max(frame.u, piece * 0.25f) : 0;
    for (int i = 0; i < pieces; ++i) {
      const float left = from_here + piece * static_cast<float>(i);
      strips.push_back({left + apart / 2, left + piece - apart / 2, frame.look.head(head)});
    }
  }
  return strips;
}

bool wears_head(Stage stage) { return has_head_axis(stage); }

/// An end of a colour bar: two or three digits.
std::string bound_text(float value) {
  const float size = std::abs(value);
  return number_text(value, size >= 9.95f || size == 0 ? 0 : size >= 0.995f ? 1 : 2);
}

/// The ends of a card's colour bar; where there is no room for both, one says it all of a range around zero.
void set_ends(const Frame& frame, CardPicture& card, float inner, float t) {
  const ValueRange range = card.heats[0].quad.range;
  card.lo = bound_text(range.lo);
  card.hi = bound_text(range.hi);
  if (card.heats[0].quad.norm != Norm::linear) {
    char low[32];
    std::snprintf(low, sizeof low, "%.1g", static_cast<double>(range.lo));
    card.lo = frame.words(card.heats[0].quad.norm == Norm::log ? "controls.norm_log" : "controls.norm_sqrt") + std::string(" ") + low;
  }
  const auto width = [&](const std::string& text) { return text_size(frame.fonts, Face::mono, end_points * t, text).x; };
  if (width(card.lo) + width(card.hi) + 26 * t <= inner) return;
  card.lo = range.lo == -range.hi ? "±" + card.hi : card.lo + "…" + card.hi;
  card.hi.clear();
  if (width(card.lo) > inner) card.lo.clear();
}

/// Round numbers for a bar of so many points, clear of its ends, which have theirs.
std::vector<BarTick> ticks_between(const MatrixQuad& quad, float points) {
  std::vector<BarTick> ticks = quad.norm == Norm::linear ? bar_ticks(quad.range, std::clamp(static_cast<int>(points / 100), 2, 6) + 1)
                                                         : spread_ticks(quad.range, quad.colormap->kind(), quad.norm, std::max(90 / points, 0.15f));
  std::erase_if(ticks, [](const BarTick& tick) { return tick.at < 0.16f || tick.at > 0.86f; });
  return ticks;
}

/// The name in the boldest and largest type that fits.
void set_title(const Frame& frame, CardPicture& card, std::string_view title, float inner, float t) {
  for (const auto& [face, size] : {std::pair(Face::bold, title_points), std::pair(Face::ui, title_points)}) {
    card.title_face = face;
    card.title_size = size;
    if (text_size(frame.fonts, face, size * t, title).x <= inner) break;
  }
  card.title = elide(frame.fonts, card.title_face, card.title_size * t, title, inner);
}

/// One [d_model + 2·G·d_head, in] matrix over all three lanes, each third with its lane's colour along its rows.
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
    card.row_strips.push_back({y, y + height - 2 * t, frame.look.lane(stage)});
    y += height;
  }
  card.shape = std::to_string(rows) + " × " + std::to_string(trace[Stage::W_q].size(1));
  set_ends(frame, card, card.card.width() - 2 * pad * t, t);
  const float bar_y = card.card.max.y - 11 * t;
  card.bar = {{card.card.min.x + pad * t, bar_y - 3 * t}, {card.card.max.x - pad * t, bar_y}};
  return card;
}

/// Whether numbers of each row find room beside a card's matrix.
bool has_strip(const Slot& slot, const MatrixView& matrix, float label_room, float t) {
  if (slot.stage != Stage::weights && slot.stage != Stage::dropped_weights) return false;
  const float width = slot.card.width() - 2 * pad * t - label_room - row_strip_width * t;
  const float height = slot.card.height() - (header + footer + pad + 16) * t;
  return width >= 90 * t && height / static_cast<float>(matrix.rows) >= 13 * t;
}

/// How long the names of the keys are at 45°, in pixels, where they stand so; else 0.
float turned_labels(const Frame& frame, const Slot& slot, const MatrixView& matrix, float label_room, float t) {
  const float strip = has_strip(slot, matrix, label_room, t) ? row_strip_width * t : 0;
  const ImVec2 box{slot.card.width() - 2 * pad * t - label_room - strip, slot.card.height() - (header + footer + pad + 16) * t};
  return turned_room(frame, Axis::key, matrix.rows, matrix.cols, box, 12 * t);
}

/// Whose weights these are, where there are several heads or batch entries, and `room` for the words.
std::string whose(const Frame& frame, float room, float t) {
  const Dims& dims = frame.trace()->dims();
  std::string words;
  if (dims.heads > 1) words = frame.words.fill("inspector.head", {std::to_string(frame.view().head)});
  if (dims.batch > 1) words += (words.empty() ? "" : ", ") + frame.words.fill("pipeline.batch_entry", {std::to_string(frame.view().batch)});
  return text_size(frame.fonts, Face::bold, subtitle_points * t, words).x + 60 * t <= room ? words : std::string();
}

/// A part for each of the stages that share the card.
void add_scrubber(const Slot& slot, CardPicture& card, float t) {
  const auto count = static_cast<float>(slot.folded.size());
  const float gap = 3 * t, width = (card.card.width() - 2 * pad * t - gap * (count - 1)) / std::max(count, 1.0f);
  float x = card.card.min.x + pad * t;
  for (const Stage stage : slot.folded) {
    const float y = card.card.min.y + (header - 1) * t;
    card.scrubber.push_back({stage, {{x, y}, {x + width, y + 5 * t}}, stage == slot.stage});
    x += width + gap;
  }
}

CardPicture make_card(const Frame& frame, const Slot& slot, float type) {
  const Trace& trace = *frame.trace();
  const StageInfo& about = info(slot.stage);
  const float t = frame.u * type;
  const Index head = frame.view().head;
  CardPicture card;
  card.stage = slot.stage;
  card.colour = frame.look.lane(slot.stage);
  card.behind = cards_behind(trace, slot.stage);
  if (wears_head(slot.stage) && trace.dims().heads > 1 && slot.stage != Stage::mask) card.border = frame.look.head(head);
  const Tensor& bias = is_parameter(slot.stage) ? trace[bias_beside(slot.stage)] : Tensor();
  const MatrixView matrix = trace[slot.stage].matrix();
  const bool large = slot.stage == Stage::weights;
  card.labelled = large || slot.stage == Stage::query || slot.stage == Stage::key || slot.stage == Stage::value;
  const float label_size = label_points * t;
  float label_room = 0;
  if (card.labelled) {
    label_room = std::min(widest_label(frame, about.rows, matrix.rows, label_size) + 5 * t, std::max(slot.card.width() * 0.34f, 32 * t));
  }
  const float turned = large ? turned_labels(frame, slot, matrix, label_room, t) : 0;
  const float bottom_room = !large ? 0 : turned > 0 ? 0.71f * turned + 14 * t : 16 * t;
  const float bias_room = bias.defined() ? 9 * t : 0;
  const float strip_room = has_strip(slot, matrix, label_room, t) ? row_strip_width * t : 0;
  const bool striped = !head_strips(frame, slot.stage, {}).empty();
  const float head_room = (header + (slot.folded.empty() ? 0 : scrubber_height) + (striped ? strip_height : 0)) * t;
  const ImVec2 box{std::max(slot.card.width() - 2 * pad * t - label_room - strip_room, 12.0f),
                   std::max(slot.card.height() - head_room - (footer + pad) * t - bottom_room - bias_room, 12.0f)};
  // Rows with names are as high as those, where there is room.
  const float square = std::min(box.x / static_cast<float>(matrix.cols), box.y / static_cast<float>(matrix.rows));
  const float stretch = large ? 2.0f : is_parameter(slot.stage) ? 1.12f : card.labelled ? std::max(1.45f, 14 * t / square) : 1.45f;
  const ImVec2 size = fit_cells(matrix.rows, matrix.cols, box, stretch);

  if (slot.stage == Stage::W_q && slot.folded.empty() && shows_packed(frame)) return make_packed_card(frame, slot, t);

  // The card closes around its matrix; the lane's middle stays where it is.
  const float height = size.y + head_room + (footer + pad) * t + bottom_room + bias_room;
  const float middle = slot.card.centre().y;
  card.card = {{slot.card.min.x, middle - height / 2}, {slot.card.max.x, middle + height / 2}};
  const float left = card.card.min.x + pad * t + label_room + (box.x - size.x) / 2;
  const float top = card.card.min.y + head_room + pad * 0.5f * t;
  const Rect heat{{left, top}, {left + size.x, top + size.y}};
  card.heats.push_back(make_heat(frame, slot.stage, head, heat));
  if (card.labelled) {
    HeatPicture& shown = card.heats.back();
    add_labels(frame, shown, label_size, label_room - 4 * t, large);
    shown.turned_room = turned / label_size;
  }
  if (bias.defined()) {
    const float y = heat.max.y + 3 * t;
    // b has one number a row of W, but lies along the output features; drawn as a row under the matrix.
    card.heats.push_back(make_heat(frame, bias_beside(slot.stage), 0, {{heat.min.x, y}, {heat.max.x, y + 6 * t}}));
  }
  card.strips = head_strips(frame, slot.stage, heat);
  if (strip_room > 0) card.strip = row_strip(frame, card.heats[0], t);

  const float inner = card.card.width() - 2 * pad * t;
  const bool is_x = slot.stage == Stage::key && trace.inputs.self_attention();
  set_title(frame, card, is_x ? "X" : name(slot.stage), card.card.width() - 12 * t, t);
  card.symbol = symbol_of(trace, slot.stage, head);
  if (card.symbol == card.title) card.symbol.clear();
  add_scrubber(slot, card, t);
  if (large) card.subtitle = whose(frame, inner - text_size(frame.fonts, card.title_face, card.title_size * t, card.title).x, t);
  card.shape = shape_text(frame, slot.stage, inner, label_points * t);
  const std::string pooled = std::string("  ") + frame.words("pipeline.mean_and_spread");
  const bool means = is_parameter(slot.stage) && std::min(size.x / static_cast<float>(matrix.cols), size.y / static_cast<float>(matrix.rows)) < 1;
  if (means && text_size(frame.fonts, Face::ui, label_points * t, card.shape + pooled).x <= inner) card.shape += pooled;
  const float shape = text_size(frame.fonts, Face::ui, label_points * t, card.shape).x;
  card.counts = count_notes(frame, card.heats[0], inner - shape - 8 * t, card.card.max.x - pad * t, t);
  if (about.palette != Palette::boolean) {
    set_ends(frame, card, inner, t);
    if (large) card.ticks = ticks_between(card.heats[0].quad, inner / t);
  }
  const float bar_y = card.card.max.y - 11 * t;
  card.bar = {{card.card.min.x + pad * t, bar_y - 3 * t}, {card.card.max.x - pad * t, bar_y}};
  return card;
}

std::vector<ThumbnailPicture> make_thumbnails(const Frame& frame, const PipelineLayout& layout) {
  std::vector<ThumbnailPicture> thumbnails;
  const Trace& trace = *frame.trace();
  const Index heads = trace.dims().heads;
  if (heads < 2 || frame.view().presenting) return thumbnails;
  const float t = frame.u * layout.type;
  const Rect row = layout.foot;
  const float label = text_size(frame.fonts, Face::bold, subtitle_points * t, frame.words("pipeline.all_heads")).x + 12 * t;
  const float gap = heads > 24 ? 3 * t : 6 * t;
  // In as many lines as make them the largest.
  Index in_line = heads;
  float side = 0;
  for (Index lines = 1; lines <= 4; ++lines) {
    const Index count = (heads + lines - 1) / lines;
    const auto part = [gap](float whole, Index n) { return (whole - gap * static_cast<float>(n - 1)) / static_cast<float>(n); };
    const float possible = std::min(part(row.height(), lines), part(row.width() - label, count));
    if (possible <= side) continue;
    side = possible;
    in_line = count;
  }
  const Index lines = (heads + in_line - 1) / in_line;
  const float top = row.centre().y - (side + gap) * static_cast<float>(lines) / 2 + gap / 2;
  const MatrixView matrix = trace[Stage::weights].matrix();
  for (Index h = 0; h < heads; ++h) {
    ThumbnailPicture thumbnail;
    thumbnail.head = h;
    thumbnail.border = frame.look.head(h);
    const float x = row.min.x + label + static_cast<float>(h % in_line) * (side + gap);
    const float y = top + static_cast<float>(h / in_line) * (side + gap);
    thumbnail.card = {{x, y}, {x + side, y + side}};
    const float inset = std::min(5 * t, side * 0.12f);
    const float above = side >= 46 * t ? 17 * t : inset;
    if (above > inset) thumbnail.number = std::to_string(h);
    const ImVec2 size = fit_cells(matrix.rows, matrix.cols, {side - 2 * inset, side - inset - above}, 1.8f);
    const ImVec2 c{thumbnail.card.centre().x, y + above + (side - above - inset) / 2};
    thumbnail.heat = make_heat(frame, Stage::weights, h,
                               {{c.x - size.x / 2, c.y - size.y / 2}, {c.x + size.x / 2, c.y + size.y / 2}});
    thumbnails.push_back(std::move(thumbnail));
  }
  return thumbnails;
}

float foot_height(const Frame& frame, ImVec2 size) {
  if (frame.view().presenting) return 72 * frame.u;
  return frame.trace()->dims().heads > 1 ? std::clamp(size.y * 0.1f, 52 * frame.u, 130 * frame.u) : 0;
}

}  // namespace

bool shows_packed(const Frame& frame) {
  const Inputs& inputs = frame.trace()->inputs;
  const bool one_width = inputs.dims.d_query == inputs.dims.d_key && inputs.dims.d_key == inputs.dims.d_value;
  return one_width && inputs.W_q.defined() && frame.view().packed.value_or(inputs.packed);
}

namespace {

/// Of the stages that share a card: the moment's, the one that was asked for, the selected cell's, else the last but dropout.
Stage in_front(const Frame& frame, const std::vector<Stage>& stages) {
  const auto among = [&](Stage stage) { return std::ranges::find(stages, stage) != stages.end(); };
  const View& view = frame.view();
  if (view.step && among(frame.timeline.at(*view.step).stage)) return frame.timeline.at(*view.step).stage;
  const auto asked = std::find_if(view.brought_forward.rbegin(), view.brought_forward.rend(), among);
  const bool has_asked = asked != view.brought_forward.rend();
  if (has_asked && view.brought_forward_beside == view.selected) return *asked;
  if (view.selected && among(shown_as(*frame.trace(), view.selected->stage))) return shown_as(*frame.trace(), view.selected->stage);
  if (has_asked) return *asked;
  return stages.front() == Stage::weights ? Stage::weights : stages.back();
}

/// That numbers are drawn at random, in the longest words that fit.
std::vector<std::string> truth_of(const Frame& frame, float width, float pixels) {
  const Inputs& inputs = frame.trace()->inputs;
  if (!inputs.random_inputs && !inputs.random_parameters) return {};
  std::vector<std::string> candidates;
  if (inputs.random_parameters) {
    candidates.emplace_back(frame.words(inputs.random_inputs ? "pipeline.random_all" : "pipeline.random_parameters"));
  } else {
    const auto layer = std::ranges::find(inputs.assumptions, std::string("layer"), &Assumption::what);
    if (layer != inputs.assumptions.end()) candidates.push_back(frame.words.fill("pipeline.random_inputs", {said(frame, layer->taken_for)}));
    candidates.emplace_back(frame.words("pipeline.random_inputs_short"));
  }
  for (const std::string& words : candidates) {
    if (text_size(frame.fonts, Face::ui, pixels, words).x <= width) return {words};
  }
  return {elide(frame.fonts, Face::ui, pixels, frame.words("pipeline.random_short"), width)};
}

}  // namespace

namespace {

const char* axis_key(Axis axis) {
  switch (axis) {
    case Axis::query: return "axis_words.n_q";
    case Axis::key: return "axis_words.n_k";
    case Axis::query_feature:
    case Axis::key_feature:
    case Axis::value_feature: return "axis_words.features";
    case Axis::query_channel: return "axis_words.query_channels";
    case Axis::kv_channel: return "axis_words.kv_channels";
    case Axis::head_feature: return "axis_words.d_head";
    case Axis::out_feature: return "axis_words.d_out";
    default: return "";
  }
}

/// What the two numbers of a shape count.
std::string shape_words(const Frame& frame, Stage stage) {
  const MatrixView matrix = (*frame.trace())[stage].matrix();
  const auto of = [&](Axis axis, Index count) { return std::string(symbol(axis)) + " " + std::to_string(count) + ": " + frame.words(axis_key(axis)); };
  return of(info(stage).rows, matrix.rows) + "\n" + of(info(stage).cols, matrix.cols);
}

std::string plain_shape(const Trace& trace, Stage stage) {
  const MatrixView matrix = trace[stage].matrix();
  return std::to_string(matrix.rows) + " × " + std::to_string(matrix.cols);
}

}  // namespace

PipelinePicture make_pipeline_picture(const Frame& frame, ImVec2 size) {
  PipelinePicture picture;
  picture.size = size;
  LayoutWish wish;
  wish.size = size;
  wish.u = frame.u;
  wish.packed = shows_packed(frame);
  wish.foot = foot_height(frame, size);
  const float type = canvas_type(wish);
  picture.note = truth_of(frame, size.x - 40 * frame.u * type, note_points * frame.u * type);
  if (!picture.note.empty()) wish.note = note_points * 1.5f * frame.u * type;
  wish.title_width = [&](std::string_view title, float points) { return text_size(frame.fonts, Face::bold, points, title).x; };
  wish.words_width = [&](std::string_view markup, float points) { return math_size(frame.fonts, points, markup).x; };
  wish.in_front = [&](const std::vector<Stage>& stages) { return in_front(frame, stages); };
  picture.layout = lay_out_pipeline(*frame.trace(), wish);
  for (Slot& slot : picture.layout.slots) {
    picture.cards.push_back(make_card(frame, slot, picture.layout.type));
    slot.card = picture.cards.back().card;
  }
  // One way of writing shapes on one canvas: with the axes' names where all have room for them.
  const bool named = std::ranges::all_of(picture.cards, [](const CardPicture& card) { return card.shape.find("_") != std::string::npos || is_parameter(card.stage); });
  for (CardPicture& card : picture.cards) {
    card.shape_hint = shape_words(frame, card.stage);
    if (!named && !card.shape.empty() && card.row_strips.empty()) card.shape = plain_shape(*frame.trace(), card.stage);
  }
  connect_cards(*frame.trace(), picture.layout, wish);
  picture.thumbnails = make_thumbnails(frame, picture.layout);
  return picture;
}

std::string shape_text(const Frame& frame, Stage stage, float width, float pixels) {
  const StageInfo& about = info(stage);
  const MatrixView matrix = (*frame.trace())[stage].matrix();
  const std::string rows = std::to_string(matrix.rows);
  const std::string cols = std::to_string(matrix.cols);
  const std::string named = std::string(symbol(about.rows)) + " " + rows + " × " + std::string(symbol(about.cols)) + " " + cols;
  if (text_size(frame.fonts, Face::ui, pixels, named).x <= width) return named;
  const std::string plain = rows + " × " + cols, bare = rows + "×" + cols;
  for (const std::string& text : {plain, bare}) {
    if (text_size(frame.fonts, Face::ui, pixels, text).x <= width) return text;
  }
  return {};
}

const PipelinePicture& pipeline_picture(const Frame& frame, ImVec2 size) {
  const View& view = frame.view();
  return frame.picture<PipelinePicture>([&] { return make_pipeline_picture(frame, size); }, view.packed, size.x, size.y, view.brought_forward,
                                        view.brought_forward_beside == view.selected, view.selected ? std::optional(view.selected->stage) : std::nullopt,
                                        view.step ? std::optional(frame.timeline.at(*view.step).stage) : std::nullopt);
}

}  // namespace headlight
