// Steps within one row of a head: a norm as bars that change their lengths, a rotation as pairs of numbers that turn.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/image/theme.h"
#include "core/base/text/number_text.h"
#include "core/compute/run/stage_steps.h"
#include "core/figures/figure/colormap.h"
#include "ui/base/look/measure.h"
#include "ui/views/operation/bands.h"
#include "ui/views/operation/parts.h"
#include "ui/views/pipeline/layout.h"

namespace headlight::operation {
namespace {

/// In points.
struct TurnSizes {
  static constexpr float least_radius = 12, trail_width = 1.6f, hand_width = 3.2f;
  static constexpr float large_numbers_from = 320;
  static constexpr float half_bar = 52, widest_column = 280;  ///< the most, of a norm
};

std::vector<float> row_of(const Task& task, Stage stage, Index row) {
  return row_numbers(numbers_of(task.trace(), task.context().view, stage), row);
}

/// Bars of one row, up and down from a line, with numbers where they fit.
void put_row_bars(const Task& task, const std::vector<float>& values, const IndexRange& cols, Rect place, Index lit,
                  ImU32 colour, float most) {
  Pen& pen = task.pen;
  const float u = task.u();
  MatrixNumbers figures(values);
  float pixels = pen.type.number * 1.6f;
  const auto fits = [&] {
    return pen.digit(pixels) * static_cast<float>(figures.longest()) + Space::near * u <= cols.size;
  };
  if (!fits()) pixels = pen.type.number;
  while (!fits() && figures.shorten()) continue;
  if (!fits()) pixels = 0;
  const Rect body{{place.min.x, place.min.y + pixels * 1.4f}, place.max};
  const float zero = body.centre().y;
  for (Index c = cols.first; c < cols.end(); ++c) {
    const float value = values[static_cast<std::size_t>(c)];
    const float x = body.min.x + static_cast<float>(c - cols.first) * cols.size;
    const float inset = std::max(cols.size * 0.2f, cols.size / 2 - TurnSizes::half_bar * u);
    const float end = zero - (std::isfinite(value) ? value : 0) / most * body.height() / 2;
    pen.bar({x + cols.size / 2, zero}, {x + cols.size / 2, end}, cols.size - 2 * inset,
            fade(colour, c == lit ? 1.0f : 0.6f), value);
    if (pixels > 0)
      pen.number(pixels, {x + cols.size / 2, place.min.y + pixels * 0.6f}, Align::middle,
                 c == lit ? pen.look().ink : pen.look().muted, figures(value));
    if (c == lit)
      pen.frame({{x + inset - Space::thin * u, body.min.y}, {x + cols.size - inset + Space::thin * u, body.max.y}},
                pen.look().ink, 1.5f);
  }
  pen.fill({{body.min.x, zero - u * 0.5f}, {body.min.x + cols.extent(), zero + u * 0.5f}}, pen.look().line);
  pen.add_content(place);
}

/// The path of an arrow that has turned from an angle, as a spiral that shows up to three whole turns.
void put_trail(Pen& pen, ImVec2 centre, float radius, float from, float turn, ImU32 colour) {
  constexpr float whole = 2 * std::numbers::pi_v<float>;
  const float seen = std::clamp(turn, -3 * whole, 3 * whole), turns = std::abs(seen) / whole;
  const int parts = static_cast<int>(std::ceil(turns * 48));
  const auto at = [&](int i) {
    const float share = static_cast<float>(i) / static_cast<float>(parts), angle = from + turn - seen * (1 - share),
                away = radius * (0.2f + 0.14f * turns * share);
    return ImVec2{centre.x + away * std::cos(angle), centre.y - away * std::sin(angle)};
  };
  for (int i = 0; i < parts; ++i) pen.line(at(i), at(i + 1), colour, std::max(1.5f, TurnSizes::trail_width * pen.u()));
}

/// The length of a row in words.
void put_length(const Task& task, const std::vector<float>& row, ImVec2 at) {
  const auto length = static_cast<float>(length_of(row));
  const MatrixNumbers figures(MatrixNumbers(std::span(&length, 1)).decimals() + 1, true);
  task.pen.text(TextRole::caption, Face::ui, task.pen.type.story, at, Align::left, task.pen.look().muted,
                task.context().words.fill("level.length", {figures(length)}));
}

/// A row's pairs as dials, in the number of lines that makes them the largest.
struct Dials : TaskPart {
  const Rect area = task.area;
  const Cell cell = cell_of(trace, view, task.stage, task.focus);
  const std::vector<float> before = row_of(task, made_from(trace, task.stage), cell.row),
                           after = row_of(task, task.stage, cell.row);
  const Rotation turning = rotation_of(trace, task.stage);
  const Index pairs = turning.turned() / 2, chosen = cell.col < turning.turned() ? turning.pair_of(cell.col).index : 0;
  const float t = std::clamp(task.reveal.share.value_or(1.0f) / 0.85f, 0.0f, 1.0f);
  const float formula = pen.type.formula * 2.6f;
  const MatrixNumbers figures{after};
  const float longest = length_of_longest();
  float number = 0, words = 0;             ///< font size of the numbers, height of a line of them
  Index in_line = 0, first = 0, last = 0;  ///< pairs in a line, pairs that are shown
  float size = 0, pitch = 0, radius = 0;

  static ImVec2 at(const std::vector<float>& row, const RotaryPair& pair) {
    return {row[static_cast<std::size_t>(pair.first)], row[static_cast<std::size_t>(pair.second)]};
  }
  /// The length of the longest arrow. Arrows are divided by it, so that each stays in its dial.
  float length_of_longest() const {
    float most = 1e-9f;
    for (Index j = 0; j < pairs; ++j) {
      const ImVec2 v = at(before, turning.pair(j));
      if (const float length = std::hypot(v.x, v.y); std::isfinite(length)) most = std::max(most, length);
    }
    return most;
  }
  float width_of_two(float pixels) const {
    return pen.measure(Face::mono, pixels, "(−0.00, −0.00)").x + Space::gap * u;
  }

  void lay_out() {
    const float larger = pen.type.number * 1.6f;  // a few pairs have room for larger numbers
    const bool few = pairs <= 6 && width_of_two(larger) * static_cast<float>(pairs) <= area.width();
    number = few && area.height() > TurnSizes::large_numbers_from * u ? larger : pen.type.number;
    words = context.fonts.crisp(Face::mono, number) * 1.5f;
    const float height = std::max(area.height() - formula, 0.0f);
    in_line = pairs;
    float side = 0;
    for (Index lines = 1; lines <= 3; ++lines) {
      const Index count = (pairs + lines - 1) / lines;
      const float possible =
          std::min(area.width() / static_cast<float>(count), height / static_cast<float>(lines) - 3 * words);
      if (possible > side) side = possible, in_line = count;
    }
    const float least = std::min(width_of_two(number), area.width());
    IndexRange shown = range_around(chosen, in_line, area.width(), least, 1e6f);
    if (shown.part) in_line = shown.count, shown.size = area.width() / static_cast<float>(in_line);
    const Index lines = shown.part ? 1 : (pairs + in_line - 1) / in_line;
    first = shown.part ? shown.first : 0;
    last = shown.part ? shown.end() : pairs;
    size = shown.size;
    pitch = (area.height() - formula) / static_cast<float>(lines);
    radius = std::max(TurnSizes::least_radius * u,
                      std::min({size * 0.4f, (pitch - 3 * words) / 2, (area.height() - formula - 3 * words) / 2}));
  }

  ImVec2 centre_of(Index j) const {
    const Index n = j - first;
    return {area.min.x + (static_cast<float>(n % in_line) + 0.5f) * size,
            area.min.y + static_cast<float>(n / in_line) * pitch + words + radius};
  }

  /// The arrow before the rotation, the arrow at this moment, and its path.
  void put_arrows(Index j) const {
    const bool lit = j == chosen;
    const ImVec2 centre = centre_of(j), from = at(before, turning.pair(j)), to = at(after, turning.pair(j));
    const auto part = static_cast<float>(turning.angle(cell.row, j)) * t;
    const ImVec2 turned{from.x * std::cos(part) - from.y * std::sin(part),
                        from.x * std::sin(part) + from.y * std::cos(part)};
    const auto on = [&](ImVec2 v) {
      return ImVec2{centre.x + v.x / longest * radius * 0.92f, centre.y - v.y / longest * radius * 0.92f};
    };
    pen.line(centre, on(from), fade(look.muted, 0.7f), Stroke::firm(u), true);
    pen.line(centre, on(t >= 1 ? to : turned), fade(look.lane(task.stage), lit ? 1.0f : 0.8f),
             std::max(2.0f, TurnSizes::hand_width * u), true);
    put_trail(pen, centre, radius, std::atan2(from.y, from.x), part, fade(lit ? look.ink : look.muted, 0.6f));
  }

  /// The angle above the dial; below it both numbers before and after.
  void put_numbers(Index j, Rect dial) const {
    const bool lit = j == chosen;
    const RotaryPair pair = turning.pair(j);
    const auto line = [&](float y, ImU32 colour, const std::string& text) {
      pen.number(number, {dial.centre().x, y}, Align::middle, colour, text);
    };
    line(dial.min.y - words * 0.5f, lit ? look.ink : look.muted,
         formatted("%.3g°", turning.angle(cell.row, j) * 180 / std::numbers::pi));
    const auto both = [&](ImVec2 v) { return "(" + figures(v.x) + ", " + figures(v.y) + ")"; };
    const std::string result = both(at(after, pair));
    if (pen.measure(Face::mono, number, result).x > size) return;
    line(dial.max.y + words * 0.6f, look.muted, both(at(before, pair)));
    if (lit && is_guessed(context))
      line(dial.max.y + words * 1.5f, look.ink, cell.col != pair.second ? "(?, …)" : "(…, ?)");
    if (t >= 1) line(dial.max.y + words * 1.5f, lit ? look.lane(task.stage) : look.ink, result);
  }

  void put_dial(Index j) const {
    const bool lit = j == chosen;
    const Rect dial = around(centre_of(j), radius, radius);
    pen.scene().items.emplace_back(SceneDot{dial.centre(), radius, look.card});
    pen.scene().items.emplace_back(
        SceneDot{dial.centre(), radius, lit ? look.ink : look.line, lit ? Stroke::chosen(u) : 1});
    put_arrows(j);
    put_numbers(j, dial);
    pen.add_content(dial);
    Cell target = cell;
    target.col = turning.pair(j).first;
    pen.target(dial, SceneAction::look_at, 0, target);
  }
};

/// A row before and after a norm, or before and after the scaling of the queries, as two rows of bars.
struct Norm : TaskPart {
  const Stage source = made_from(trace, task.stage);
  const Cell cell = cell_of(trace, view, task.stage, task.focus);
  const std::vector<float> before = row_of(task, source, cell.row), after = row_of(task, task.stage, cell.row);
  const Rect area = task.area;
  const float names = names_of_rows.of(area.width(), u);
  const float formula = pen.type.formula * 3, height = area.height() - formula;
  const float width = area.width() - names - Space::apart * u;
  const IndexRange cols =
      range_around(cell.col, std::ssize(before), width, pen.digit() * 5 + Space::gap * u, u* TurnSizes::widest_column);
  const float used = cols.extent(), x = area.min.x + names + (width - used) / 2;
  const Rect upper{{x, area.min.y}, {x + used, area.min.y + height * 0.42f}},
      lower{{x, area.min.y + height * 0.55f}, {x + used, area.min.y + height}};
  const ImU32 colour = look.lane(task.stage);

  void put_bars() const {
    const float share = part_done(task.reveal.share.value_or(1.0f), 0, number_there);
    const float most = std::max({largest_of(before), largest_of(after), 1e-20f});
    put_row_bars(task, before, cols, upper, cell.col, fade(colour, 0.7f), most);
    if (is_guessed(context)) return put_question();
    std::vector<float> now = after;
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = before[i] + (after[i] - before[i]) * share;
    put_row_bars(task, now, cols, lower, cell.col, colour, most);
  }
  /// The place of the number that is to be guessed.
  void put_question() const {
    const float middle = lower.min.x + (static_cast<float>(cell.col - cols.first) + 0.5f) * cols.size;
    pen.frame({{middle - cols.size * 0.4f, lower.min.y}, {middle + cols.size * 0.4f, lower.max.y}}, look.ink, 1.5f);
    pen.label(TextRole::word, true, pen.type.word, {middle, lower.centre().y}, Align::middle, look.ink, "?");
  }

  void put_names() const {
    const auto symbol = [&](const Rect& row, Stage stage) {
      pen.math(pen.type.formula, {x - Space::part * u, row.centre().y}, names, colour, false, symbol_of(context, stage),
               0, Align::right);
    };
    symbol(upper, source);
    symbol(lower, task.stage);
    const float middle = x + used / 2;
    pen.line({middle, upper.max.y + Space::gap * u}, {middle, lower.min.y - Space::gap * u}, look.muted,
             Stroke::arrow(u), true);
    const ImVec2 beside{middle + Space::part * u, (upper.max.y + lower.min.y) / 2};
    if (task.stage == Stage::Q_scaled)
      pen.math(pen.type.story, beside, used / 2, look.muted, false, step_words(trace, task.stage), 0, Align::left);
    else put_length(task, before, beside);
  }
};

}  // namespace

void norm(const Task& task) {
  const Norm picture{task};
  picture.put_bars();
  picture.put_names();
  put_formula(task, {{task.area.min.x + picture.names, task.area.max.y - picture.formula}, task.area.max});
}

void rotation(const Task& task) {
  Dials dials{task};
  dials.lay_out();
  for (Index j = dials.first; j < dials.last; ++j) dials.put_dial(j);
  put_formula(task, {{task.area.min.x, task.area.max.y - dials.formula}, task.area.max});
}

}  // namespace headlight::operation
