#include "ui/views/pipeline/picture.h"

#include <algorithm>

#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/parts/widgets/math_text.h"

namespace headlight {
namespace {

// The small matrices of the heads, in points.
constexpr RoomShare thumbnails_height{0.1f, 52, 130};
constexpr float numbered_from = 46, number_height = 17;

std::vector<ThumbnailPicture> make_thumbnails(const Frame& frame, const PipelineLayout& layout) {
  std::vector<ThumbnailPicture> thumbnails;
  const Trace& trace = *frame.trace();
  const Index heads = trace.dims().heads;
  if (heads < 2 || frame.view().presenting) return thumbnails;
  const float t = frame.u * layout.type;
  const Rect row = layout.foot;
  const float label =
      text_size(frame.fonts, Face::bold, subtitle_points * t, frame.words("pipeline.all_heads")).x + Space::apart * t;
  const float gap = heads > 24 ? Space::thin * t : Space::near * t;
  // The number of lines that makes them largest.
  Index in_line = heads;
  float side = 0;
  for (Index lines = 1; lines <= 4; ++lines) {
    const Index count = (heads + lines - 1) / lines;
    const auto part = [gap](float whole, Index n) {
      return (whole - gap * static_cast<float>(n - 1)) / static_cast<float>(n);
    };
    const float possible = std::min(part(row.height(), lines), part(row.width() - label, count));
    if (possible <= side) continue;
    side = possible;
    in_line = count;
  }
  const Index lines = (heads + in_line - 1) / in_line;
  const float top = row.centre().y - (side + gap) * static_cast<float>(lines) / 2 + gap / 2;
  const MatrixView matrix = trace[Stage::weights].matrix();
  for (Index h = 0; h < heads; ++h) {
    ThumbnailPicture& thumbnail = thumbnails.emplace_back();
    thumbnail.head = h;
    const float x = row.min.x + label + static_cast<float>(h % in_line) * (side + gap);
    const float y = top + static_cast<float>(h / in_line) * (side + gap);
    thumbnail.card = {{x, y}, {x + side, y + side}};
    const float inset = std::min(Space::close * t, side * 0.12f);
    const float above = side >= numbered_from * t ? number_height * t : inset;
    if (above > inset) thumbnail.number = std::to_string(h);
    const ImVec2 size = fit_cells(matrix.rows, matrix.cols, {side - 2 * inset, side - inset - above}, 1.8f);
    const ImVec2 c{thumbnail.card.centre().x, y + above + (side - above - inset) / 2};
    thumbnail.heat = make_heat(frame, Stage::weights, h, around(c, size.x / 2, size.y / 2));
  }
  return thumbnails;
}

float foot_height(const Frame& frame, ImVec2 size) {
  if (frame.view().presenting) return 0;
  return frame.trace()->dims().heads > 1 ? thumbnails_height.of(size.y, frame.u) : 0;
}

/// The front card of the stages that share a place: that of the moment, the one that was brought forward, that of the
/// selected cell, otherwise the last one except dropout.
Stage in_front(const Frame& frame, const std::vector<Stage>& stages) {
  const auto among = [&](Stage stage) { return std::ranges::find(stages, stage) != stages.end(); };
  const View& view = frame.view();
  if (view.step && among(frame.timeline.at(*view.step).stage)) return frame.timeline.at(*view.step).stage;
  const auto chosen = std::find_if(view.brought_forward.rbegin(), view.brought_forward.rend(), among);
  const bool has_chosen = chosen != view.brought_forward.rend();
  if (has_chosen && view.brought_forward_beside == view.selected) return *chosen;
  if (view.selected && among(shown_as(*frame.trace(), view.selected->stage)))
    return shown_as(*frame.trace(), view.selected->stage);
  if (has_chosen) return *chosen;
  return stages.front() == Stage::weights ? Stage::weights : stages.back();
}

/// The note that padding has weight or that numbers are random, in the longest text that fits; "" if neither is so.
std::string truth_note(const Frame& frame, float width, float pixels) {
  if (frame.trace()->gradients_of)
    return elide(frame.fonts, Face::ui, pixels, frame.words.translate(frame.trace()->loss), width);
  const Inputs& inputs = frame.trace()->inputs;
  const std::string pads = pad_words(*frame.trace(), frame.view().batch, frame.view().head, frame.words);
  if (!inputs.random_inputs && !inputs.random_parameters) return elide(frame.fonts, Face::ui, pixels, pads, width);
  std::vector<std::string> candidates;
  if (inputs.random_parameters) {
    candidates.emplace_back(frame.words(inputs.random_inputs ? "pipeline.random_all" : "pipeline.random_parameters"));
  } else {
    const auto layer = std::ranges::find(inputs.assumptions, std::string("layer"), &Assumption::what);
    if (layer != inputs.assumptions.end())
      candidates.push_back(frame.words.fill("pipeline.random_inputs", {frame.words.translate(layer->taken_for)}));
    candidates.emplace_back(frame.words("pipeline.random_inputs_short"));
  }
  const auto fits = [&](const auto& words) { return text_size(frame.fonts, Face::ui, pixels, words).x <= width; };
  if (!pads.empty()) {
    for (std::string& words : candidates) words = pads + "  " + words;
    candidates.push_back(pads);
  }
  if (const auto words = std::ranges::find_if(candidates, fits); words != candidates.end()) return *words;
  return elide(frame.fonts, Face::ui, pixels, frame.words("pipeline.random_short"), width);
}

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

/// The meaning of the two numbers of a shape.
std::string shape_words(const Frame& frame, Stage stage) {
  const MatrixView matrix = (*frame.trace())[stage].matrix();
  const auto of = [&](Axis axis, Index count) {
    return std::string(symbol(axis)) + " " + std::to_string(count) + ": " + frame.words(axis_key(axis));
  };
  return of(info(stage).rows, matrix.rows) + "\n" + of(info(stage).cols, matrix.cols);
}

PipelinePicture make_pipeline_picture(const Frame& frame, ImVec2 size) {
  PipelinePicture picture;
  picture.size = size;
  LayoutWish wish;
  wish.size = size;
  wish.u = frame.u;
  wish.packed = shows_packed(frame);
  wish.foot = foot_height(frame, size);
  const float type = canvas_type(wish);
  picture.note = truth_note(frame, size.x - 2 * Space::wide * frame.u * type, note_points * frame.u * type);
  if (!picture.note.empty()) wish.note = note_points * 1.5f * frame.u * type;
  wish.title_width = [&](std::string_view title, float points) {
    return text_size(frame.fonts, Face::bold, points, title).x;
  };
  wish.words_width = [&](std::string_view markup, float points) { return math_size(frame.fonts, points, markup).x; };
  const Inputs& inputs = frame.trace()->inputs;
  if (!inputs.query_tokens.empty() || !inputs.key_tokens.empty()) {
    const Dims& dims = frame.trace()->dims();
    const float pixels = label_points * frame.u * type;
    wish.names =
        std::max(widest_label(frame, Axis::query, dims.n_q, pixels), widest_label(frame, Axis::key, dims.n_k, pixels));
    wish.name_rows = static_cast<float>(dims.n_k);
  }
  wish.in_front = [&](const std::vector<Stage>& stages) { return in_front(frame, stages); };
  picture.layout = lay_out_pipeline(*frame.trace(), wish);
  for (Slot& slot : picture.layout.slots) {
    picture.cards.push_back(make_card(frame, slot, picture.layout.type));
    slot.card = picture.cards.back().card;
  }
  // One way of writing shapes on the whole canvas: with the names of the axes if they fit on all cards.
  const bool named = std::ranges::all_of(picture.cards, [](const CardPicture& card) {
    return card.shape.find("_") != std::string::npos || is_parameter(card.stage);
  });
  for (CardPicture& card : picture.cards) {
    card.shape_hint = shape_words(frame, card.stage);
    if (!card.reading.empty()) card.shape_hint += "\n" + card.reading;
    if (card.heats.size() < 3 && !frame.view().presenting)
      write_notes(frame, card, named, frame.u * picture.layout.type);
  }
  connect_cards(*frame.trace(), picture.layout, wish);
  picture.thumbnails = make_thumbnails(frame, picture.layout);
  return picture;
}

}  // namespace

bool shows_packed(const Frame& frame) {
  const Inputs& inputs = frame.trace()->inputs;
  const bool one_width = inputs.dims.d_query == inputs.dims.d_key && inputs.dims.d_key == inputs.dims.d_value;
  return one_width && inputs.W_q.defined() && frame.view().packed.value_or(inputs.packed);
}

std::string size_text(const Frame& frame, Index rows, Index cols, float width, float pixels) {
  for (const char* times : {" × ", "×"}) {
    std::string text = std::to_string(rows) + times + std::to_string(cols);
    if (text_size(frame.fonts, Face::ui, pixels, text).x <= width) return text;
  }
  return {};
}

std::string shape_text(const Frame& frame, Stage stage, float width, float pixels, bool named) {
  const StageInfo& about = info(stage);
  const MatrixView matrix = (*frame.trace())[stage].matrix();
  const std::string rows = std::to_string(matrix.rows), cols = std::to_string(matrix.cols), shape = rows + " × " + cols;
  const std::string with_names =
      std::string(symbol(about.rows)) + " " + rows + " × " + std::string(symbol(about.cols)) + " " + cols;
  const auto fits = [&](const std::string& text) { return text_size(frame.fonts, Face::ui, pixels, text).x <= width; };
  const bool is_x = is_input(stage) && frame.trace()->inputs.self_attention();
  // A label comes before those of the axes; for contribution norms, the title already says it.
  const bool measured = !frame.view().step && measured_stage(*frame.trace(), frame.view(), stage) != stage;
  const std::string called(is_x || measured ? std::string_view() : stage_words(frame.words, stage));
  std::vector<std::string> candidates;
  if (!called.empty() && named) candidates.push_back(called + "  " + with_names);
  if (!called.empty()) candidates.push_back(called + "  " + shape);
  if (named) candidates.push_back(with_names);
  const auto found = std::ranges::find_if(candidates, fits);
  return found == candidates.end() ? size_text(frame, matrix.rows, matrix.cols, width, pixels) : *found;
}

const std::shared_ptr<const PipelinePicture>& pipeline_picture(const Frame& frame, ImVec2 size) {
  const auto make = [&] { return std::make_shared<const PipelinePicture>(make_pipeline_picture(frame, size)); };
  return picture_of_cards(frame, make, size.x, size.y);
}

}  // namespace headlight
