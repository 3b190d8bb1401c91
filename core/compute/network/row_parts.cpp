#include "core/compute/network/row_parts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

#include "core/compute/attention/projection.h"
#include "core/compute/network/forward.h"
#include "core/compute/network/sampling.h"
#include "core/compute/network/weights.h"

namespace headlight {
namespace {

std::vector<float> row_of(const Tensor& residual, Index batch, Index row) {
  const MatrixView matrix = residual.matrix(batch, 0);
  std::vector<float> numbers;
  for (Index c = 0; c < matrix.cols; ++c) numbers.push_back(matrix(row, c));
  return numbers;
}

/// whole − part, number by number.
std::vector<float> without(const std::vector<float>& whole, const std::vector<float>& part) {
  std::vector<float> rest;
  for (std::size_t c = 0; c < whole.size(); ++c) rest.push_back(whole[c] - part[c]);
  return rest;
}

}  // namespace

std::optional<RowParts> row_parts(const NetworkRun& run, Index layer, Index batch, Index row) {
  const Network& network = *run.network;
  const NetworkLayer& at = network.layer(layer);
  const EmbeddingSpec& spec = network.spec().stacks[static_cast<std::size_t>(at.stack)].embedding;
  const std::optional<Index> first = network.layer_at(at.stack, 0);
  const bool is_sum = spec.norm.kind == NormKind::none && !spec.projection.there() && spec.segments.empty() &&
                      !network.spec().takes_tensors && !network.spec().picture;
  if (at.cross || !is_sum || !first) return {};
  const Tensor &begins = run.layers[static_cast<std::size_t>(*first)].residual,
               &enters = run.layers[static_cast<std::size_t>(layer)].residual;
  const TokenBatch& tokens = run.queries_of(layer);
  if (!begins.defined() || !enters.defined() || batch >= tokens.size() || row >= tokens.count()) return {};
  RowParts parts;
  parts.enters = row_of(enters, batch, row);
  parts.word =
      network.token_row(at.stack, tokens.entries[static_cast<std::size_t>(batch)][static_cast<std::size_t>(row)].id);
  if (parts.word.size() != parts.enters.size()) return {};
  const std::vector<float> beginning = row_of(begins, batch, row);
  if (spec.position_kind != PositionKind::none) parts.place = without(beginning, parts.word);
  if (layer != *first) parts.earlier = without(parts.enters, beginning);
  if (parts.place.empty() && parts.earlier.empty()) return {};
  return parts;
}

RowLookup row_lookup(const NetworkRun& run, Index layer, Index batch, Index row, Index around) {
  const Network& network = *run.network;
  const Index stack = network.layer(layer).stack;
  const TokenBatch& tokens = run.queries_of(layer);
  RowLookup found{tokens.entries[static_cast<std::size_t>(batch)][static_cast<std::size_t>(row)].id, row};
  const Index last = found.token + around;
  for (Index id = std::max<Index>(found.token - around, 0); id <= last; ++id) {
    std::vector<float> numbers = network.token_row(stack, id);
    if (numbers.empty()) break;
    found.words.push_back({id, network.word(id), std::move(numbers)});
  }
  const Index start = std::clamp<Index>(row - around, 0, std::max<Index>(tokens.count() - 2 * around - 1, 0));
  for (Index at = start; at < std::min(start + 2 * around + 1, tokens.count()); ++at) {
    const std::optional<RowParts> parts = row_parts(run, layer, batch, at);
    if (parts && !parts->place.empty()) found.places.push_back({at, "", parts->place});
  }
  return found;
}

namespace {

/// The head's part of the output: W_o[:, columns of the head] · its output.
std::vector<float> through_output(const Tensor& W_o, const MatrixView& head, Index row, Index first, Index width) {
  std::vector<float> added(static_cast<std::size_t>(width));
  if (!W_o.defined()) {
    for (Index c = 0; c < head.cols; ++c) added[static_cast<std::size_t>(first + c)] = head(row, c);
    return added;
  }
  const MatrixView m = W_o.matrix();
  for (Index to = 0; to < width; ++to) {
    double sum = 0;
    for (Index c = 0; c < head.cols; ++c)
      sum += static_cast<double>(m(to, first + c)) * static_cast<double>(head(row, c));
    added[static_cast<std::size_t>(to)] = static_cast<float>(sum);
  }
  return added;
}

/// before + heads + bias, added as doubles.
std::vector<float> row_after(const BlockParts& parts) {
  std::vector<float> sum;
  for (std::size_t c = 0; c < parts.before.size(); ++c) {
    double value =
        static_cast<double>(parts.before[c]) + (parts.bias.empty() ? 0.0 : static_cast<double>(parts.bias[c]));
    for (const std::vector<float>& head : parts.heads) value += static_cast<double>(head[c]);
    sum.push_back(static_cast<float>(value));
  }
  return sum;
}

bool is_same_row(const std::vector<float>& a, const std::vector<float>& b, double scale) {
  for (std::size_t c = 0; c < a.size(); ++c) {
    if (!(std::abs(static_cast<double>(a[c]) - static_cast<double>(b[c])) <= 1e-4 * scale)) return false;
  }
  return true;
}

double largest_number(const std::vector<float>& row) {
  double most = 1;
  for (const float v : row) most = std::max(most, std::abs(static_cast<double>(v)));
  return most;
}

/// The output of the block: the input of the next one, or the final output after the last one.
std::optional<std::vector<float>> block_output(const NetworkRun& run, Index layer, Index batch, Index row) {
  const NetworkLayer& at = run.network->layer(layer);
  const std::optional<Index> next = run.network->layer_at(at.stack, at.block + 1);
  if (!next && !run.network->is_in_last_stack(layer)) return {};
  const Tensor& output = next ? run.layers[static_cast<std::size_t>(*next)].residual : run.final;
  return output.defined() ? std::optional(row_of(output, batch, row)) : std::nullopt;
}

}  // namespace

std::optional<BlockParts> block_parts(const NetworkRun& run, const Trace& trace, Index layer, Index batch, Index row) {
  const BlockSpec& spec = run.network->block_of(layer);
  const LayerRun& own = run.layers[static_cast<std::size_t>(layer)];
  const bool is_plain_sum = spec.after_attention.kind == NormKind::none && spec.multiplier == 1 && !spec.cross;
  if (!is_plain_sum || !own.residual.defined() || !own.added.defined() || !trace.has(Stage::head_outputs)) return {};
  if (batch >= own.residual.size(0) || row >= own.residual.size(1)) return {};
  BlockParts parts;
  parts.before = row_of(own.residual, batch, row);
  const Tensor& heads = trace[Stage::head_outputs];
  const Tensor W_o = trace.has(Stage::W_o) ? trace[Stage::W_o] : Tensor();
  const auto width = std::ssize(parts.before);
  const Index d_head = heads.size(-1);
  if (W_o.defined() ? W_o.size(0) != width || W_o.size(1) != d_head * heads.size(1) : d_head * heads.size(1) != width)
    return {};
  for (Index h = 0; h < heads.size(1); ++h)
    parts.heads.push_back(through_output(W_o, heads.matrix(batch, h), row, h * d_head, width));
  if (trace.has(Stage::b_o)) parts.bias = row_of(trace[Stage::b_o], 0, 0);
  parts.after = row_after(parts);
  std::vector<float> recorded = row_of(own.added, batch, row);
  for (std::size_t c = 0; c < recorded.size(); ++c) recorded[c] += parts.before[c];
  if (!is_same_row(parts.after, recorded, largest_number(parts.after))) return {};
  parts.normed = spec.attention_sum.kind != NormKind::none;
  const auto output = block_output(run, layer, batch, row);
  if (!spec.mlp || parts.normed || spec.mlp_sum.kind != NormKind::none || !output) return parts;
  parts.leaves = *output;
  parts.mlp = without(parts.leaves, parts.after);
  return parts;
}

std::string_view name(Activation activation) {
  constexpr std::string_view names[] = {"GELU", "GELU", "GELU", "ReLU", "SiLU", "tanh", "", "ReLU²"};
  return names[static_cast<std::size_t>(activation)];
}

namespace {

/// The `most` neurons that add the longest vectors, with the lengths of these vectors, the longest first.
std::vector<std::pair<double, Index>> longest_neurons(const MatrixView& hidden, const MatrixView& down,
                                                      std::size_t most) {
  std::vector<std::pair<double, Index>> order;
  for (Index i = 0; i < hidden.cols; ++i) {
    double squares = 0;
    for (Index c = 0; c < down.rows; ++c) squares += static_cast<double>(down(c, i)) * static_cast<double>(down(c, i));
    order.emplace_back(std::abs(static_cast<double>(hidden(0, i))) * std::sqrt(squares), i);
  }
  const std::size_t count = std::min(most, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count), std::greater());
  order.resize(count);
  return order;
}

/// The tokens whose logits a vector of the residual stream raises most. It passes the last norm's gain, but not its
/// scale and bias.
std::vector<Index> tokens_towards(const std::vector<float>& added, const Norm& last, const Tensor& table, Index most) {
  const auto width = std::ssize(added);
  const float mean =
      last.kind == NormKind::layer ? std::accumulate(added.begin(), added.end(), 0.0f) / static_cast<float>(width) : 0;
  Buffer scaled(added.size());
  for (std::size_t c = 0; c < added.size(); ++c)
    scaled[c] = (added[c] - mean) * (last.weight.defined() ? last.weight.matrix()(0, static_cast<Index>(c)) : 1.0f);
  const Tensor logits = project(Tensor({1, 1, width}, std::move(scaled)), table, {});
  return largest_of_row(logits.matrix(), 0, most);
}

}  // namespace

NeuronsOfRow Network::neurons_of(Index layer, const BlockParts& parts, std::size_t most) const {
  const BlockSpec& block = block_of(layer);
  if (!block.mlp || !block.mlp->up.there() || parts.mlp.empty()) return {};
  const RunOptions options;
  const std::vector<float>& mlp_input = block.parallel ? parts.before : parts.after;
  Buffer numbers(mlp_input.size());
  std::ranges::copy(mlp_input, numbers.begin());
  const Forward forward(*this, *checkpoint_, options);
  const Tensor x = forward.normed(Tensor({1, 1, std::ssize(mlp_input)}, std::move(numbers)), block.before_mlp);
  const Tensor inner = forward.hidden(*block.mlp, x), down = read_linear(*checkpoint_, block.mlp->down).weight;
  const MatrixView hidden = inner.matrix(), out = down.matrix();
  const HeadSpec& head = spec_.head;
  const StackSpec& stack = spec_.stacks[static_cast<std::size_t>(this->layer(layer).stack)];
  const bool in_words = head.output.there() && !head.transform.there() && !stack.projection.there();
  const Tensor table = in_words ? read_linear(*checkpoint_, head.output).weight : Tensor();
  const Norm last = read_norm(*checkpoint_, stack.final_norm);
  NeuronsOfRow found{row_of(x, 0, 0), row_of(inner, 0, 0), {}};
  for (const auto& [length, i] : longest_neurons(hidden, out, most)) {
    std::vector<float> added;
    for (Index c = 0; c < out.rows; ++c) added.push_back(out(c, i) * hidden(0, i));
    constexpr Index words_of_each = 3;
    found.largest.push_back({i, hidden(0, i), static_cast<float>(length),
                             in_words ? tokens_towards(added, last, table, words_of_each) : std::vector<Index>()});
  }
  return found;
}

LogitProduct logit_product(const NetworkRun& run, Index batch, Index place, Index token) {
  const Network& network = *run.network;
  const Tensor entry = run.final.slice(0, batch, 1).contiguous(), last = entry.slice(1, place, 1).contiguous();
  const Tensor row = network.before_words(network.spec().head.reads == HeadReads::first ? last : entry);
  const MatrixView logits = run.logits.matrix(batch);
  LogitProduct product;
  product.last.assign(last.values().begin(), last.values().end());
  product.row.assign(row.values().begin(), row.values().end());
  std::tie(product.word, product.bias) = network.word_row(token);
  product.scale = network.spec().head.scale;
  product.softcap = network.spec().head.softcap;
  product.logit = logits(std::min(place, logits.rows - 1), token);
  return product;
}

}  // namespace headlight
