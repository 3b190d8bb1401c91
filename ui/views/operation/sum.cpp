// A sum of products as a column of terms a × b = c, and beside them the running sum as a waterfall chart: each bar goes
// from the sum before its term to the sum after it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/image/theme.h"
#include "core/figures/figure/colormap.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/look/measure.h"
#include "ui/views/operation/parts.h"

namespace headlight::operation {
namespace {

/// In points.
struct SumSizes {
  static constexpr float least_beside = 22;  ///< beside a line's name, numbers and signs
  static constexpr float bars_of_column = 56, between_columns = 14;
  static constexpr float chip_frame = 1.8f, least_chip = 7;
};

/// At most so many terms of a sum are printed.
constexpr std::size_t most_printed = 256;

float product_at(const Sum& sum, std::size_t i) { return sum.left[i] * sum.right[i]; }
bool is_whole(const Sum& sum) { return sum.done >= std::ssize(sum.left); }

/// The terms with the largest products in descending order; equal ones in their own order.
std::vector<std::size_t> largest_terms(const Sum& sum) {
  std::vector<std::size_t> order(sum.left.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t count = std::min(order.size(), most_printed);
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count),
                            [&](std::size_t a, std::size_t b) {
                              const auto size = [&](std::size_t i) {
                                const float product = std::abs(product_at(sum, i));
                                return std::isnan(product) ? std::numeric_limits<float>::infinity() : product;
                              };
                              const float x = size(a), y = size(b);
                              return x > y || (x == y && a < b);
                            });
  order.resize(count);
  return order;
}

/// Widths of names and numbers.
struct Widths {
  float name = 0, digits = 0;  ///< of the longest name in pixels, of the longest number in characters
};

Widths widths_of(const Pen& pen, const Sum& sum, const std::vector<PrintedProduct>& texts, float room) {
  const float u = pen.u();
  Widths widths{0, 5};
  for (const std::string& name : sum.names)
    widths.name = std::max(widths.name, pen.measure(Face::ui, pen.type.caption, name).x);
  widths.name = sum.names.empty() ? 0 : std::min(widths.name + Space::gap * u, room * 0.25f);
  const float digit = pen.digit();
  for (const PrintedProduct& text : texts) {
    for (const Printed* number : {&text.left, &text.right, &text.product})
      widths.digits =
          std::max(widths.digits, std::round(pen.measure(Face::mono, pen.type.number, number->text).x / digit));
  }
  return widths;
}

/// Font sizes, columns and lines; a few terms are printed larger.
void lay_out_columns(const Pen& pen, const Sum& sum, const Widths& widths, SumLayout& to) {
  constexpr float bar = 72;  // points: the least width of a term's bar
  const float u = pen.u(), count = static_cast<float>(sum.left.size()), width = to.card.width();
  to.top = to.card.min.y + pen.type.word * 1.25f * 1.6f;
  const auto set_in = [&](float pixels) {  // returns the width of a digit
    to.pixels = pen.context().fonts.crisp(Face::mono, pixels);
    to.line = to.pixels * 1.6f;
    to.bottom = to.card.max.y - (pen.type.great * 1.15f + (sum.bias ? to.line : 0) + pen.type.caption * 0.4f);
    return pen.digit(to.pixels);
  };
  for (const float larger : {1.7f, 1.35f, 1.0f}) {
    const float digit = set_in(pen.type.number * larger);
    to.chip = widths.digits * digit + Space::gap * u;
    to.sign = digit * 1.6f;
    to.name = widths.name + 3 * to.chip + 2 * to.sign + SumSizes::least_beside * u > width ? 0 : widths.name;
    to.taken = to.name + 3 * to.chip + 2 * to.sign + Space::pad * u;
    if (count * to.line <= to.bottom - to.top && to.taken + bar * u <= width && to.name == widths.name) break;
  }
  if (to.taken > width) {  // the smallest type, without names and bars, with the signs close to the numbers
    const float digit = set_in(std::min(pen.type.number, pen.type.least));
    to.chip = widths.digits * digit + Space::tight * u;
    to.sign = std::clamp((width - 3 * to.chip) / 2, digit, to.sign);
    to.taken = 3 * to.chip + 2 * to.sign;
  }
  constexpr float loosest = 1.7f;
  const float spare = to.bottom - to.top - count * to.line * loosest;
  if (to.framed && spare > 0) {  // no higher than its terms
    to.bottom -= spare;
    to.card.max.y -= spare;
    to.frame.max.y -= spare;
  }
  // Several columns in a wide card, if one column does not hold all terms.
  const bool fits = to.taken <= width + 1;  // else no terms are printed
  to.deep = fits ? static_cast<std::size_t>(std::max(0.0f, (to.bottom - to.top) / to.line)) : 0;
  while (to.deep > 0 && to.across * to.deep < sum.left.size() &&
         static_cast<float>(to.across + 1) * (to.taken + SumSizes::bars_of_column * u) <= width)
    ++to.across;
  if (to.across == 1 && !sum.left.empty())
    to.line = std::clamp((to.bottom - to.top) / count, to.line, to.line * loosest);
  to.pitch = (width + SumSizes::between_columns * u) / static_cast<float>(to.across);
}

/// The left end and the vertical centre of line `n`.
ImVec2 line_at(const SumLayout& layout, std::size_t n) {
  const std::size_t column = n / std::max<std::size_t>(layout.deep, 1), row = n % std::max<std::size_t>(layout.deep, 1);
  return {layout.card.min.x + static_cast<float>(column) * layout.pitch,
          layout.top + (static_cast<float>(row) + 0.5f) * layout.line};
}

/// Puts a laid-out sum.
struct SumPicture : TaskPart {
  const Sum& sum;
  const SumLayout& layout;

  std::string elided(Face face, float pixels, const std::string& text, float room) const {
    return elide(context.fonts, face, pixels, text, room);
  }

  /// A number on its colour in its stage; empty if it is not `known` yet, pale if it is not added yet.
  void put_chip(float x, float middle, Stage stage, float value, const std::string& text, bool added,
                bool known) const {
    const Rect rect{{x, middle - layout.line * 0.42f}, {x + layout.chip, middle + layout.line * 0.42f}};
    const Colormap& map = window_colormap(view, stage);
    const Rgba ground = map.at(normalise(value, stage_range(trace, stage, map.kind())));
    if (known) pen.fill(rect, fade(to_imgui(ground), added ? 1 : 0.25f), Corner::cell * u);
    else pen.box(rect, look.line, 1, Corner::cell * u);
    if (known)
      pen.number(layout.pixels, rect.centre(), Align::middle, added ? to_imgui(ink_on(ground)) : look.muted, text);
  }
  void put_sign(float x, float middle, const char* text) const {
    pen.number(layout.pixels, {x + layout.sign / 2, middle}, Align::middle, look.muted, text);
  }
  float product_x(float x) const { return x + layout.name + 2 * (layout.chip + layout.sign); }

  /// A term's bar from the sum before it to the sum after it, and a thin line down to the next term's bar.
  void put_bar(ImVec2 line, float before, float after, float value, bool goes_on) const {
    const float from = line.x + layout.taken, room = line.x + layout.pitch - SumSizes::between_columns * u - from;
    if (room < least_bar * u) return;
    const float span = std::max(layout.high - layout.low, 1e-20f);
    const auto at = [&](float number) { return from + room * (number - layout.low) / span; };
    pen.fill({{at(0) - u / 2, line.y - layout.line / 2}, {at(0) + u / 2, line.y + layout.line / 2}}, look.line);
    pen.bar({at(before), line.y}, {at(after), line.y}, layout.line * 0.56f, sign_colour(pen, value), value);
    if (goes_on)
      pen.fill({{at(after) - u / 2, line.y + layout.line * 0.28f}, {at(after) + u / 2, line.y + layout.line * 0.72f}},
               look.muted);
  }

  void put_head() const {
    const float title = pen.type.word * 1.25f;
    const Rect& card = layout.card;
    Rect at = pen.text(TextRole::word, Face::bold, title, {card.min.x, card.min.y + title * 0.7f}, Align::left,
                       sum.left_colour, elided(Face::bold, title, sum.title_left, card.width() * 0.3f));
    at = pen.text(TextRole::word, Face::bold, title, {at.max.x, at.centre().y}, Align::left, look.ink, " · ");
    at = pen.text(TextRole::word, Face::bold, title, {at.max.x, at.centre().y}, Align::left, sum.right_colour,
                  elided(Face::bold, title, sum.title_right, card.max.x - at.max.x));
    const std::string progress = say.fill("level.terms", {sum.done, sum.left.size()});
    if (at.max.x + Space::apart * u + pen.measure(Face::ui, pen.type.caption, progress).x <= card.max.x)
      pen.caption({card.max.x, at.centre().y}, Align::right, progress);
  }

  void put_terms() const {
    for (std::size_t n = 0; n < layout.terms.size(); ++n) {
      const WrittenTerm& term = layout.terms[n];
      const bool there = static_cast<Index>(term.index) < sum.done;
      const bool last = n + 1 == layout.terms.size();
      const bool goes_on = (last ? layout.others > 0 : static_cast<Index>(layout.terms[n + 1].index) < sum.done) &&
                           (n + 1) % std::max<std::size_t>(layout.deep, 1) != 0;
      const ImVec2 at = line_at(layout, n);
      float x = at.x;
      if (layout.name > 0)
        pen.text(TextRole::word, Face::ui, pen.type.caption, {x, at.y}, Align::left, there ? look.ink : look.muted,
                 elided(Face::ui, pen.type.caption, sum.names[term.index], layout.name - Space::gap * u));
      x += layout.name;
      put_chip(x, at.y, sum.left_stage, sum.left[term.index], term.text.left.text, there, true);
      put_sign(x + layout.chip, at.y, "×");
      x += layout.chip + layout.sign;
      put_chip(x, at.y, sum.right_stage, sum.right[term.index], term.text.right.text, there, true);
      put_sign(x + layout.chip, at.y, "=");
      put_chip(product_x(at.x), at.y, sum.stage, product_at(sum, term.index), term.text.product.text, there, there);
      if (there) put_bar(at, term.before, term.after, product_at(sum, term.index), goes_on);
    }
  }

  /// The terms that are not printed, as one line.
  void put_others() const {
    if (layout.others == 0 || layout.deep == 0) return;
    const ImVec2 at = line_at(layout, layout.terms.size());
    const float before = layout.terms.empty() ? 0 : layout.terms.back().after;
    const std::string more = say.fill("level.more", {layout.others});
    pen.caption(at, Align::left, more, {}, product_x(at.x) - at.x - layout.sign);
    put_sign(product_x(at.x) - layout.sign, at.y, "=");
    put_chip(product_x(at.x), at.y, sum.stage, layout.rest, printed(layout.rest).text, is_whole(sum), is_whole(sum));
    if (layout.rest != 0) put_bar(at, before, before + layout.rest, layout.rest, false);
  }

  void put_bias() const {
    if (!sum.bias) return;
    const ImVec2 at{layout.card.min.x, layout.bottom + layout.line / 2};
    const float x = std::min(product_x(at.x), layout.card.max.x - layout.chip);
    pen.caption(at, Align::left, say("level.plus_bias"), {}, x - at.x);
    put_chip(x, at.y, sum.stage, *sum.bias, printed(*sum.bias).text, is_whole(sum), true);
    if (is_whole(sum)) put_bar(at, sum.total - *sum.bias, sum.total, *sum.bias, false);
  }

  void put_foot() const {
    const Rect& card = layout.card;
    const float line = layout.bottom + (sum.bias ? layout.line : 0), y = line + pen.type.great * 0.62f;
    const float now = so_far(sum);
    const int decimals = MatrixNumbers(std::span(&now, 1)).decimals() + (std::abs(now) < 1000 ? 1 : 0);
    pen.fill({{card.min.x, line}, {card.max.x, line + Stroke::hair(u)}}, look.line);
    const std::string total = MatrixNumbers(decimals, false)(now);
    const Rect label = pen.text(TextRole::caption, Face::ui, pen.type.story, {card.min.x, y}, Align::left, look.muted,
                                say(is_whole(sum) ? "level.is_sum" : "level.so_far"));
    float pixels = pen.type.great;
    for (const float smaller : {pen.type.title, pen.type.story, pen.type.number}) {
      if (label.max.x + Space::near * u + pen.measure(Face::bold, pixels, total).x <= card.max.x) break;
      pixels = smaller;
    }
    pen.text(TextRole::number, Face::bold, pixels, {card.max.x, y}, Align::right, look.ink, total);
  }
};

/// Share of the sum's time that one term moves. Several move at once, slowly enough to be followed.
constexpr float flight = 0.35f;
constexpr Index most_at_once = 8;  ///< of a longer sum only every second term is drawn, or every third

float starts(Index term, Index terms) { return (1 - flight) * static_cast<float>(term) / static_cast<float>(terms); }

/// The place of a moving number over a cell.
Rect chip_in(const Rect& cell, float least) {
  return around(cell.centre(), std::max(cell.width() * 0.78f, least) / 2, std::max(cell.height() * 0.78f, least) / 2);
}

void put_chip(Pen& pen, const Rect& rect, Stage stage, float value, ImU32 lane, float presence) {
  const Colormap& map = window_colormap(pen.context().view, stage);
  const Rgba ground = map.at(normalise(value, stage_range(pen.context().trace, stage, map.kind())));
  const float u = pen.u();
  pen.fill(rect, fade(to_imgui(ground), presence), Corner::cell * u);
  pen.box(rect, fade(lane, presence), std::max(1.5f, SumSizes::chip_frame * u), Corner::cell * u);
}

}  // namespace

float so_far(const Sum& sum) {
  if (is_whole(sum)) return sum.total;
  float total = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(sum.done); ++i) total += product_at(sum, i);
  return total;
}

SumLayout lay_out_sum(const Task& task, const Sum& sum, Rect card, bool framed) {
  const Pen& pen = task.pen;
  SumLayout to;
  to.framed = framed;
  to.frame = card;
  to.card = framed ? card.grown(-Space::row * pen.u()) : card;
  std::vector<std::size_t> order = largest_terms(sum);
  std::vector<PrintedProduct> texts;
  for (const std::size_t i : order) texts.push_back(printed_product(sum.left[i], sum.right[i]));
  lay_out_columns(pen, sum, widths_of(pen, sum, texts, to.card.width()), to);

  // The same terms are printed from the first moment of the sum to its last: the largest, in their own order.
  const std::size_t lines = to.across * to.deep, count = sum.left.size();
  const std::size_t shown =
      count <= std::min(lines, most_printed) ? count : std::min(lines > 0 ? lines - 1 : 0, most_printed);
  for (std::size_t n = 0; n < shown; ++n) to.terms.push_back({order[n], std::move(texts[n])});
  std::ranges::sort(to.terms, {}, &WrittenTerm::index);
  to.others = count - shown;
  float now = 0;
  std::vector<bool> seen(count);
  const auto reach = [&](float value) {
    to.low = std::min(to.low, value);
    to.high = std::max(to.high, value);
  };
  for (WrittenTerm& term : to.terms) {
    seen[term.index] = true;
    term.before = now;
    term.after = now += product_at(sum, term.index);
    reach(now);
  }
  float all = now;
  for (std::size_t i = 0; i < count; ++i) {
    if (seen[i]) continue;
    all += product_at(sum, i);
    if (static_cast<Index>(i) < sum.done) to.rest += product_at(sum, i);
    reach(all);
  }
  if (sum.bias) reach(all + *sum.bias);
  return to;
}

void put_sum(const Task& task, const Sum& sum, const SumLayout& layout) {
  if (layout.framed) task.pen.card(layout.frame);
  const SumPicture picture{task, sum, layout};
  picture.put_head();
  picture.put_terms();
  picture.put_others();
  picture.put_bias();
  picture.put_foot();
}

Index terms_landed(float share, Index terms) {
  if (share < flight || terms == 0) return 0;
  return std::clamp<Index>(static_cast<Index>((share - flight) / (1 - flight) * static_cast<float>(terms)) + 1, 0,
                           terms);
}

void put_flights(Pen& pen, const MatrixCut& left, const MatrixCut& above, const Rect& to, const Cell& cell,
                 const Sum& sum, float share) {
  const auto terms = static_cast<Index>(sum.left.size());
  const float least = SumSizes::least_chip * pen.u();
  const Index at_once = std::max<Index>(1, static_cast<Index>(flight / (1 - flight) * static_cast<float>(terms)));
  const Index every = (at_once + most_at_once - 1) / most_at_once;
  const Rect end = chip_in(to, least);
  for (Index i = 0; i < terms; i += every) {
    const float t = (share - starts(i, terms)) / flight;
    if (t <= 0 || t >= 1) continue;
    const auto term = static_cast<std::size_t>(i);
    const float presence = std::min(1.0f, 5 * std::min(t, 1 - t));
    put_chip(pen, mixed(chip_in(left.cell(cell.row, i), least), end, eased(t)), sum.left_stage, sum.left[term],
             sum.left_colour, presence);
    put_chip(pen, mixed(chip_in(above.cell(i, cell.col), least), end, eased(t)), sum.right_stage, sum.right[term],
             sum.right_colour, presence);
  }
}

}  // namespace headlight::operation
