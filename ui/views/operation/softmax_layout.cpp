#include "ui/views/operation/softmax_layout.h"

#include <algorithm>
#include <cmath>

#include "core/compute/run/trace.h"
#include "ui/base/look/measure.h"
#include "ui/parts/matrix/heat.h"

namespace headlight::operation {
namespace {

/// In points.
struct SoftmaxSizes {
  static constexpr float wide_from = 1250, map = 172;  ///< a wide area has room for the small map
  static constexpr float beside_names = 22, wide_beside_names = 84;
  static constexpr RoomShare sum_width{0.038f, 30, 64};
  static constexpr float before_sum = 28;
  static constexpr float widest_column = 210, widest_bar = 92;
};

constexpr Index most_parts = 24;

/// A number as text, and a shorter text for narrow columns.
struct Figure {
  std::string exact, brief;
};

/// With this many decimals, or more for a small number.
Figure figure_of(float value, int decimals) {
  if (!std::isfinite(value) || std::abs(value) >= 1e6f)
    return {MatrixNumbers(1, false)(value), MatrixNumbers(0, false)(value)};
  if (value == 0) return {"0", "0"};
  const bool small = std::abs(value) < 0.5f * std::pow(10.0f, static_cast<float>(-decimals));
  return {small ? printed(static_cast<double>(value)).text : MatrixNumbers(decimals, false)(value),
          MatrixNumbers(std::max(decimals - 1, 0), false)(value)};
}

struct SoftmaxPlacing : TaskPart {
  SoftmaxLayout& to;
  const Rect& area = task.area;

  float title_width(const char* key) const {
    return pen.measure(Face::bold, band_title_size(pen), "5  " + std::string(say(key))).x;
  }

  void widths() {
    for (const char* key : {"softmax.scores", "softmax.minus", "softmax.power", "softmax.divided"})
      to.names = std::max(to.names, title_width(key));
    to.names = std::min(to.names + (area.width() >= SoftmaxSizes::wide_from * u ? SoftmaxSizes::wide_beside_names * u
                                                                                : SoftmaxSizes::beside_names * u),
                        area.width() * 0.3f);
    to.sum_width = SoftmaxSizes::sum_width.of(area.width(), u);
    to.map = !presenting && area.width() >= SoftmaxSizes::wide_from * u ? SoftmaxSizes::map * u : 0;
    const float largest = pen.measure(Face::bold, pen.bold(pen.type.word), say.fill("softmax.largest", {"−00.00"})).x;
    const float beside_sum = std::max(title_width("softmax.sum"), pen.measure(Face::bold, pen.type.title, "= 00.00").x);
    const float side = std::min(std::max((SoftmaxSizes::before_sum + Space::card) * u + to.sum_width + beside_sum,
                                         SoftmaxSizes::beside_names * u + largest + to.map),
                                area.width() * 0.3f);
    const float width = area.width() - to.names - side;
    const float narrowest = pen.digit() * 4.6f + Space::near * u;
    to.row =
        softmax_row(trace, view, task.focus, std::clamp(static_cast<Index>(width / narrowest), Index{2}, most_parts),
                    context.weights_before);
    to.column = std::min(width / static_cast<float>(to.count()), SoftmaxSizes::widest_column * u);
    to.bar_width = std::min(to.column * 0.6f, SoftmaxSizes::widest_bar * u);
    to.left = area.min.x + to.names;
    to.right = to.left + to.column * static_cast<float>(to.count());
  }

  /// The words upright in the largest size at which all fit, else at 45°.
  void words() {
    const auto widest = [&](float size) {
      float most = 0;
      for (const SoftmaxPart& part : to.row.parts)
        most = std::max(most, pen.measure(Face::bold, size, softmax_word(context, part)).x);
      return most;
    };
    for (const float larger : {1.7f, 1.35f, 1.0f, 0.87f}) {
      const float size = pen.bold(std::max(pen.type.word * larger, pen.type.least));
      if (widest(size) + Space::near * u > to.column) continue;
      to.word = size;
      to.words = size * 1.7f;
      return;
    }
    const float size = turned_size(pen, Face::bold, to.column);
    to.words = turned_height(widest(size), size);
  }

  void heights() {
    const float slider = pen.type.caption * 2.6f + Space::near * u, formula = pen.type.formula * 2.4f;
    const float least = to.words + 9.5f * pen.type.number * 1.5f;
    constexpr float ample = 1.4f;  // the bands show the same as the formula, so they come first
    const bool has_slider = has_facets(trace) && area.height() - slider >= least,
               has_formula = area.height() - slider - formula >= ample * least;
    to.foot = {{area.min.x, area.max.y - (has_slider ? slider : 0)}, area.max};
    to.formula = {{to.left, to.foot.min.y - (has_formula ? formula : 0)}, {area.max.x, to.foot.min.y}};
    const float top = area.min.y + to.words, under = pen.type.caption * 1.7f;
    const float height = to.formula.min.y - under - Space::tight * u - top;
    const auto band = [&](float from, float until) {
      return Rect{{to.left, top + height * from}, {to.right, top + height * until}};
    };
    to.scores = band(0.02f, 0.26f);
    to.shifted = band(0.3f, 0.52f);
    to.powers = band(0.55f, 0.83f);
    to.shares = band(0.88f, 1);
    const float x = to.right + SoftmaxSizes::before_sum * u;
    to.sum = {{x, to.map > 0 ? to.shifted.min.y : to.scores.min.y + 2 * pen.type.caption},
              {x + to.sum_width, to.powers.max.y}};
  }

  /// One font size for the numbers of all bands, at which each fits its column.
  void numbers() {
    float most = 0;
    for (const SoftmaxPart& part : to.row.parts) {
      if (std::isfinite(part.score) && !part.is_out()) most = std::max(most, std::abs(part.score));
    }
    const int decimals = most < 100 ? 2 : most < 1000 ? 1 : 0;
    std::vector<Figure> scores, shifted;
    int finest = 2;  // decimals of the powers: two digits of the smallest, as far as that fits
    for (const SoftmaxPart& part : to.row.parts) {
      const std::string least = part.kind == SoftmaxPart::Kind::others && !part.is_out() ? "≤" : "";
      scores.push_back(figure_of(part.score, decimals));
      shifted.push_back(figure_of(part.shifted, decimals));
      for (Figure* figure : {&scores.back(), &shifted.back()}) *figure = {least + figure->exact, least + figure->brief};
      if (part.power > 0)
        finest = std::clamp(1 - static_cast<int>(std::floor(std::log10(static_cast<double>(part.power)))), finest, 4);
    }
    to.largest_text = figure_of(to.row.largest, decimals).exact;
    const auto fits = [&](const std::string& text, float size) {
      return pen.measure(Face::mono, size, text).x + Space::close * u <= to.column;
    };
    const auto text_of = [](const Figure& figure, bool brief) { return brief ? figure.brief : figure.exact; };
    const auto power_text = [&](std::size_t i, int places) {
      return MatrixNumbers(places, true)(static_cast<float>(to.row.parts[i].power));
    };
    /// One precision for the row of powers: the most decimals at which all fit; 0: none.
    const auto power_decimals = [&](float size) {
      for (int places = finest; places >= 2; --places) {
        bool all = true;
        for (std::size_t i = 0; i < to.count(); ++i) all = all && fits(power_text(i, places), size);
        if (all) return places;
      }
      return 0;
    };
    const auto all_fit = [&](float size, bool brief) {
      for (std::size_t i = 0; i < to.count(); ++i) {
        if (!fits(text_of(scores[i], brief), size) || !fits(text_of(shifted[i], brief), size)) return false;
      }
      return power_decimals(size) > 0;
    };
    const float least = size_not_below(context.fonts, Face::mono, pen.type.least);
    for (const bool brief : {false, true}) {
      for (const float larger : {1.5f, 1.25f, 1.0f, 0.0f}) {
        const float size = std::max(pen.type.number * larger, least);
        if (to.pixels > 0 || !all_fit(size, brief)) continue;
        to.pixels = size;
        for (std::size_t i = 0; i < to.count(); ++i) {
          to.score_texts.push_back(text_of(scores[i], brief));
          to.shifted_texts.push_back(text_of(shifted[i], brief));
          to.power_texts.push_back(power_text(i, power_decimals(size)));
        }
      }
    }
  }

  void scales() {
    float low = 0, high = 0;
    for (const SoftmaxPart& part : to.row.parts) {
      if (!std::isfinite(part.score) || part.is_out()) continue;
      low = std::min(low, part.score);
      high = std::max(high, part.score);
    }
    const float line = to.pixels * 1.35f;
    const float room = std::max(std::min(to.scores.height(), to.shifted.height()) - line, Space::tight * u);
    to.unit = room / std::max(high - low, 1e-20f);
    to.zero = to.scores.min.y + high * to.unit;
    to.power_unit = std::max(to.powers.height() - line, Space::tight * u);
    if (!to.row.empty && to.row.sum > 0 && std::isfinite(to.row.sum))
      to.sum_unit = std::min(to.power_unit, to.sum.height() / static_cast<float>(to.row.sum));
  }
};

}  // namespace

std::string softmax_word(const SceneContext& context, const SoftmaxPart& part) {
  if (part.kind == SoftmaxPart::Kind::sink) return std::string(context.words("softmax.sink"));
  if (part.kind == SoftmaxPart::Kind::others) return "+" + std::to_string(part.words);
  return axis_label(context.trace, Axis::key, context.view.batch, part.key);
}

float band_title_size(const Pen& pen) {
  return pen.bold(pen.type.word * (pen.context().view.presenting ? 0.95f : 1.3f));
}

Rect SoftmaxLayout::power_bar(std::size_t i) const {
  const SoftmaxPart& part = row.parts[i];
  // The part for the other keys would be many bars, so no bar is drawn for it.
  const bool drawn = part.kind != SoftmaxPart::Kind::others && std::isfinite(part.power);
  const float height = drawn ? static_cast<float>(part.power) * power_unit : 0;
  return {{x(i) - bar_width / 2, powers.max.y - height}, {x(i) + bar_width / 2, powers.max.y}};
}

Rect SoftmaxLayout::piece(std::size_t i) const {
  double below = 0;
  for (std::size_t j = 0; j < i; ++j) below += row.parts[j].power;
  const float height = static_cast<float>(row.parts[i].power) * sum_unit, gap = height > 4 ? 1.0f : 0.0f;
  const float low = sum.max.y - static_cast<float>(below) * sum_unit;
  return {{sum.min.x, low - height + gap}, {sum.max.x, low}};
}

Rect SoftmaxLayout::share_bar() const {
  Rect bar = shares;
  if (row.compares()) bar.max.y -= bar.height() * 0.22f;
  return bar;
}

Rect SoftmaxLayout::share_part(std::size_t i, bool before) const {
  const auto share_of = [&](const SoftmaxPart& part) {
    const double share = before ? part.before : part.share;
    return std::isfinite(share) ? share : 0;
  };
  double start = 0;
  for (std::size_t j = 0; j < i; ++j) start += share_of(row.parts[j]);
  const Rect bar = share_bar();
  const float from = bar.min.x + bar.width() * static_cast<float>(start),
              width = bar.width() * static_cast<float>(share_of(row.parts[i])), gap = width > 4 ? 1.0f : 0.0f;
  return {{from, bar.min.y}, {from + width - gap, bar.max.y}};
}

SoftmaxLayout lay_out_softmax(const Task& task) {
  SoftmaxLayout layout;
  SoftmaxPlacing placing{task, layout};
  placing.widths();
  placing.words();
  placing.heights();
  placing.numbers();
  placing.scales();
  return layout;
}

}  // namespace headlight::operation
