// Parts that the step, a word's journey and the geometry have in common: tabs, titles, and the temperature.
#include <algorithm>
#include <cmath>

#include "core/compute/network/gradients.h"
#include "core/compute/run/statistics.h"
#include "core/compute/run/trace.h"
#include "core/rules/stage/entropy.h"
#include "ui/base/look/measure.h"
#include "ui/parts/player/stages.h"
#include "ui/views/operation/next.h"
#include "ui/views/operation/parts.h"

namespace headlight {

namespace {

/// The ends of the slider; 1/√d_head, which means no scaling, is always between them.
double coldest(const Trace& trace) {
  return std::min(0.1, 0.8 / std::sqrt(static_cast<double>(std::max<Index>(trace.dims().d_head, 1))));
}
constexpr double hottest = 10;

}  // namespace

bool has_facets(const Trace& trace) {
  return trace.has(Stage::scores) && trace.has(Stage::weights) && trace.has(Stage::Q_heads) &&
         trace.has(Stage::K_heads) && trace.dims().d_head > 0;
}

double temperature_of(const Trace& trace) {
  return 1 /
         (static_cast<double>(trace.scale) * std::sqrt(static_cast<double>(std::max<Index>(trace.dims().d_head, 1))));
}

double temperature_at(const Trace& trace, float share) {
  const double low = std::log(coldest(trace)), high = std::log(hottest);
  return std::exp(low + (high - low) * std::clamp(static_cast<double>(share), 0.0, 1.0));
}

bool has_gradients(const Trace& trace) {
  const auto run = network_of(trace.inputs);
  return run && unknown_to_gradients(*run->network).empty();
}

}  // namespace headlight

namespace headlight::operation {

/// In points.
struct FacetSizes {
  static constexpr RoomShare side_margin{0.035f, Space::wide, 60}, upper_margin{0.03f, Space::apart, 28};
  static constexpr float presented_margin = 28;
  static constexpr float beside_tabs = 28;
  static constexpr float before_slider = 26, shortest_slider = 80, longest_slider = 420;
  static constexpr float with_note_from = 160;  ///< what the slider keeps if a note stands beside it
  static constexpr float between_marks = 30;
};

Rect scene_area(const SceneContext& context, Rect place) {
  const float u = context.u;
  const bool presenting = context.view.presenting;
  const ImVec2 margin{presenting ? std::max(FacetSizes::presented_margin * u, place.width() * 0.02f)
                                 : FacetSizes::side_margin.of(place.width(), u),
                      presenting ? Space::card * u : FacetSizes::upper_margin.of(place.height(), u)};
  return {{place.min.x + margin.x, place.min.y + margin.y}, {place.max.x - margin.x, place.max.y - margin.y * 0.6f}};
}

std::string key_here(const SceneContext& context, std::string_view key) {
  const std::string of_picture = std::string(key) + "_picture";
  return reads_pictures(context.trace) && context.words.has(of_picture) ? of_picture : std::string(key);
}

float put_facets(Pen& pen, Rect area) {
  if (!has_facets(pen.context().trace)) return 0;
  const std::string next = key_here(pen.context(), "facet.next");
  const char* const names[] = {"facet.step", "facet.journey", "facet.geometry",
                               next.c_str(), "facet.why",     "facet.gradients"};
  const Trace& trace = pen.context().trace;
  const View& view = pen.context().view;
  const std::span<const char* const> there(names, !says_next(trace) ? 3 : has_gradients(trace) ? 6 : 5);
  const float edge = Space::thin * pen.u();
  // Beside gradients stands the inspector: their title leaves the tabs more of the width.
  const float left = shows_gradients(view) ? area.min.x + 0.4f * area.width() : area.centre().x;
  const Rect room{{left - edge, area.min.y}, {area.max.x + edge, area.max.y}};
  const float taken =
      pen.tabs(room, Align::right, there,
               shows_gradients(view) ? gradients_tab : static_cast<std::size_t>(view.levels.facet), SceneAction::facet);
  return taken > 0 ? taken - 2 * edge + FacetSizes::beside_tabs * pen.u() : 0;
}

void put_title_and_story(Pen& pen, Rect& area, std::string_view title, std::string_view story,
                         std::span<const Named> values, float gap) {
  const bool presenting = pen.context().view.presenting;
  const Align align = presenting ? Align::middle : Align::left;
  Rect room = area;
  if (!presenting) room.max.x -= put_facets(pen, area);
  room.min.y += pen.sentence(TextRole::prose, title, values, room, pen.type.title, pen.look().ink, align);
  room.min.y += pen.sentence(TextRole::story, story, values, room, pen.type.story, pen.look().muted, align);
  area.min.y = room.min.y + gap;
}

bool is_guessed(const SceneContext& context) {
  return context.view.levels.guessing.active && !context.view.levels.guessing.guess;
}

void put_guess(Pen& pen, Rect area, float right) {
  const std::string words(pen.context().words(is_guessed(pen.context()) ? "sentence.guess_show" : "sentence.guess"));
  const float u = pen.u(), height = pen.type.caption * 2.1f,
              width = pen.measure(Face::ui, pen.type.caption, words).x + ControlPad::action * u;
  const Rect rect{{right - width, area.min.y}, {right, area.min.y + height}};
  pen.box(rect, pen.look().line, 1, Corner::card * u);
  pen.caption(rect.centre(), Align::middle, words, pen.look().ink);
  pen.target(rect, SceneAction::guess);
}

std::string entropy_text(const Task& task) {
  const View& view = task.context().view;
  const Cell at = matrix_of(task.trace(), view, Stage::weights);
  const MatrixView weights = numbers_of(task.trace(), view, Stage::weights);
  const CellMasks masks = masks_over(task.trace(), Stage::weights, at.batch, at.head);
  RowEntropy entropy;
  Index visible = 0;
  for (Index k = 0; k < weights.cols; ++k) {
    entropy.add(static_cast<double>(weights(task.focus.query, k)));
    if (classify(weights, masks, task.focus.query, k) != CellKind::masked) ++visible;
  }
  if (std::isnan(entropy.bits())) return {};
  const auto bits = [](double value) { return MatrixNumbers(2, true)(static_cast<float>(value)); };
  return task.context().words.fill(
      "facet.entropy", {bits(entropy.bits()), bits(std::log2(static_cast<double>(std::max<Index>(visible, 1))))});
}

void put_temperature(const Task& task, Rect room, const std::string& beside) {
  Pen& pen = task.pen;
  const Look& look = pen.look();
  const Words& words = task.context().words;
  const Trace& trace = task.trace();
  const float u = task.u(), y = room.min.y + pen.type.caption;
  if (!(trace.scale > 0)) return;
  const double temperature = temperature_of(trace);
  const auto digits = [](double value, int decimals) {
    return MatrixNumbers(decimals, true)(static_cast<float>(value));
  };

  Rect at = pen.caption({room.min.x, y}, Align::left, words("facet.temperature"), look.ink);
  const std::string number = digits(temperature, temperature < 1 ? 2 : 1);
  const float number_room =
      std::max(pen.measure(Face::mono, pen.type.number, "00.00").x, pen.measure(Face::mono, pen.type.number, number).x);

  float right = room.max.x;
  if (const float needed = pen.measure(Face::ui, pen.type.caption, beside).x;
      !beside.empty() && at.max.x + FacetSizes::with_note_from * u + number_room + needed < right) {
    pen.caption({right, y}, Align::right, beside);
    right -= needed + Space::section * u;
  }
  pen.number(pen.type.number, {at.max.x + Space::pad * u + number_room, y}, Align::right, look.ink, number);
  const Rect track{
      {at.max.x + FacetSizes::before_slider * u + number_room, y - Space::thin * u},
      {std::min(right, at.max.x + FacetSizes::before_slider * u + number_room + FacetSizes::longest_slider * u),
       y + Space::thin * u}};
  if (track.width() < FacetSizes::shortest_slider * u) return;
  const double low = std::log(coldest(trace)), high = std::log(hottest);
  const auto place = [&](double t) {
    return track.min.x + track.width() * static_cast<float>(std::clamp((std::log(t) - low) / (high - low), 0.0, 1.0));
  };
  const double none = 1 / std::sqrt(static_cast<double>(trace.dims().d_head));
  pen.slider(track, y, look.field, {place(1), place(none)}, place(temperature), SceneAction::temperature);
  const float under = y + Space::pad * u + pen.type.caption * 0.6f;
  if (under + pen.type.caption * 0.6f <= room.max.y + Space::fine * u) {
    pen.caption({place(1), under}, Align::middle, "÷ √d");
    const std::string unscaled = words("facet.no_scale");
    const float half = pen.measure(Face::ui, pen.type.caption, unscaled).x / 2;
    if (place(1) - place(none) > half + FacetSizes::between_marks * u)
      pen.caption({place(none), under}, place(none) - track.min.x > half ? Align::middle : Align::left, unscaled);
  }
}

}  // namespace headlight::operation
