// The output inside a network: the row before, what each head adds to it through its columns of W_o, the row after, and
// what the MLP adds. All rows are strips on one colour scale, one above the other; at the right are the chosen number
// and the length of each row.
#include <algorithm>
#include <cmath>

#include "core/base/text/in_sentence.h"
#include "core/compute/network/row_parts.h"
#include "core/compute/network/sampling.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/look/measure.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/parts/scene/travel.h"
#include "ui/views/operation/parts.h"

namespace headlight::operation {
namespace {

/// In points.
struct ResidualSizes {
  static constexpr float highest_line = 62;
  static constexpr float lengths_from = 760, widest_lengths = 210, before_lengths = 26, thickest_bar = 12,
                         least_frame = 3;
  static constexpr float neurons_from = 380, all_neurons_from = 560;  ///< heights of the area
};

constexpr float lines_there = 0.9f;  ///< share of the stage's time at which all lines are complete
constexpr Index widest_row = 2048;   ///< the parts of wider rows take too long to compute

struct RowLine {
  std::string name;
  std::vector<float> numbers;
  ImU32 colour = 0;
  bool total = false;  ///< the sum of the lines before it
  Index head = -1;     ///< the head that adds this row; −1: none
};

/// "head 1: girl 0.74": the head, and the word that most of what it adds is taken from, with its weight.
std::string head_with_word(const SceneContext& context, std::size_t head, Index row) {
  const Trace& trace = context.trace;
  const std::string plain = context.words.fill("residual.head", {head});
  if (!trace.has(Stage::weights) || trace[Stage::weights].source()) return plain;
  const MatrixView weights = trace[Stage::weights].matrix(context.view.batch, static_cast<Index>(head));
  if (row >= weights.rows || weights.cols < 2) return plain;
  const Index key = largest_column(weights, row);
  if (!(weights(row, key) > 0)) return plain;
  return plain + ": " + key_word(context, key) + " " + MatrixNumbers(2, true)(weights(row, key));
}

/// A line for each head; if there are more heads than lines, for the longest ones and one for the others together.
void add_heads(const SceneContext& context, const BlockParts& parts, Index row, std::size_t most,
               std::vector<RowLine>& lines) {
  std::vector<std::size_t> order(parts.heads.size());
  for (std::size_t h = 0; h < order.size(); ++h) order[h] = h;
  const bool whole = order.size() <= most;
  if (!whole) {
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t h) { return length_of(parts.heads[h]); });
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most - 1));
  }
  std::vector<float> rest(parts.before.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t h = order[i];
    if (whole || i + 1 < most) {
      lines.push_back({"+ " + head_with_word(context, h, row), parts.heads[h],
                       context.look.head_ink(static_cast<Index>(h)), false, static_cast<Index>(h)});
    } else {
      for (std::size_t c = 0; c < rest.size(); ++c) rest[c] += parts.heads[h][c];
    }
  }
  if (!whole)
    lines.push_back(
        {"+ " + context.words.fill("residual.other_heads", {order.size() - most + 1}), rest, context.look.muted});
}

std::vector<RowLine> lines_of(const SceneContext& context, const BlockParts& parts, Index row, std::size_t most) {
  const Words& words = context.words;
  const Look& look = context.look;
  std::vector<RowLine> lines{
      {words.fill("residual.before", {in_sentence(query_word(context, row))}), parts.before, look.q}};
  const std::size_t others = 2 + (parts.bias.empty() ? 0u : 1u) + (parts.mlp.empty() ? 0u : 2u);
  add_heads(context, parts, row, std::max<std::size_t>(most > others ? most - others : 2, 2), lines);
  if (!parts.bias.empty()) lines.push_back({"+ b_o", parts.bias, look.muted});
  lines.push_back({"= " + std::string(words("residual.after")), parts.after, look.after, true});
  if (parts.mlp.empty()) return lines;
  lines.push_back({"+ " + std::string(words("residual.mlp")), parts.mlp, look.ink});
  lines.push_back({"= " + std::string(words("residual.leaves")), parts.leaves, look.after, true});
  return lines;
}

/// The upper end of the colours, and the share of the numbers beyond it. A few large numbers would make the others
/// pale.
struct RowScale {
  float most = 1e-20f;
  double beyond = 0;
};

RowScale scale_of(const std::vector<RowLine>& lines) {
  constexpr double coloured = 0.97;
  std::vector<float> sizes;
  for (const RowLine& line : lines) {
    for (const float number : line.numbers) sizes.push_back(std::abs(number));
  }
  const auto last = sizes.begin() + static_cast<std::ptrdiff_t>(coloured * static_cast<double>(sizes.size() - 1));
  std::ranges::nth_element(sizes, last, [](float a, float b) { return is_larger(b, a); });
  RowScale scale{std::max(*last, 1e-20f)};
  const auto beyond = std::ranges::count_if(sizes, [&](float size) { return size > scale.most; });
  scale.beyond = static_cast<double>(beyond) / static_cast<double>(sizes.size());
  return scale;
}

struct Residual : TaskPart {
  const BlockParts& parts;
  const Cell cell = cell_of(trace, view, Stage::output, task.focus);
  const Index width = std::ssize(parts.before);
  const float number = context.fonts.crisp(Face::mono, pen.type.number);
  const bool open = view.levels.unfolded;
  const std::size_t neuron_lines = lines_for_neurons();  ///< the same during playback, so that nothing moves
  std::vector<RowLine> lines{};
  RowScale scale{};
  Rect strips{};  ///< of all lines
  float pitch = 0, names = 0, numbers = 0, lengths = 0;
  float header = 0;

  void lay_out() {
    const Rect& area = task.area;
    header = pen.type.caption * 2;
    const float foot = mlp_height();
    const float high = area.height() - header - foot,
                least = std::max(number, pen.type.caption) * 1.35f + Space::thin * u;
    lines = lines_of(context, parts, cell.row, static_cast<std::size_t>(std::max(high / least, 1.0f)));
    scale = scale_of(lines);
    pitch = std::min(high / static_cast<float>(lines.size()), ResidualSizes::highest_line * u);
    for (const RowLine& line : lines) names = std::max(names, measured(line));
    names = std::min(names + Space::card * u, area.width() * 0.3f);
    numbers = pen.measure(Face::mono, pen.type.number, "−0.000").x + Space::part * u;
    lengths = area.width() >= ResidualSizes::lengths_from * u
                  ? std::min(area.width() * 0.17f, ResidualSizes::widest_lengths * u)
                  : 0;
    strips = {{area.min.x + names, area.min.y + header}, {area.max.x - numbers - lengths, 0}};
    strips.max.y = strips.min.y + pitch * static_cast<float>(lines.size());
  }
  float measured(const RowLine& line) const { return pen.measure(face_of(line), size_of(line), line.name).x; }
  Face face_of(const RowLine& line) const { return line.total || &line == &lines.front() ? Face::bold : Face::ui; }
  float size_of(const RowLine& line) const {
    return face_of(line) == Face::bold ? pen.bold(pen.type.caption) : pen.type.caption;
  }

  /// How far line `i` is computed at this moment.
  float done(std::size_t i) const {
    const Reveal& reveal = task.reveal;
    if (reveal.whole() && !reveal.share) return 1;
    if (!reveal.share && !reveal.terms) return reveal.shown.has(cell.row, cell.col) ? 1.0f : 0.0f;
    const Index terms = trace.has(Stage::W_o) ? trace[Stage::W_o].size(-1) : 1;
    const float share = reveal.share
                            ? *reveal.share / lines_there
                            : static_cast<float>(*reveal.terms) / static_cast<float>(std::max<Index>(terms, 1));
    return std::clamp(share * static_cast<float>(lines.size()) - static_cast<float>(i), 0.0f, 1.0f);
  }

  Rect strip_of(std::size_t i) const {
    const float y = strips.min.y + pitch * static_cast<float>(i);
    return {{strips.min.x, y + Space::fine * u}, {strips.max.x, y + pitch - Space::fine * u}};
  }
  float x_of(Index c) const {
    return strips.min.x + strips.width() * static_cast<float>(c) / static_cast<float>(width);
  }

  void put_lines() const {
    double longest = 1e-20;
    for (const RowLine& line : lines) longest = std::max(longest, length_of(line.numbers));
    std::vector<float> column;
    for (const RowLine& line : lines) column.push_back(line.numbers[static_cast<std::size_t>(cell.col)]);
    const MatrixNumbers figures(column);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const RowLine& line = lines[i];
      const Rect rect = strip_of(i);
      const float share = done(i), y = rect.centre().y;
      if (line.total)
        pen.line({task.area.min.x, rect.min.y - Space::fine * u}, {task.area.max.x, rect.min.y - Space::fine * u},
                 look.line, 1);
      const Face face = face_of(line);
      pen.text(TextRole::caption, face, size_of(line), {strips.min.x - Space::apart * u, y}, Align::right, line.colour,
               line.name, names - Space::card * u);
      pen.box(rect, look.line, 1);
      const bool leaves = &line == &lines.back() && line.total;  // the picture of the next word begins with it
      const Cell first{Stage::output, cell.batch, 0, cell.row, 0};
      put_made_from(line, rect, 1 - share);
      if (share > 0)
        put_row_strip(pen, line.numbers, scale.most, rect, share, leaves ? std::optional(first) : std::nullopt);
      if (share < 1) continue;
      pen.number(pen.type.number, {strips.max.x + numbers, y}, Align::right, line.total ? look.ink : look.muted,
                 figures(column[i]));
      put_length(line, y, longest);
    }
    pen.add_content(strips);
  }

  /// The head's numbers in concat, which W_o turns into the line: they fade while the line is computed.
  void put_made_from(const RowLine& line, const Rect& rect, float presence) const {
    if (line.head < 0 || !trace.has(Stage::concat)) return;
    const Index each = trace[Stage::concat].size(-1) / trace.dims().heads, first = line.head * each;
    const float inset = rect.height() * 0.2f;
    MatrixCut block = make_block(context, Stage::concat, {cell.row, 1, 0, true}, {first, each, 0, true},
                                 {{rect.min.x, rect.min.y + inset}, {rect.max.x, rect.max.y - inset}});
    block.quad.opacity = presence;
    put_cells(trace, block.quad, {Stage::concat, cell.batch, 0, cell.row, first}, pen.scene());
  }

  void put_length(const RowLine& line, float y, double longest) const {
    if (lengths <= 0) return;
    const double length = length_of(line.numbers);
    const std::string text = printed(length).text;
    const float room = lengths - ResidualSizes::before_lengths * u -
                       pen.measure(Face::mono, pen.type.number, "00.00").x - Space::gap * u;
    const float x = strips.max.x + numbers + ResidualSizes::before_lengths * u;
    const float end = x + std::max(room, Space::pad * u) * static_cast<float>(length / longest);
    pen.bar({x, y}, {end, y}, std::min(pitch * 0.4f, ResidualSizes::thickest_bar * u), line.colour,
            static_cast<float>(length));
    pen.number(pen.type.number, {end + Space::gap * u, y}, Align::left, look.muted, text);
  }

  /// The headings of the columns, and a frame around the chosen number of every row.
  void put_column() const {
    const float y = task.area.min.y + header * 0.45f, caption = pen.type.caption;
    pen.caption({strips.max.x + numbers, y}, Align::right, say.fill("residual.number", {cell.col}));
    if (lengths > 0)
      pen.caption({strips.max.x + numbers + ResidualSizes::before_lengths * u, y}, Align::left, say("residual.length"));
    const std::string all =
        say.fill("residual.numbers", {width, printed(static_cast<double>(scale.most)).text,
                                      MatrixNumbers(1, true)(static_cast<float>(100 * scale.beyond))});
    const float until =
        strips.max.x + numbers - pen.measure(Face::ui, caption, say.fill("residual.number", {"0000"})).x;
    if (strips.min.x + pen.measure(Face::ui, caption, all).x < until) pen.caption({strips.min.x, y}, Align::left, all);
    const float x = x_of(cell.col),
                wide = std::max(strips.width() / static_cast<float>(width), ResidualSizes::least_frame * u);
    pen.box({{x - u, strips.min.y}, {x + wide + u, strips.max.y}}, look.ink, Stroke::frame(u), Corner::mark * u);
    for (Index c = 0; c < width; ++c)
      pen.target({{x_of(c), strips.min.y}, {x_of(c + 1), strips.max.y}}, SceneAction::look_at, 0,
                 {cell.stage, cell.batch, cell.head, cell.row, c});
  }

  /// 0 if there is no room, or if computing them takes long.
  std::size_t lines_for_neurons() const {
    if (parts.mlp.empty() || presenting || !network_of(trace.inputs)->is_small()) return 0;
    const float height = task.area.height();
    return height >= ResidualSizes::all_neurons_from * u ? 4 : height >= ResidualSizes::neurons_from * u ? 2 : 0;
  }
  float text_line() const { return pen.type.caption * 1.7f; }
  float strip_line() const { return pen.type.caption * 2.1f; }
  /// The height of the MLP's card: a line if folded; else also the normed row, the neurons, and those that add most.
  float mlp_height() const {
    if (neuron_lines == 0) return 0;
    const float inside = open ? 2 * strip_line() + static_cast<float>(neuron_lines) * text_line() : 0;
    return Space::card * u + text_line() + inside + (open ? Space::near * u : 0);
  }

  void put_mlp() const {
    if (neuron_lines == 0 || !task.reveal.whole()) return;
    const auto run = network_of(trace.inputs);
    const Index layer = run->network->layer_or_first(trace.scenario.layer);
    const NeuronsOfRow found = run->network->neurons_of(layer, parts, open ? neuron_lines : 1);
    if (found.largest.empty()) return;
    const Rect card{{task.area.min.x, strips.max.y + Space::pad * u},
                    {task.area.max.x, strips.max.y + Space::pad * u + mlp_height() - Space::card * u}};
    pen.card(card, 0, 1, Corner::control);
    pen.target(card, SceneAction::unfold, open ? 0 : 1, cell);
    const NetworkLayer& at = run->network->layers()[static_cast<std::size_t>(layer)];
    const BlockSpec& block =
        run->network->spec().stacks[static_cast<std::size_t>(at.stack)].blocks[static_cast<std::size_t>(at.block)];
    put_card_title(
        card, say.fill("residual.neurons", {width, found.hidden.size(), std::string(name(block.mlp->activation))}));
    if (open) put_inside(card, found, *run->network);
  }
  void put_card_title(const Rect& card, const std::string& sizes) const {
    const float y = card.min.y + text_line() / 2, x = card.min.x + Space::pad * u;
    const std::string hint(say(open ? "residual.fold" : "residual.open"));
    const Rect end = pen.caption({card.max.x - Space::pad * u, y}, Align::right, hint, look.accent);
    pen.caption({x, y}, Align::left, sizes, look.ink, end.min.x - x - Space::part * u);
  }
  void put_inside(const Rect& card, const NeuronsOfRow& found, const Network& network) const {
    float y = card.min.y + text_line();
    const auto strip = [&](const char* key, const std::vector<float>& row) {
      const Rect rect{{strips.min.x, y + Space::thin * u},
                      {card.max.x - Space::pad * u, y + strip_line() - Space::thin * u}};
      pen.caption({strips.min.x - Space::apart * u, rect.centre().y}, Align::right, say(key), {},
                  names - Space::card * u);
      put_row_strip(pen, row, largest_of(row), rect);
      pen.box(rect, look.line, 1);
      y += strip_line();
      return rect;
    };
    strip("residual.normed", found.normed);
    const Rect neurons = strip("residual.hidden", found.hidden);
    const float each = neurons.width() / static_cast<float>(found.hidden.size());
    for (const Neuron& neuron : found.largest) {
      const float x = neurons.min.x + each * static_cast<float>(neuron.index);
      pen.box({{x - u, neurons.min.y - Space::fine * u},
               {x + std::max(each, Space::fine * u) + u, neurons.max.y + Space::fine * u}},
              look.ink, Stroke::hair(u), Corner::mark * u);
      std::string words;
      for (const Index id : neuron.words) words.append(words.empty() ? "" : ", ").append(network.word(id));
      const std::string told = say.fill(words.empty() ? "residual.neuron" : "residual.neuron_words",
                                        {neuron.index, printed(static_cast<double>(neuron.added)).text, words});
      pen.caption({strips.min.x, y + text_line() / 2}, Align::left, told, {},
                  card.max.x - strips.min.x - Space::pad * u);
      y += text_line();
    }
  }
};

}  // namespace

std::optional<BlockParts> parts_of_block(const SceneContext& context, Index row) {
  const Trace& trace = context.trace;
  const auto run = network_of(trace.inputs);
  if (!run || !trace.has(Stage::output) || trace[Stage::output].size(-1) > widest_row) return {};
  return block_parts(*run, trace, run->network->layer_or_first(trace.scenario.layer), context.view.batch, row);
}

void residual(const Task& task, const BlockParts& parts) {
  Residual picture{task, parts};
  picture.lay_out();
  picture.put_lines();
  picture.put_column();
  picture.put_mlp();
}

}  // namespace headlight::operation
