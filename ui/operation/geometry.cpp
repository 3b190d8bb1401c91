// Queries and keys of one head as arrows in a plane: how far apart they point, and how long they are, is the score.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/explain/explain.h"
#include "core/explain/head_plane.h"
#include "ui/look/measure.h"
#include "ui/matrix/heat.h"
#include "ui/operation/bands.h"

namespace headlight {

using namespace operation;

namespace {

constexpr Index most_arrows = 160;

/// The plane on the screen: one scale for queries and keys, the origin in the middle.
struct Sheet {
  ImVec2 origin;
  float scale = 1;  ///< pixels a unit
  ImVec2 at(PlanePoint p) const {
    return {origin.x + static_cast<float>(p.x) * scale, origin.y - static_cast<float>(p.y) * scale};
  }
};

/// Words beside the ends of arrows: beyond the tip, or at another side of it where other words or arrows are in the
/// way.
class Labels {
 public:
  Labels(Pen& pen, Rect room, ImVec2 origin) : pen_(pen), room_(room), origin_(origin) {}
  /// Something that no word may lie on.
  void keep_off(ImVec2 tip) { tips_.push_back(tip); }
  void put(ImVec2 tip, const std::string& word, bool bold, ImU32 colour) {
    const Face face = bold ? Face::bold : Face::ui;
    const float pixels = bold ? pen_.bold(pen_.type.word) : pen_.type.caption;
    const ImVec2 size = pen_.measure(face, pixels, word);
    const double ahead = std::atan2(tip.y - origin_.y, tip.x - origin_.x);
    constexpr std::array turns{0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5};
    for (const float away : {10 * pen_.u(), 22 * pen_.u()}) {
      for (const double turn : turns) {
        const auto dx = static_cast<float>(std::cos(ahead + turn)), dy = static_cast<float>(std::sin(ahead + turn));
        const ImVec2 centre{tip.x + dx * (away + size.x / 2), tip.y + dy * (away + size.y / 2)};
        const Rect rect{{centre.x - size.x / 2, centre.y - size.y / 2}, {centre.x + size.x / 2, centre.y + size.y / 2}};
        if (!is_free(rect)) continue;
        taken_.push_back(rect);
        pen_.text(TextRole::word, face, pixels, centre, Align::middle, colour, word);
        return;
      }
    }
  }

 private:
  bool is_free(const Rect& rect) const {
    if (rect.min.x < room_.min.x || rect.max.x > room_.max.x || rect.min.y < room_.min.y || rect.max.y > room_.max.y)
      return false;
    for (const Rect& other : taken_) {
      if (rect.min.x < other.max.x && other.min.x < rect.max.x && rect.min.y < other.max.y && other.min.y < rect.max.y)
        return false;
    }
    const Rect wide = rect.grown(2 * pen_.u());
    return std::ranges::none_of(tips_, [&](ImVec2 tip) { return crosses(wide, tip); });
  }

  /// Whether the arrow to `tip` goes through it: the part of the line within both of its extents is not empty.
  bool crosses(const Rect& rect, ImVec2 tip) const {
    float from = 0, to = 1;
    const auto within = [&](float begin, float step, float lo, float hi) {
      if (std::abs(step) < 1e-6f) return begin >= lo && begin <= hi;
      const float a = (lo - begin) / step, b = (hi - begin) / step;
      from = std::max(from, std::min(a, b));
      to = std::min(to, std::max(a, b));
      return from <= to;
    };
    return within(origin_.x, tip.x - origin_.x, rect.min.x, rect.max.x) &&
           within(origin_.y, tip.y - origin_.y, rect.min.y, rect.max.y);
  }

  Pen& pen_;
  Rect room_;
  ImVec2 origin_;
  std::vector<ImVec2> tips_;
  std::vector<Rect> taken_;
};

void dashes(Pen& pen, ImVec2 from, ImVec2 to, ImU32 colour) {
  const float length = std::hypot(to.x - from.x, to.y - from.y), step = 6 * pen.u();
  for (float at = 0; at < length; at += 2 * step) {
    const float a = at / length, b = std::min(at + step, length) / length;
    pen.line({from.x + (to.x - from.x) * a, from.y + (to.y - from.y) * a},
             {from.x + (to.x - from.x) * b, from.y + (to.y - from.y) * b}, colour, std::max(1.0f, 1.2f * pen.u()));
  }
}

/// The arc from one direction to another, the shorter way round.
void arc(Pen& pen, ImVec2 origin, double from, double to, float radius, ImU32 colour) {
  double turn = std::remainder(to - from, 2 * std::numbers::pi);
  constexpr int parts = 16;
  const auto point = [&](int i) {
    const double angle = from + turn * i / parts;
    return ImVec2{origin.x + radius * static_cast<float>(std::cos(angle)),
                  origin.y - radius * static_cast<float>(std::sin(angle))};
  };
  for (int i = 0; i < parts; ++i) pen.line(point(i), point(i + 1), colour, Stroke::firm(pen.u()));
}

std::string digits(double value, int decimals) { return MatrixNumbers(decimals, false)(static_cast<float>(value)); }

/// The plane with the arrows, as large as all of them fit, the origin among them.
struct PlanePicture : TaskPart {
  const HeadPlane& plane;
  const Operands& operands;
  Index settled = 0;
  Rect room;
  const Index n_k = trace.dims().n_k, count = std::min(n_k, most_arrows),
              first = n_k > most_arrows ? std::clamp<Index>(settled - most_arrows / 2, 0, n_k - most_arrows) : 0;
  const PlanePoint q = plane.queries()[static_cast<std::size_t>(task.focus.query)], key = key_at(task.focus.key);
  const double squared = q.x * q.x + q.y * q.y;
  Sheet sheet{};

  PlanePoint key_at(Index k) const { return plane.keys()[static_cast<std::size_t>(k)]; }
  void put() {
    lay_out();
    put_ground();
    put_others();
    put_unturned();
    put_two();
    put_words();
  }

  /// Where a point goes straight down on the query's line.
  PlanePoint foot_of(PlanePoint p) const {
    const double along = squared > 0 ? (q.x * p.x + q.y * p.y) / squared : 0;
    return {q.x * along, q.y * along};
  }

  void lay_out() {
    PlanePoint low{std::min(q.x, 0.0), std::min(q.y, 0.0)}, high{std::max(q.x, 0.0), std::max(q.y, 0.0)};
    for (Index k = first; k < first + count; ++k) {
      for (const PlanePoint p : {key_at(k), foot_of(key_at(k))}) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y)};
      }
    }
    const Rect inside{{room.min.x + 70 * u, room.min.y + 34 * u}, {room.max.x - 70 * u, room.max.y - 34 * u}};
    const double wide = std::max(high.x - low.x, 1e-9), tall = std::max(high.y - low.y, 1e-9);
    const double scale =
        std::min(static_cast<double>(inside.width()) / wide, static_cast<double>(inside.height()) / tall);
    sheet = {{inside.centre().x - static_cast<float>((low.x + high.x) / 2 * scale),
              inside.centre().y + static_cast<float>((low.y + high.y) / 2 * scale)},
             static_cast<float>(scale)};
  }

  void put_ground() const {
    pen.card(room);
    pen.add_content(room);
    const ImVec2 o = sheet.origin;
    pen.line({room.min.x + 8 * u, o.y}, {room.max.x - 8 * u, o.y}, look.line, Stroke::hair(u));
    pen.line({o.x, room.min.y + 8 * u}, {o.x, room.max.y - 8 * u}, look.line, Stroke::hair(u));
  }

  /// The other keys, quietly; those that the mask hides more so.
  void put_others() const {
    const Band weights = band_of(task, Stage::weights);
    for (Index k = first; k < first + count; ++k) {
      const bool hidden = weights.kinds[static_cast<std::size_t>(k)] == CellKind::masked;
      if (k != task.focus.key)
        pen.line(sheet.origin, sheet.at(key_at(k)), fade(hidden ? look.muted : look.k, hidden ? 0.25f : 0.5f),
                 std::max(1.2f, 1.6f * u), true);
    }
  }

  /// The two as they were before they were turned by where they stand.
  void put_unturned() const {
    const Stage before_q = made_from(trace, operands.left), before_k = made_from(trace, operands.right);
    const bool turned = operands.left == Stage::Q_rotated && trace.scenario.rope != Rope::none;
    if (!turned || !trace.has(before_q) || !trace.has(before_k)) return;
    const MatrixView qs = numbers_of(trace, view, before_q), ks = numbers_of(trace, view, before_k);
    dashes(pen, sheet.origin, sheet.at(plane.shadow(row_numbers(qs, task.focus.query))), fade(look.q, 0.6f));
    dashes(pen, sheet.origin, sheet.at(plane.shadow(row_numbers(ks, task.focus.key))), fade(look.k, 0.6f));
  }

  /// How far the key goes along the query: their product, but for the query's length.
  void put_two() const {
    if (squared > 0) {
      const ImVec2 foot = sheet.at(foot_of(key));
      dashes(pen, sheet.at(key), foot, look.muted);
      pen.line(sheet.origin, foot, fade(look.after, 0.5f), std::max(5.0f, 7 * u));
      arc(pen, sheet.origin, std::atan2(q.y, q.x), std::atan2(key.y, key.x), 34 * u, look.ink);
    }
    pen.line(sheet.origin, sheet.at(key), look.k, std::max(2.5f, 3.5f * u), true);
    pen.line(sheet.origin, sheet.at(q), look.q, std::max(2.5f, 3.5f * u), true);
  }

  void put_words() const {
    Labels labels(pen, room.grown(-4 * u), sheet.origin);
    labels.keep_off(sheet.at(q));
    for (Index k = first; k < first + count; ++k) labels.keep_off(sheet.at(key_at(k)));
    labels.put(sheet.at(q), query_word(context, task.focus.query), true, look.q);
    labels.put(sheet.at(key), key_word(context, task.focus.key), true, look.k);
    for (Index k = first; k < first + count; ++k) {
      const ImVec2 tip = sheet.at(key_at(k));
      if (k != task.focus.key && std::hypot(tip.x - sheet.origin.x, tip.y - sheet.origin.y) > 14 * u)
        labels.put(tip, key_word(context, k), false, look.muted);
      pen.target({{tip.x - 12 * u, tip.y - 12 * u}, {tip.x + 12 * u, tip.y + 12 * u}}, SceneAction::key_word, k);
    }
  }
};

/// One line a key: its word, score, share; those with the largest shares where there is no room for all.
struct KeyList : TaskPart {
  Index settled = 0;
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
      return k == settled ? 2.0f : std::isfinite(weight) ? weight : -1.0f;
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
    const MatrixNumbers figures(row_view(finite));
    const float digit = pen.measure(Face::mono, pen.type.number, "0").x;
    const float name = std::min(longest + 12 * u, room.width() * 0.3f),
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
                {room.min.x + number + 10 * u, room.max.x - 5 * digit - 10 * u});
      y += pitch;
    }
  }

  void put_line(Index k, float y, float name, float number, const MatrixNumbers& figures) const {
    const auto i = static_cast<std::size_t>(k);
    const bool lit = k == task.focus.key, hidden = scores.kinds[i] != CellKind::value;
    const Rect line{{room.min.x - 6 * u, y - pitch / 2}, {room.max.x + 6 * u, y + pitch / 2}};
    if (lit) pen.fill(line, look.field, Corner::control * u);
    const Face face = lit ? Face::bold : Face::ui;
    const float pixels = lit ? pen.strong(pen.type.caption) : pen.type.caption;
    pen.text(TextRole::word, face, pixels, {room.min.x, y}, Align::left,
             lit      ? look.k
             : hidden ? look.muted
                      : look.ink,
             key_word(context, k), name - 6 * u);
    pen.number(pen.type.number, {room.min.x + number, y}, Align::right, hidden ? look.muted : look.ink,
               hidden ? MatrixNumbers(1, false)(scores.values[i]) : figures(scores.values[i]));
    pen.number(pen.type.number, {room.max.x, y}, Align::right, lit ? look.head_ink(view.head) : look.muted,
               weights.kinds[i] == CellKind::masked ? "0" : MatrixNumbers(2, true)(weights.values[i]));
    pen.target(line, SceneAction::key_word, k);
  }

  /// As a bar from the middle, `share` of half the room long; hatched where it is hidden.
  void put_score(float share, Index k, float y, ImVec2 ends) const {
    const float middle = (ends.x + ends.y) / 2, half = (ends.y - ends.x) / 2 - 12 * u;
    if (half <= 12 * u) return;
    const auto i = static_cast<std::size_t>(k);
    if (scores.kinds[i] != CellKind::value)
      pen.hatch({{middle - half, y - pitch * 0.3f}, {middle + half, y + pitch * 0.3f}});
    else
      pen.bar({middle, y}, {middle + half * share, y}, pitch * 0.6f,
              fade(sign_colour(pen, scores.values[i]), k == task.focus.key ? 1.0f : 0.75f), scores.values[i]);
    pen.fill({{middle - u * 0.5f, y - pitch / 2}, {middle + u * 0.5f, y + pitch / 2}}, look.line);
  }
};

/// What is added to each key's score for its distance, as a line that tilts.
void put_tilt(const Task& task, Rect room) {
  Pen& pen = task.pen;
  const Look& look = pen.look();
  const Trace& trace = task.trace();
  const float u = task.u();
  const Stage before = made_from(trace, Stage::biased_scores);
  const MatrixView with = numbers_of(trace, task.context().view, Stage::biased_scores),
                   without = numbers_of(trace, task.context().view, before);
  const Index n = std::min<Index>(with.cols, most_arrows);
  float lo = 0, hi = 0;
  std::vector<float> added;
  for (Index k = 0; k < n; ++k) {
    added.push_back(with(task.focus.query, k) - without(task.focus.query, k));
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
  for (Index k = 0; k + 1 < n; ++k) pen.line(at(k), at(k + 1), look.after, std::max(2.0f, 2.5f * u));
  if (task.focus.key < n) {
    const ImVec2 here = at(task.focus.key);
    pen.fill({{here.x - 5 * u, here.y - 5 * u}, {here.x + 5 * u, here.y + 5 * u}}, look.k, Corner::control * u);
  }
}

/// Under the plane, whose room shrinks by it: what of the two words lies in it.
void put_notes(const Task& task, const HeadPlane& plane, const Operands& operands, Index settled, Rect& room) {
  const SceneContext& context = task.context();
  const Look& look = context.look;
  const auto [query, key, feature] = task.focus;
  const std::vector<float> q = row_numbers(numbers_of(task.trace(), context.view, operands.left), query),
                           k = row_numbers(numbers_of(task.trace(), context.view, operands.right), key);
  const auto percent = [](double share) { return digits(100 * share, 0) + " %"; };
  const std::vector<Named> names{{query_word(context, query), look.q},     {key_word(context, settled), look.k},
                                 {key_word(context, key), look.k},         {percent(plane.share_of(q, k)), look.ink},
                                 {percent(plane.query_share()), look.ink}, {percent(plane.key_share()), look.ink}};
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
  note(plane.whole() ? "facet.plane_whole" : key == settled ? "facet.plane_part" : "facet.plane_other");
}

}  // namespace

Scene make_geometry(const SceneContext& context, Rect place) {
  Scene scene;
  Pen pen(context, scene);
  const Trace& trace = context.trace;
  const Look& look = context.look;
  const Words& words = context.words;
  const float u = context.u;
  const Index settled = focus_of(trace, context.view).key;  // what stands where does not follow the pointer
  const Focus focus = pointed_focus(trace, context.view);
  const Operands operands = operands_of(trace, Stage::scores);
  const MatrixView queries = numbers_of(trace, context.view, operands.left),
                   keys = numbers_of(trace, context.view, operands.right);
  const HeadPlane plane(queries, keys, focus.query, settled);
  const DotProduct dot = dot_product(row_numbers(queries, focus.query), row_numbers(keys, focus.key));
  const std::vector<Printed> product = printed_factors({dot.query_length, dot.key_length, dot.cosine});
  const double degrees = std::acos(std::clamp(dot.cosine, -1.0, 1.0)) * 180 / std::numbers::pi;

  Rect area = scene_area(context, place);
  const std::string random = random_words(trace.inputs, words);
  const std::vector<Named> names{
      {query_word(context, focus.query), look.q, true, NamedLink{SceneAction::query_word, focus.query}},
      {key_word(context, focus.key), look.k, true, NamedLink{SceneAction::key_word, focus.key}},
      {digits(degrees, 0) + "°", look.ink},
      {product[0].text, look.q},
      {product[1].text, look.k},
      {product[2].text, look.ink},
      {product[3].text, look.after},
      {random, look.warning, false}};
  put_title_and_story(pen, area, words("facet.geometry_title"),
                      words("facet.geometry_story") + std::string(random.empty() ? "" : " {7}"), names, 10 * u);

  const Reveal whole;
  const float foot = pen.type.caption * 2.6f + 14 * u;
  const Task task{pen, Stage::weights, focus, whole, area};
  put_temperature(task, {{area.min.x, area.max.y - foot}, area.max}, entropy_text(task));
  area.max.y -= foot + 4 * u;
  const float list = std::clamp(area.width() * 0.4f, 260 * u, 640 * u);
  Rect left{area.min, {area.max.x - list - 32 * u, area.max.y}}, right{{area.max.x - list, area.min.y}, area.max};
  put_notes(task, plane, operands, settled, left);
  left.max.y -= 6 * u;
  PlanePicture{task, plane, operands, settled, left}.put();
  if (trace.has(Stage::biased_scores)) {
    const float tilt = std::min(120 * u, right.height() * 0.24f);
    put_tilt(task, {{right.min.x, right.max.y - tilt}, right.max});
    right.max.y -= tilt + 12 * u;
  }
  KeyList{task, settled, right}.put();
  pen.add_content(right);
  return scene;
}

}  // namespace headlight
