#include "ui/views/inspector/inspector_picture.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <tuple>

#include "core/base/image/theme.h"
#include "core/base/text/number_text.h"
#include "core/figures/export/stage_figure.h"
#include "core/figures/figure/ticks.h"
#include "core/rules/stage/entropy.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/look/words.h"
#include "ui/base/timeline/timeline.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/widgets/math_text.h"

namespace headlight {
namespace {

constexpr std::size_t columns_at_most = 24;
constexpr std::size_t sources_at_most = 6;
constexpr Index bars_at_most = 16;

/// Whether the stage is computed from the scores.
bool is_behind_scores(Stage stage) {
  const Lane lane = info(stage).lane;
  return (lane == Lane::scores || lane == Lane::weights) && stage != Stage::scores && stage != Stage::mask;
}

std::string index_text(const Trace& trace, const Cell& cell) {
  std::string text;
  for (const Index i : own_index(trace, cell)) text += (text.empty() ? "[" : ", ") + std::to_string(i);
  return text + "]";
}

/// "channel 2" of one head or of all heads; "number 5" of a token or an output.
std::string column_words(const Words& words, Axis axis, const std::string& col) {
  const bool channel = axis == Axis::head_feature || axis == Axis::query_channel || axis == Axis::kv_channel;
  return words.fill(channel ? "inspector.channel" : "inspector.number", {col});
}

/// "sat → mat", "mat, channel 2"; for parameters, whose axes have no names, "[2, 7]".
std::string short_place(const Words& words, const Trace& trace, const Cell& cell) {
  const StageInfo& about = info(cell.stage);
  if (is_parameter(cell.stage)) return index_text(trace, cell);
  const std::string row = placed_label(trace, about.rows, cell.batch, cell.row),
                    col = placed_label(trace, about.cols, cell.batch, cell.col);
  if (about.cols == Axis::key) return row + " → " + col;
  return row + ", " + column_words(words, about.cols, col);
}

/// "the … mat" for consecutive tokens.
std::string span_words(const Trace& trace, Axis axis, Index batch, Index first, Index count) {
  const std::string from = placed_label(trace, axis, batch, first);
  return count > 1 ? from + "…" + placed_label(trace, axis, batch, first + count - 1) : from;
}

/// Position of a bar's colour in the map, chosen so that short bars differ from their track.
float bar_shade(const Colormap& map, float t) {
  if (map.kind() == ColormapKind::sequential) return 0.25f + 0.75f * t;
  return t < 0.5f ? 0.6f * t : 1 - 0.6f * (1 - t);
}

struct Builder {
  const Frame& frame;
  const Cell& cell;
  float width;
  InspectorPicture picture{};
  const Trace& trace = *frame.trace();

  void heading() {
    const float value = value_at(trace, cell);
    picture.cell = cell;
    const bool is_x = is_input(cell.stage) && trace.inputs.self_attention();  // as on its card
    picture.title = is_x ? (trace.gradients_of ? "d_X" : "X") : trace.name_of(cell.stage);
    picture.place = place_words(frame, cell) + (is_x ? " · query = key = value" : "");
    picture.value = cell.stage == Stage::mask ? frame.words(value != 0 ? "inspector.may" : "inspector.may_not")
                                              : number_text(value, 4);
    picture.meaning = meaning(value);
    picture.index = index_text(trace, cell);
    picture.exact = std::isnan(value) ? "nan" : with_minus(formatted("%.9g", static_cast<double>(value)));
    if (frame.view().selected != cell) return;
    for (const Cell& step : path_of(frame.view(), trace))
      picture.crumbs.push_back({std::string(name(step.stage)), frame.look.lane(step.stage)});
  }

  std::string meaning(float value) const {
    if (cell.stage != Stage::weights || trace.gradients_of || !std::isfinite(value)) return {};
    const bool tokens = !trace.inputs.query_tokens.empty();
    // Enough digits that a value other than 0 is not shown as 0 %, and a value below 1 not as 100 %.
    const int digits = value <= 0 ? 0 : value < 0.00095f ? 4 : value < 0.0095f ? 2 : value > 0.995f && value < 0.9995f;
    return frame.words.fill(tokens ? "inspector.token_takes" : "inspector.query_takes",
                            {number_text(100 * value, digits), placed_label(trace, Axis::query, cell.batch, cell.row)});
  }

  void formulas(const Explanation& e) {
    picture.formula =
        math_lines(frame.fonts, formula_points * frame.u, formula_in_words(frame.words, e.formula), width);
    const std::string numbers =
        e.numbers.empty() || e.says_value ? "" : "= " + formula_in_words(frame.words, e.numbers);
    picture.numbers = math_lines(frame.fonts, numbers_points * frame.u, numbers, width);
    for (const Quantity& quantity : e.quantities) {
      const std::string key = "inspector.quantity." + std::string(quantity.name);
      picture.quantities.push_back({frame.words(key), number_text(static_cast<float>(quantity.value), 4)});
    }
  }

  DotCell coloured(const Cell& of, double value, const Colormap& map, ValueRange range,
                   const std::optional<NumberFormat>& format) const {
    const Rgba ground = map.at(std::clamp(normalise(static_cast<float>(value), range), 0.0f, 1.0f));
    char buffer[48];
    const auto number = static_cast<float>(value);
    const std::string text = !std::isfinite(number) ? number_text(number, 2)
                             : format               ? std::string(format->write(number, buffer))
                                                    : std::string();
    return {of, text, to_imgui(ground), to_imgui(ink_on(ground))};
  }

  static double product_of(const Term& term) { return term.value * term.factor; }
  /// The number of terms that are of the same stage as the first one.
  static std::size_t count_of_first(const Explanation& e) {
    return static_cast<std::size_t>(std::ranges::count(e.terms, e.terms[0].cell.stage, stage_of));
  }
  static Stage stage_of(const Term& term) { return term.cell.stage; }

  /// The terms with the largest products, one per column, in their original order.
  static std::vector<std::size_t> largest_products(const std::vector<Term>& terms, std::size_t count) {
    std::vector<std::size_t> shown(count);
    std::iota(shown.begin(), shown.end(), std::size_t{0});
    if (count <= columns_at_most) return shown;
    std::ranges::stable_sort(shown, std::ranges::greater(),
                             [&](std::size_t i) { return std::abs(product_of(terms[i])); });
    shown.resize(columns_at_most);
    std::ranges::sort(shown);
    return shown;
  }

  /// A dot product in columns: left number, right number, product.
  void dot(const Explanation& e) {
    const std::size_t count = count_of_first(e);
    if (e.terms.size() < 2 * count) return;  // no weights: the cell is the input
    const std::vector<std::size_t> shown = largest_products(e.terms, count);
    const auto product = [&](std::size_t i) { return product_of(e.terms[i]); };
    const Stage left = e.terms[0].cell.stage, right = e.terms[count].cell.stage;
    const Colormap &left_map = window_colormap(frame.view(), left), &right_map = window_colormap(frame.view(), right),
                   &both_map = window_colormap(frame.view(), Stage::scores);
    const ValueRange left_range = stage_range(trace, left, left_map.kind()),
                     right_range = stage_range(trace, right, right_map.kind());
    float largest = 1e-30f;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sum += product(i);
      if (std::isfinite(product(i))) largest = std::max(largest, static_cast<float>(std::abs(product(i))));
    }
    // One precision per row, so that no number looks rounder than it is.
    constexpr int characters = 5;
    NumberSpan of_left, of_right, of_both;
    const auto add = [](NumberSpan& span, double value) {
      if (std::isfinite(value)) span.add(static_cast<float>(value));
    };
    for (const std::size_t i : shown)
      add(of_left, e.terms[i].value), add(of_right, e.terms[count + i].value), add(of_both, product(i));
    const auto left_format = number_format(of_left, characters), right_format = number_format(of_right, characters),
               both_format = number_format(of_both, characters);
    for (const std::size_t i : shown) {
      const Term& a = e.terms[i];
      const Term& b = e.terms[count + i];
      picture.dot.columns.push_back({coloured(a.cell, a.value, left_map, left_range, left_format),
                                     coloured(b.cell, b.value, right_map, right_range, right_format),
                                     coloured({}, product(i), both_map, {-largest, largest}, both_format)});
      if (info(left).cols == Axis::key)
        picture.dot.names.push_back(placed_label(trace, Axis::key, a.cell.batch, a.cell.col));
    }
    picture.dot.left = short_name(left);
    picture.dot.right = short_name(right);
    picture.dot.both = "×";
    picture.dot.left_colour = frame.look.lane(left);
    picture.dot.right_colour = frame.look.lane(right);
    picture.dot.sum = "Σ = " + number_text(static_cast<float>(sum), 4);
    if (shown.size() < count)
      picture.dot.sum = frame.words.fill("inspector.more", {count - shown.size()}) + "   " + picture.dot.sum;
  }

  /// From the sum to the cell's number: the bias of a product; for stages after the scores, each step between.
  void close_dot(const Explanation& e) {
    DotPicture& dot = picture.dot;
    if (dot.columns.empty()) return;
    if (is_product(cell.stage)) {
      for (const Term& term : e.terms) {
        if (is_parameter(term.cell.stage) && info(term.cell.stage).rows == Axis::none) {
          dot.closing.push_back(
              {"+ " + std::string(name(term.cell.stage)), number_text(static_cast<float>(term.value), 4)});
        }
      }
      if (!dot.closing.empty())
        dot.closing.push_back({"= " + std::string(name(cell.stage)), number_text(value_at(trace, cell), 4)});
      return;
    }
    const auto at = [&](Stage stage) {
      Cell of = cell;
      of.stage = stage;
      return number_text(value_at(trace, of), 4);
    };
    const auto step = [&](Stage stage, const std::string& done) {
      if (stage <= cell.stage && trace.has(stage)) dot.closing.push_back({done, at(stage)});
    };
    step(Stage::scaled_scores, trace.scenario.scale ? with_minus(formatted("× %.4g", static_cast<double>(trace.scale)))
                                                    : "× 1/√" + std::to_string(trace.dims().d_head));
    step(Stage::capped_scores, formatted("soft-cap %.3g", static_cast<double>(trace.scenario.softcap.value_or(0))));
    step(Stage::biased_scores, "+ bias");
    if (trace.has(Stage::mask)) step(Stage::masked_scores, "mask");
    step(Stage::weights, "softmax");
    step(Stage::dropped_weights, "dropout");
  }

  /// A stage's letter beside a row of the dot product: "x", "q", "a", "w".
  static std::string short_name(Stage stage) {
    const std::string_view letter = info(stage).letter;
    return is_parameter(stage) ? "w" : std::string(letter.substr(0, letter.find('^')));
  }

  void source(const Term& term) {
    // The bars of a softmax show its keys already.
    if (picture.sources.size() == (cell.stage == Stage::weights ? 3 : sources_at_most)) return;
    picture.sources.push_back({term.cell,
                               std::string(name(term.cell.stage)) + " " + short_place(frame.words, trace, term.cell),
                               number_text(static_cast<float>(term.value), 4), frame.look.lane(term.cell.stage)});
  }

  /// Of a gradient: each later gradient with its factor, "0.028 · 0.99", the largest products first.
  void later_gradients(const Explanation& e) {
    std::vector<Term> order;
    std::ranges::copy_if(e.terms, std::back_inserter(order), [](const Term& term) { return term.gradient; });
    std::ranges::stable_sort(order, std::greater(), [](const Term& t) { return std::abs(product_of(t)); });
    for (const Term& term : std::span(order).first(std::min(order.size(), sources_at_most))) {
      const std::string factor = term.factor == 1 ? "" : " · " + number_text(static_cast<float>(term.factor), 3);
      picture.sources.push_back(
          {term.cell, trace.name_of(term.cell.stage) + " " + short_place(frame.words, trace, term.cell),
           number_text(static_cast<float>(term.value), 3) + factor, frame.look.lane(term.cell.stage)});
    }
    say_more(order.size(), picture.sources.size());
  }

  /// The keys that contribute to an output, by words, the largest contribution first.
  void mixed(const Explanation& e) {
    const std::size_t count = count_of_first(e);
    std::vector<Term> order(e.terms.begin(), e.terms.begin() + static_cast<std::ptrdiff_t>(count));
    std::ranges::stable_sort(order, std::greater(), [](const Term& t) { return std::abs(product_of(t)); });
    std::ranges::for_each(order, [&](const Term& term) { source(term); });
    say_more(count, picture.sources.size());
  }

  /// "and 3 more", if not all of `count` sources are shown.
  void say_more(std::size_t count, std::size_t shown) {
    if (count > shown) picture.more_sources = frame.words.fill("inspector.more", {count - shown});
  }

  /// For a softmax, its own score first; for a product, only the source that is not in the rows: the bias.
  void sources(const Explanation& e) {
    const bool shown_as_dot = is_product(cell.stage) && !picture.dot.columns.empty();
    std::size_t count = 0;
    const bool softmax = cell.stage == Stage::weights;
    const auto is_own = [&](const Term& term) { return term.cell.row == cell.row && term.cell.col == cell.col; };
    for (const Term& term : e.terms) {
      if (softmax && is_own(term)) source(term);
    }
    if (cell.stage == Stage::head_outputs) return mixed(e);
    for (const Term& term : e.terms) {
      if (shown_as_dot && !(is_parameter(term.cell.stage) && term.factor != 0)) continue;
      ++count;
      if (!(softmax && is_own(term))) source(term);
    }
    say_more(count, picture.sources.size());
  }

  /// "scores  head 1, on → the…mat": one line per region.
  void reached() {
    picture.reaches = shows_reach(frame.view(), trace, cell.stage);
    const std::vector<Region> regions = reach_of(trace, cell);
    if (picture.reaches) say_more(regions.size(), sources_at_most);
    for (const Region& region : std::span(regions).first(std::min(regions.size(), sources_at_most))) {
      const StageInfo& about = info(region.stage);
      const std::string rows = span_words(trace, about.rows, region.batch, region.row, region.rows),
                        cols = span_words(trace, about.cols, region.batch, region.col, region.cols);
      const std::string head = has_head_axis(region.stage) && trace.dims().heads > 1
                                   ? frame.words.fill("inspector.head", {region.head}) + ", "
                                   : "";
      const std::string place =
          about.cols == Axis::key ? rows + " → " + cols : rows + ", " + column_words(frame.words, about.cols, cols);
      picture.reached.push_back({{region.stage, region.batch, region.head, region.row, region.col},
                                 std::string(name(region.stage)),
                                 head + place,
                                 frame.look.lane(region.stage)});
    }
  }

  /// The row as bars, signed values around zero; for a long row, the part around the cell.
  void row() {
    const MatrixView matrix = trace[cell.stage].matrix(cell.batch, cell.head);
    const Colormap& map = window_colormap(frame.view(), trace, cell.stage);
    const ValueRange range = stage_range(trace, cell.stage, map.kind());
    const Index first =
        std::clamp<Index>(cell.col - bars_at_most / 2, 0, std::max<Index>(matrix.cols - bars_at_most, 0));
    for (Index c = first; c < std::min(first + bars_at_most, matrix.cols); ++c) {
      Bar bar;
      const float value = matrix(cell.row, c);
      bar.col = c;
      bar.lit = c == cell.col;
      bar.label = elide(frame.fonts, bar.lit ? Face::bold : Face::ui, TypeSize::note * frame.u,
                        placed_label(trace, info(cell.stage).cols, cell.batch, c), 58 * frame.u);
      bar.number = number_text(value, 4);
      bar.has_value = std::isfinite(value);
      if (bar.has_value) {
        const auto at = [&](float v) { return std::clamp(normalise(v, range), 0.0f, 1.0f); };
        const float zero = at(std::max(range.lo, 0.0f));
        bar.from = std::min(zero, at(value));
        bar.to = std::max(zero, at(value));
        bar.colour = to_imgui(map.at(bar_shade(map, at(value))));
      }
      picture.row.push_back(std::move(bar));
    }
    const bool shares = cell.stage == Stage::weights || cell.stage == Stage::dropped_weights;
    if (shares && !trace.gradients_of) sums(matrix);
  }

  void sums(const MatrixView& matrix) {
    RowEntropy row;
    for (Index c = 0; c < matrix.cols; ++c) row.add(static_cast<double>(matrix(cell.row, c)));
    picture.sum = number_text(static_cast<float>(row.sum()), 4);
    picture.entropy = number_text(static_cast<float>(row.bits()), 2) + " bit";
  }
};

/// `width`: the room for text, in pixels.
InspectorPicture make_inspector_picture(const Frame& frame, const Cell& cell, float width) {
  Builder build{frame, cell, width};
  const Explanation e = explain(build.trace, cell);
  build.heading();
  build.formulas(e);
  if (build.trace.gradients_of) {
    build.later_gradients(e);
    build.row();
    return std::move(build.picture);
  }
  if (is_product(cell.stage)) build.dot(e);
  if (is_behind_scores(cell.stage) && build.trace.has(Stage::scores)) {
    Cell score = cell;
    score.stage = Stage::scores;
    build.dot(explain(build.trace, score));
  }
  build.close_dot(e);
  build.reached();
  if (!build.picture.reaches) build.sources(e);
  build.row();
  return std::move(build.picture);
}

}  // namespace

std::string place_words(const Frame& frame, const Cell& cell) {
  const Trace& trace = *frame.trace();
  const StageInfo& about = info(cell.stage);
  const auto named = [&](Axis axis, Index at) {
    const std::string spelled = trace.inputs.spelled_along(axis, cell.batch, at);
    return placed_label(trace, axis, cell.batch, at) + (spelled.empty() ? "" : " “" + spelled + "”");
  };
  const std::string row = named(about.rows, cell.row), col = named(about.cols, cell.col);
  std::string words;
  if (const std::string layer = layer_shown(trace); !layer.empty())
    words = frame.words.fill("network.layer", {layer}) + ", ";
  if (has_head_axis(cell.stage)) words += frame.words.fill("inspector.head", {cell.head}) + ", ";
  const bool tokens = !trace.inputs.query_tokens.empty();
  if (about.rows == Axis::query && about.cols == Axis::key) {
    const char* key = tokens ? "inspector.token_to_token" : "inspector.query_to_key";
    return words + frame.words.fill(key, {row, col});
  }
  if (is_parameter(cell.stage))
    return words + frame.words.fill("inspector.row_column",
                                    {std::string(symbol(about.rows)), row, std::string(symbol(about.cols)), col});
  const char* whose = tokens                      ? "inspector.of_token"
                      : about.rows == Axis::query ? "inspector.of_query"
                                                  : "inspector.of_key";
  return words + frame.words.fill(whose, {row, column_words(frame.words, about.cols, col)});
}

const InspectorPicture& inspector_picture(const Frame& frame, const Cell& cell, float width) {
  const View& view = frame.view();
  // The path leads to the selected cell, and what is long leaves room for a scrollbar.
  const std::tuple at(cell, view.selected == cell, width);
  return frame.picture_at<InspectorPicture>(
      at, [&] { return make_inspector_picture(frame, cell, width); }, view.path, view.reaches);
}

std::vector<Region> reach_of(const Trace& trace, const Cell& cell) {
  std::vector<Region> regions = dependants(trace, cell);
  if (cell.stage != Stage::key || shown_as(trace, Stage::query) != Stage::key) return regions;
  for (const Stage input : {Stage::query, Stage::value}) {
    for (const Region& region : dependants(trace, {input, cell.batch, 0, cell.row, cell.col}))
      regions.push_back(region);
  }
  return regions;
}

bool shows_reach(const View& view, const Trace& trace, Stage stage) {
  if (trace.gradients_of) return false;
  const bool computed = !is_parameter(stage) && stage >= Stage::Q && stage != Stage::mask && trace.has(stage);
  return view.reaches || !computed;
}

}  // namespace headlight
