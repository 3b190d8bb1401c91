// Queries and keys of one head as arrows in a plane, whose lengths and angle give the score; and beside it a list of
// the keys with their scores and weights.
#include "ui/views/operation/geometry.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/text/in_sentence.h"
#include "core/teaching/explain/explain.h"
#include "ui/base/look/measure.h"
#include "ui/parts/matrix/heat.h"
#include "ui/views/operation/bands.h"

namespace headlight {

using namespace operation;

namespace {

std::string digits(double value, int decimals) { return MatrixNumbers(decimals, false)(static_cast<float>(value)); }

/// In points.
struct GeometrySizes {
  static constexpr RoomShare list_width{0.4f, 260, 640};
  static constexpr float beside_list = 32, tilt_height = 120, curve_width = 2.5f;
};

/// A line for each key with its word, score and share; if not all fit, those with the largest shares.
struct KeyList : TaskPart {
  Index followed = 0;
  Rect room;
  const Band scores = band_of(task, made_from(trace, Stage::weights)), weights = band_of(task, Stage::weights);
  const float pitch = context.fonts.crisp(Face::mono, pen.type.number) * 1.75f;
  const std::vector<Index> shown = chosen();

  std::vector<Index> chosen() const {
    std::vector<Index> keys;
    for (Index k = 0; k < trace.dims().n_k; ++k) keys.push_back(k);
    const auto lines = static_cast<std::size_t>(std::max(0.0f, (room.height() - pitch) / pitch));
    if (keys.size() <= lines) return keys;
    std::ranges::stable_sort(keys, std::ranges::greater(), [&](Index k) {
      const float weight = weights.values[static_cast<std::size_t>(k)];
      return k == followed ? 2.0f : std::isfinite(weight) ? weight : -1.0f;
    });
    keys.resize(lines);
    std::ranges::sort(keys);
    return keys;
  }

  void put() const {
    std::vector<float> finite;
    float most = 1e-20f, longest = 0;
    for (const Index k : shown) {
      const auto i = static_cast<std::size_t>(k);
      longest = std::max(longest, pen.measure(Face::bold, pen.strong(pen.type.caption), key_word(context, k)).x);
      if (scores.kinds[i] != CellKind::value) continue;
      finite.push_back(scores.values[i]);
      most = std::max(most, std::abs(scores.values[i]));
    }
    const MatrixNumbers figures(finite);
    const float digit = pen.digit();
    const float name = std::min(longest + Space::apart * u, room.width() * 0.3f),
                number = name + digit * static_cast<float>(figures.longest() + 1);
    const auto heading = [&](float x, Align align, const char* key) {
      pen.caption({x, room.min.y + pitch / 2}, align, say(key));
    };
    heading(room.min.x, Align::left, "facet.into_softmax");
    heading(room.max.x, Align::right, "level.band_share");
    float y = room.min.y + 1.5f * pitch;
    for (const Index k : shown) {
      put_line(k, y, name, number, figures);
      put_score(scores.values[static_cast<std::size_t>(k)] / most, k, y,
                {room.min.x + number + Space::pad * u, room.max.x - 5 * digit - Space::pad * u});
      y += pitch;
    }
  }

  void put_line(Index k, float y, float name, float number, const MatrixNumbers& figures) const {
    const auto i = static_cast<std::size_t>(k);
    const bool lit = k == task.focus.key, hidden = scores.kinds[i] != CellKind::value;
    const Rect line{{room.min.x - Space::near * u, y - pitch / 2}, {room.max.x + Space::near * u, y + pitch / 2}};
    if (lit) pen.fill(line, look.field, Corner::control * u);
    const Face face = lit ? Face::bold : Face::ui;
    const float pixels = lit ? pen.strong(pen.type.caption) : pen.type.caption;
    pen.text(TextRole::word, face, pixels, {room.min.x, y}, Align::left,
             lit      ? look.k
             : hidden ? look.muted
                      : look.ink,
             key_word(context, k), name - Space::near * u);
    pen.number(pen.type.number, {room.min.x + number, y}, Align::right, hidden ? look.muted : look.ink,
               hidden ? MatrixNumbers(1, false)(scores.values[i]) : figures(scores.values[i]));
    pen.number(pen.type.number, {room.max.x, y}, Align::right, lit ? look.head_ink(view.head) : look.muted,
               weights.kinds[i] == CellKind::masked ? "0" : MatrixNumbers(2, true)(weights.values[i]));
    pen.target(line, SceneAction::key_word, k);
  }

  /// The score as a bar from the middle, `share` of half the room long; hatched if the key is masked.
  void put_score(float share, Index k, float y, ImVec2 ends) const {
    const float middle = (ends.x + ends.y) / 2, half = (ends.y - ends.x) / 2 - Space::apart * u;
    if (half <= least_bar * u) return;
    const auto i = static_cast<std::size_t>(k);
    if (scores.kinds[i] != CellKind::value)
      pen.hatch({{middle - half, y - pitch * 0.3f}, {middle + half, y + pitch * 0.3f}});
    else
      pen.bar({middle, y}, {middle + half * share, y}, pitch * 0.6f,
              fade(sign_colour(pen, scores.values[i]), k == task.focus.key ? 1.0f : 0.75f), scores.values[i]);
    pen.fill({{middle - u * 0.5f, y - pitch / 2}, {middle + u * 0.5f, y + pitch / 2}}, look.line);
  }
};

/// Draws what a bias adds to each key's score, as a line chart with one point for each key of the plane.
void put_tilt(const Task& task, Index followed, Rect room) {
  Pen& pen = task.pen;
  const Look& look = pen.look();
  const Trace& trace = task.trace();
  const float u = task.u();
  const Stage before = made_from(trace, Stage::biased_scores);
  const MatrixView with = numbers_of(trace, task.context().view, Stage::biased_scores),
                   without = numbers_of(trace, task.context().view, before);
  const Index n = std::min<Index>(with.cols, most_arrows), first = first_arrow(followed, with.cols);
  float lo = 0, hi = 0;
  std::vector<float> added;
  for (Index k = 0; k < n; ++k) {
    added.push_back(with(task.focus.query, first + k) - without(task.focus.query, first + k));
    if (!std::isfinite(added.back())) added.back() = 0;
    lo = std::min(lo, added.back());
    hi = std::max(hi, added.back());
  }
  const float caption = pen.type.caption * 1.5f, span = std::max(hi - lo, 1e-20f);
  pen.caption({room.min.x, room.min.y + caption / 2}, Align::left, task.context().words("facet.tilt"));
  const Rect plot{{room.min.x, room.min.y + caption}, room.max};
  const auto at = [&](Index k) {
    return ImVec2{plot.min.x + plot.width() * (static_cast<float>(k) + 0.5f) / static_cast<float>(n),
                  plot.min.y + plot.height() * (hi - added[static_cast<std::size_t>(k)]) / span};
  };
  pen.line({plot.min.x, plot.min.y + plot.height() * hi / span}, {plot.max.x, plot.min.y + plot.height() * hi / span},
           look.line, Stroke::hair(u));
  for (Index k = 0; k + 1 < n; ++k)
    pen.line(at(k), at(k + 1), look.after, std::max(2.0f, GeometrySizes::curve_width * u));
  const Index chosen = task.focus.key - first;
  if (chosen >= 0 && chosen < n)
    pen.fill(around(at(chosen), Space::close * u, Space::close * u), look.k, Corner::control * u);
}

/// Writes below the plane which share of the query and the keys lies in the plane. `room` shrinks by the notes.
void put_notes(const Task& task, const HeadPlane& plane, const Operands& operands, Index followed, Rect& room) {
  const SceneContext& context = task.context();
  const Look& look = context.look;
  const auto [query, key, feature] = task.focus;
  const std::vector<float> q = row_numbers(numbers_of(task.trace(), context.view, operands.left), query),
                           k = row_numbers(numbers_of(task.trace(), context.view, operands.right), key);
  const auto percent = [](double share) { return digits(100 * share, 0) + " %"; };
  const std::vector<Named> names{
      {in_sentence(query_word(context, query)), look.q}, {in_sentence(key_word(context, followed)), look.k},
      {in_sentence(key_word(context, key)), look.k},     {percent(plane.share_of(q, k)), look.ink},
      {percent(plane.query_share()), look.ink},          {percent(plane.key_share()), look.ink}};
  const auto note = [&](const char* words) {
    const std::string_view pattern = context.words(words);
    Scene measured;
    const float pixels = task.pen.type.caption,
                height = Pen(context, measured).sentence(TextRole::caption, pattern, names, room, pixels, look.muted);
    room.max.y -= height;
    task.pen.sentence(TextRole::caption, pattern, names, {{room.min.x, room.max.y}, {room.max.x, room.max.y + height}},
                      pixels, look.muted);
  };
  if (operands.left == Stage::Q_rotated && task.trace().scenario.rope != Rope::none) note("facet.turned");
  note(plane.whole() ? "facet.plane_whole" : key == followed ? "facet.plane_part" : "facet.plane_other");
}

}  // namespace

Scene make_geometry(const SceneContext& context, Rect place) {
  Scene scene;
  Pen pen(context, scene);
  const Trace& trace = context.trace;
  const Look& look = context.look;
  const Words& words = context.words;
  const float u = context.u;
  const Index followed = focus_of(trace, context.view).key;  // the layout does not follow the pointer
  const Focus focus = pointed_focus(trace, context.view);
  const Operands operands = operands_of(trace, Stage::scores);
  const MatrixView queries = numbers_of(trace, context.view, operands.left),
                   keys = numbers_of(trace, context.view, operands.right);
  const HeadPlane plane(queries, keys, focus.query, followed);
  const DotProduct dot = dot_product(row_numbers(queries, focus.query), row_numbers(keys, focus.key));
  const std::vector<Printed> product = printed_factors({dot.query_length, dot.key_length, dot.cosine});
  const double degrees = std::acos(std::clamp(dot.cosine, -1.0, 1.0)) * 180 / std::numbers::pi;

  Rect area = scene_area(context, place);
  const std::string random = random_words(trace.inputs, words);
  const std::vector<Named> names{
      {in_sentence(query_word(context, focus.query)), look.q, true, NamedLink{SceneAction::query_word, focus.query}},
      {in_sentence(key_word(context, focus.key)), look.k, true, NamedLink{SceneAction::key_word, focus.key}},
      {digits(degrees, 0) + "°", look.ink},
      {product[0].text, look.q},
      {product[1].text, look.k},
      {product[2].text, look.ink},
      {product[3].text, look.after},
      {random, look.warning, false}};
  put_title_and_story(pen, area, words("facet.geometry_title"),
                      words("facet.geometry_story") + std::string(random.empty() ? "" : " {7}"), names, Space::pad * u);

  const Reveal whole;
  const float foot = pen.type.caption * 2.6f + Space::card * u;
  const Task task{pen, Stage::weights, focus, whole, area};
  put_temperature(task, {{area.min.x, area.max.y - foot}, area.max}, entropy_text(task));
  area.max.y -= foot + Space::tight * u;
  const float list = GeometrySizes::list_width.of(area.width(), u);
  Rect left{area.min, {area.max.x - list - GeometrySizes::beside_list * u, area.max.y}},
      right{{area.max.x - list, area.min.y}, area.max};
  put_notes(task, plane, operands, followed, left);
  left.max.y -= Space::near * u;
  put_plane(task, plane, operands, followed, left);
  if (trace.has(Stage::biased_scores)) {
    const float tilt = std::min(GeometrySizes::tilt_height * u, right.height() * 0.24f);
    put_tilt(task, followed, {{right.min.x, right.max.y - tilt}, right.max});
    right.max.y -= tilt + Space::apart * u;
  }
  KeyList{task, followed, right}.put();
  pen.add_content(right);
  return scene;
}

}  // namespace headlight
