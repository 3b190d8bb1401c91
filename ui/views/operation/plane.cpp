// The plane of the geometry: queries and keys of one head as arrows.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/teaching/explain/explain.h"
#include "ui/base/look/measure.h"
#include "ui/views/operation/bands.h"
#include "ui/views/operation/geometry.h"

namespace headlight::operation {

namespace {

/// Where the plane is on screen; queries and keys have one scale.
struct Sheet {
  ImVec2 origin;
  float scale = 1;  ///< pixels a unit
  ImVec2 at(PlanePoint p) const {
    return {origin.x + static_cast<float>(p.x) * scale, origin.y - static_cast<float>(p.y) * scale};
  }
};

/// Words beside the tips of arrows: beyond the tip, or at another side of it if other words or arrows are in the way.
class Labels {
 public:
  Labels(Pen& pen, Rect room, ImVec2 origin) : pen_(pen), room_(room), origin_(origin) {}
  /// The tip of an arrow that no word may overlap.
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
        const Rect rect = around(centre, size.x / 2, size.y / 2);
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

  /// Whether the arrow to `tip` crosses the rectangle: part of the line is inside both its x range and its y range.
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

/// In points.
struct PlaneSizes {
  static constexpr float beside = 70, above = 34;                                           ///< room for the names
  static constexpr float dashes = 1.2f, other_key = 1.6f, followed = 3.5f, projection = 7;  ///< widths of lines
  static constexpr float arc = 34, named_from = 14;
};

void put_dashes(Pen& pen, ImVec2 from, ImVec2 to, ImU32 colour) {
  const float length = std::hypot(to.x - from.x, to.y - from.y), step = Space::near * pen.u();
  for (float at = 0; at < length; at += 2 * step) {
    const float a = at / length, b = std::min(at + step, length) / length;
    pen.line({from.x + (to.x - from.x) * a, from.y + (to.y - from.y) * a},
             {from.x + (to.x - from.x) * b, from.y + (to.y - from.y) * b}, colour,
             std::max(1.0f, PlaneSizes::dashes * pen.u()));
  }
}

/// The shorter arc from one direction to another.
void put_arc(Pen& pen, ImVec2 origin, double from, double to, float radius, ImU32 colour) {
  double turn = std::remainder(to - from, 2 * std::numbers::pi);
  constexpr int parts = 16;
  const auto point = [&](int i) {
    const double angle = from + turn * i / parts;
    return ImVec2{origin.x + radius * static_cast<float>(std::cos(angle)),
                  origin.y - radius * static_cast<float>(std::sin(angle))};
  };
  for (int i = 0; i < parts; ++i) pen.line(point(i), point(i + 1), colour, Stroke::firm(pen.u()));
}

/// The plane with the arrows, scaled so that all arrows and the origin fit.
struct PlanePicture : TaskPart {
  const HeadPlane& plane;
  const Operands& operands;
  Index followed = 0;
  Rect room;
  const Index n_k = trace.dims().n_k, count = std::min(n_k, most_arrows), first = first_arrow(followed, n_k);
  const PlanePoint q = plane.queries()[static_cast<std::size_t>(task.focus.query)], key = key_at(task.focus.key);
  const double squared = q.x * q.x + q.y * q.y;
  Sheet sheet{};

  PlanePoint key_at(Index k) const { return plane.keys()[static_cast<std::size_t>(k)]; }
  /// The projection of a point on the query's line.
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
    const Rect inside{{room.min.x + PlaneSizes::beside * u, room.min.y + PlaneSizes::above * u},
                      {room.max.x - PlaneSizes::beside * u, room.max.y - PlaneSizes::above * u}};
    const double wide = std::max(high.x - low.x, 1e-9), tall = std::max(high.y - low.y, 1e-9);
    const double scale =
        std::min(static_cast<double>(inside.width()) / wide, static_cast<double>(inside.height()) / tall);
    sheet = {{inside.centre().x - static_cast<float>((low.x + high.x) / 2 * scale),
              inside.centre().y + static_cast<float>((low.y + high.y) / 2 * scale)},
             static_cast<float>(scale)};
  }

  void put_background() const {
    pen.card(room);
    pen.add_content(room);
    const ImVec2 o = sheet.origin;
    pen.line({room.min.x + Space::gap * u, o.y}, {room.max.x - Space::gap * u, o.y}, look.line, Stroke::hair(u));
    pen.line({o.x, room.min.y + Space::gap * u}, {o.x, room.max.y - Space::gap * u}, look.line, Stroke::hair(u));
  }

  /// The other keys, pale; those that the mask hides paler.
  void put_others() const {
    const Band weights = band_of(task, Stage::weights);
    for (Index k = first; k < first + count; ++k) {
      const bool hidden = weights.kinds[static_cast<std::size_t>(k)] == CellKind::masked;
      if (k != task.focus.key)
        pen.line(sheet.origin, sheet.at(key_at(k)), fade(hidden ? look.muted : look.k, hidden ? 0.25f : 0.5f),
                 std::max(1.2f, PlaneSizes::other_key * u), true);
    }
  }

  /// The query and the key before their rotation by position.
  void put_unrotated() const {
    const Stage before_q = made_from(trace, operands.left), before_k = made_from(trace, operands.right);
    const bool rotated = operands.left == Stage::Q_rotated && trace.scenario.rope != Rope::none;
    if (!rotated || !trace.has(before_q) || !trace.has(before_k)) return;
    const MatrixView qs = numbers_of(trace, view, before_q), ks = numbers_of(trace, view, before_k);
    put_dashes(pen, sheet.origin, sheet.at(plane.shadow(row_numbers(qs, task.focus.query))), fade(look.q, 0.6f));
    put_dashes(pen, sheet.origin, sheet.at(plane.shadow(row_numbers(ks, task.focus.key))), fade(look.k, 0.6f));
  }

  /// The key's projection on the query (their product divided by the query's length), and the angle between them.
  void put_query_and_key() const {
    if (squared > 0) {
      const ImVec2 foot = sheet.at(foot_of(key));
      put_dashes(pen, sheet.at(key), foot, look.muted);
      pen.line(sheet.origin, foot, fade(look.after, 0.5f), std::max(5.0f, PlaneSizes::projection * u));
      put_arc(pen, sheet.origin, std::atan2(q.y, q.x), std::atan2(key.y, key.x), PlaneSizes::arc * u, look.ink);
    }
    pen.line(sheet.origin, sheet.at(key), look.k, std::max(2.5f, PlaneSizes::followed * u), true);
    pen.line(sheet.origin, sheet.at(q), look.q, std::max(2.5f, PlaneSizes::followed * u), true);
  }

  void put_words() const {
    Labels labels(pen, room.grown(-Space::tight * u), sheet.origin);
    labels.keep_off(sheet.at(q));
    for (Index k = first; k < first + count; ++k) labels.keep_off(sheet.at(key_at(k)));
    labels.put(sheet.at(q), query_word(context, task.focus.query), true, look.q);
    labels.put(sheet.at(key), key_word(context, task.focus.key), true, look.k);
    for (Index k = first; k < first + count; ++k) {
      const ImVec2 tip = sheet.at(key_at(k));
      if (k != task.focus.key &&
          std::hypot(tip.x - sheet.origin.x, tip.y - sheet.origin.y) > PlaneSizes::named_from * u)
        labels.put(tip, key_word(context, k), false, look.muted);
      pen.target(around(tip, Space::apart * u, Space::apart * u), SceneAction::key_word, k);
    }
  }
};

}  // namespace

void put_plane(const Task& task, const HeadPlane& plane, const Operands& operands, Index followed, Rect room) {
  PlanePicture picture{task, plane, operands, followed, room};
  picture.lay_out();
  picture.put_background();
  picture.put_others();
  picture.put_unrotated();
  picture.put_query_and_key();
  picture.put_words();
}

}  // namespace headlight::operation
