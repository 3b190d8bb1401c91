#include "core/network/row_parts.h"

namespace headlight {
namespace {

std::vector<float> row_of(const Tensor& residual, Index batch, Index row) {
  const MatrixView matrix = residual.matrix(batch, 0);
  std::vector<float> numbers;
  for (Index c = 0; c < matrix.cols; ++c) numbers.push_back(matrix(row, c));
  return numbers;
}

std::vector<float> without(const std::vector<float>& whole, const std::vector<float>& part) {
  std::vector<float> rest;
  for (std::size_t c = 0; c < whole.size(); ++c) rest.push_back(whole[c] - part[c]);
  return rest;
}

/// The first self-attention of a layer's stack.
std::optional<std::size_t> first_of(const Network& network, Index stack) {
  const auto layers = network.layers();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].stack == stack && layers[i].block == 0 && !layers[i].cross) return i;
  }
  return {};
}

}  // namespace

std::optional<RowParts> row_parts(const NetworkRun& run, Index layer, Index batch, Index row) {
  const Network& network = *run.network;
  const NetworkLayer& at = network.layers()[static_cast<std::size_t>(layer)];
  const EmbeddingSpec& spec = network.spec().stacks[static_cast<std::size_t>(at.stack)].embedding;
  const std::optional<std::size_t> first = first_of(network, at.stack);
  const bool is_sum = spec.norm.kind == NormKind::none && !spec.projection.there() && spec.segments.empty() &&
                      !network.spec().takes_tensors;
  if (at.cross || !is_sum || !first) return {};
  const Tensor &begins = run.layers[*first].residual, &enters = run.layers[static_cast<std::size_t>(layer)].residual;
  const TokenBatch& tokens = run.queries_of(layer);
  if (!begins.defined() || !enters.defined() || batch >= tokens.size() || row >= tokens.count()) return {};
  RowParts parts;
  parts.enters = row_of(enters, batch, row);
  parts.word =
      network.token_row(at.stack, tokens.entries[static_cast<std::size_t>(batch)][static_cast<std::size_t>(row)].id);
  if (parts.word.size() != parts.enters.size()) return {};
  const std::vector<float> beginning = row_of(begins, batch, row);
  if (spec.position_kind != PositionKind::none) parts.place = without(beginning, parts.word);
  if (static_cast<std::size_t>(layer) != *first) parts.earlier = without(parts.enters, beginning);
  if (parts.place.empty() && parts.earlier.empty()) return {};
  return parts;
}

}  // namespace headlight
