// A sum of products as a column of terms: a × b = c, one under the other, the sum growing beside them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/figure/range.h"
#include "core/image/theme.h"
#include "ui/frame/colormaps.h"
#include "ui/look/measure.h"
#include "ui/operation/parts.h"

namespace headlight::operation {
namespace {

float product_at(const Sum& sum, std::size_t i) { return sum.left[i] * sum.right[i]; }

/// What the columns of the card are drawn with.
struct Columns {
  float name = 0, chip = 0, sign = 0, bar = 0;  ///< widths
  float pixels = 0, line = 0;
};

void chip(Pen& pen, Rect rect, Stage stage, float value, const MatrixNumbers& figures, float pixels, bool there) {
  const Colormap& map = window_colormap(pen.context().view, stage);
  const Rgba ground = map.at(normalise(value, stage_range(pen.context().trace, stage, map.kind())));
  pen.fill(rect, fade(to_imgui(ground), there ? 1 : 0.25f), Corner::cell * pen.u());
  pen.text(TextRole::number, Face::mono, pixels, rect.centre(), Align::middle,
           there ? to_imgui(ink_on(ground)) : pen.look().muted, figures(value));
}

/// Which terms are written, in what order: all; while they are added, those around the newest; at the end, the largest.
std::vector<std::size_t> chosen(const Sum& sum, std::size_t lines) {
  std::vector<std::size_t> all(sum.left.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (all.size() <= lines || lines == 0) return all;
  --lines;  // one says how many more
  if (sum.done >= static_cast<Index>(all.size())) {
    std::ranges::sort(
        all, [&](std::size_t a, std::size_t b) { return std::abs(product_at(sum, a)) > std::abs(product_at(sum, b)); });
    all.resize(lines);
    return all;
  }
  const std::size_t at = static_cast<std::size_t>(sum.done);
  const std::size_t first = std::min(at > lines - 1 ? at - (lines - 1) : 0, all.size() - lines);
  return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(first + lines)};
}

MatrixView as_row(const std::vector<float>& values) {
  return {values.data(), 1, static_cast<Index>(values.size()), static_cast<Index>(values.size()), 1};
}

}  // namespace

float so_far(const Sum& sum) {
  if (sum.done >= static_cast<Index>(sum.left.size())) return sum.total;
  float total = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(sum.done); ++i) total += product_at(sum, i);
  return total;
}

void put_sum(const Task& task, const Sum& sum, Rect card, bool framed) {
  Pen& pen = task.pen;
  const Look& look = pen.look();
  const Words& words = pen.context().words;
  const float u = pen.u();
  Rect frame = card;
  if (framed) card = card.grown(-18 * u);
  std::vector<float> products(sum.left.size());
  for (std::size_t i = 0; i < products.size(); ++i) products[i] = product_at(sum, i);
  const MatrixNumbers left(as_row(sum.left)), right(as_row(sum.right)), both(as_row(products));

  const float title = pen.type.word * 1.25f;
  Columns columns;
  float names = 0;
  for (const std::string& name : sum.names) names = std::max(names, pen.measure(Face::ui, pen.type.caption, name).x);
  names = sum.names.empty() ? 0 : std::min(names + 8 * u, card.width() * 0.25f);
  const int longest = std::max({left.longest(), right.longest(), both.longest(), 5});
  const float top = card.min.y + title * 1.6f;
  float bottom = 0, taken = 0;
  for (const float larger : {1.7f, 1.35f, 1.0f}) {  // a few terms are set larger
    columns.pixels = pen.context().fonts.crisp(Face::mono, pen.type.number * larger);
    columns.line = columns.pixels * 1.6f;
    bottom = card.max.y - (pen.type.great * 1.15f + (sum.bias ? columns.line : 0) + pen.type.caption * 1.6f);
    const float digit = pen.measure(Face::mono, columns.pixels, "0").x;
    columns.chip = static_cast<float>(longest) * digit + 8 * u;
    columns.sign = digit * 1.6f;
    columns.name = names + 3 * columns.chip + 2 * columns.sign + 22 * u > card.width() ? 0 : names;
    taken = columns.name + 3 * columns.chip + 2 * columns.sign + 10 * u;
    constexpr float bar = 72;  // points that a term's bar has at least
    if (static_cast<float>(products.size()) * columns.line <= bottom - top && taken + bar * u <= card.width() &&
        columns.name == names)
      break;
  }
  constexpr float loosest = 1.7f;
  if (const float spare = bottom - top - static_cast<float>(products.size()) * columns.line * loosest;
      framed && spare > 0) {  // no higher than its terms
    bottom -= spare;
    card.max.y -= spare;
    frame.max.y -= spare;
  }
  if (framed) {
    pen.fill(frame, look.card, Corner::card * u);
    pen.box(frame, look.line, 1, Corner::card * u);
  }

  // Head: what is multiplied, and how far it is.
  Rect at =
      pen.text(TextRole::word, Face::bold, title, {card.min.x, card.min.y + title * 0.7f}, Align::left, sum.left_colour,
               elide(pen.context().fonts, Face::bold, title, sum.title_left, card.width() * 0.3f));
  at = pen.text(TextRole::word, Face::bold, title, {at.max.x, at.centre().y}, Align::left, look.ink, " · ");
  at = pen.text(TextRole::word, Face::bold, title, {at.max.x, at.centre().y}, Align::left, sum.right_colour,
                elide(pen.context().fonts, Face::bold, title, sum.title_right, card.max.x - at.max.x));
  const std::string progress = words.fill("level.terms", {std::to_string(sum.done), std::to_string(sum.left.size())});
  const bool beside = at.max.x + 12 * u + pen.measure(Face::ui, pen.type.caption, progress).x <= card.max.x;
  if (beside)
    pen.text(TextRole::caption, Face::ui, pen.type.caption, {card.max.x, at.centre().y}, Align::right, look.muted,
             progress);

  // In a wide card beside one another, where one column does not hold them.
  auto deep = static_cast<std::size_t>(std::max(0.0f, (bottom - top) / columns.line));
  std::size_t across = 1;
  while (deep > 0 && across * deep < products.size() &&
         static_cast<float>(across + 1) * (taken + 56 * u) <= card.width())
    ++across;
  if (across == 1 && !products.empty())
    columns.line =
        std::clamp((bottom - top) / static_cast<float>(products.size()), columns.line, columns.line * loosest);
  const std::size_t lines = across * deep;
  const float pitch = (card.width() + 14 * u) / static_cast<float>(across), wide = pitch - 14 * u;
  columns.bar = std::max(0.0f, wide - taken);

  // Each bar runs from the sum before its term to the sum with it; together they need this much.
  float lo = 0, hi = 0, sum_now = 0, largest = 0;
  for (const float product : products) {
    lo = std::min(lo, sum_now += product);
    hi = std::max(hi, sum_now);
    largest = std::max(largest, std::abs(product));
  }
  const float span = std::max(hi - lo, 1e-20f);
  std::vector<float> sums(products.size());
  std::partial_sum(products.begin(), products.end(), sums.begin());

  float y = top;
  const std::vector<std::size_t> shown = chosen(sum, lines);
  const std::size_t fits = std::min(shown.size(), lines);
  const bool sorted = sum.done >= static_cast<Index>(products.size()) && shown.size() < products.size();
  for (std::size_t n = 0; n < fits; ++n) {
    const std::size_t i = shown[n];
    const bool there = static_cast<Index>(i) < sum.done;
    const float from = card.min.x + static_cast<float>(n / std::max<std::size_t>(deep, 1)) * pitch;
    float x = from;
    if (n > 0 && n % deep == 0 && across > 1) y = top;
    const float middle = y + columns.line / 2;
    const auto place = [&] {
      const Rect rect{{x, y + columns.line * 0.08f}, {x + columns.chip, y + columns.line * 0.92f}};
      x += columns.chip;
      return rect;
    };
    const auto sign = [&](const char* text) {
      pen.text(TextRole::number, Face::mono, columns.pixels, {x + columns.sign / 2, middle}, Align::middle, look.muted,
               text);
      x += columns.sign;
    };
    if (columns.name > 0) {
      pen.text(TextRole::word, Face::ui, pen.type.caption, {x, middle}, Align::left, there ? look.ink : look.muted,
               elide(pen.context().fonts, Face::ui, pen.type.caption, sum.names[i], columns.name - 8 * u));
      x += columns.name;
    }
    chip(pen, place(), sum.left_stage, sum.left[i], left, columns.pixels, there);
    sign("×");
    chip(pen, place(), sum.right_stage, sum.right[i], right, columns.pixels, there);
    sign("=");
    chip(pen, place(), sum.stage, products[i], both, columns.pixels, there);
    x += 10 * u;
    const float room = from + wide - x;
    if (there && room >= 12 * u) {  // where they are sorted by size, all begin at zero
      const float before = sorted ? x : x + room * ((i > 0 ? sums[i - 1] : 0) - lo) / span;
      const float after =
          sorted ? x + room * std::abs(products[i]) / std::max(largest, 1e-20f) : x + room * (sums[i] - lo) / span;
      const float left_end = std::min({before, after, x + room - 1.5f * u});
      pen.fill({{left_end, y + columns.line * 0.22f},
                {std::max({before, after, left_end + 1.5f * u}), y + columns.line * 0.78f}},
               look.after, Corner::mark * u);
    }
    y += columns.line;
  }
  if (shown.size() < products.size() && lines > 0) {
    float rest = 0;
    std::vector<bool> seen(products.size());
    for (const std::size_t i : shown) seen[i] = true;
    for (std::size_t i = 0; i < products.size(); ++i) rest += seen[i] ? 0 : products[i];
    const float from = card.min.x + static_cast<float>(fits / std::max<std::size_t>(deep, 1)) * pitch;
    if (across > 1 && fits % deep == 0) y = top;
    const std::string more =
        words.fill(sorted ? "level.more_together" : "level.more",
                   {std::to_string(products.size() - shown.size()), MatrixNumbers(both.decimals(), false)(rest)});
    pen.text(TextRole::caption, Face::ui, pen.type.caption, {from, y + columns.line / 2}, Align::left, look.muted,
             elide(pen.context().fonts, Face::ui, pen.type.caption, more, wide));
  }
  if (sum.bias) {
    pen.text(TextRole::caption, Face::ui, pen.type.caption, {card.min.x, bottom + columns.line / 2}, Align::left,
             look.muted, words("level.plus_bias"));
    pen.text(TextRole::number, Face::mono, columns.pixels, {card.max.x, bottom + columns.line / 2}, Align::right,
             look.ink, MatrixNumbers(as_row({*sum.bias}))(*sum.bias));
  }
  const float line = bottom + (sum.bias ? columns.line : 0);
  pen.fill({{card.min.x, line}, {card.max.x, line + std::max(1.0f, u)}}, look.line);
  const bool all = sum.done >= static_cast<Index>(products.size());
  const float now = so_far(sum);
  const float y_sum = line + pen.type.great * 0.62f;
  pen.text(TextRole::caption, Face::ui, pen.type.story, {card.min.x, y_sum}, Align::left, look.muted,
           words(all ? "level.is_sum" : "level.so_far"));
  std::vector<float> total{now};
  MatrixNumbers exact(as_row(total));
  pen.text(TextRole::number, Face::bold, pen.type.great, {card.max.x, y_sum}, Align::right, look.ink,
           MatrixNumbers(exact.decimals() + (std::abs(now) < 1000 ? 1 : 0), false)(now));
  if (!all && !is_guessed(pen.context())) {
    total[0] = sum.total;
    const std::string whole =
        words.fill("level.all_give", {std::to_string(products.size()),
                                      MatrixNumbers(MatrixNumbers(as_row(total)).decimals() + 1, false)(sum.total)});
    pen.text(TextRole::caption, Face::ui, pen.type.caption,
             {card.min.x, line + pen.type.great * 1.15f + pen.type.caption * 0.7f}, Align::left, look.muted,
             elide(pen.context().fonts, Face::ui, pen.type.caption, whole, card.width()));
  }
}

}  // namespace headlight::operation
