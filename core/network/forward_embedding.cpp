#include <algorithm>

#include "core/attention/projection.h"
#include "core/network/forward.h"
#include "core/network/pictures.h"
#include "core/network/sounds.h"
#include "core/network/weights.h"
#include "core/tensor/error.h"

namespace headlight {

Forward::EmbeddingParts Forward::picture_parts(const EmbeddingSpec& spec, const Tensor& pixels) const {
  const Index patch = network_.spec().picture->patch, batch = pixels.size(0);
  Linear linear = read_linear(checkpoint_, spec.patches);
  linear.weight = linear.weight.view({linear.weight.size(0), linear.weight.count() / linear.weight.size(0)});
  const Tensor patches = project(patches_of(pixels, patch), linear.weight, linear.bias, workers_).contiguous();
  const Index width = patches.size(2), extra = std::ssize(spec.extra), count = extra + patches.size(1);
  Buffer words, places(static_cast<std::size_t>(count * width), 0.0F);
  for (Index b = 0; b < batch; ++b) {
    for (const ExtraToken& token : spec.extra) {
      const Tensor row = checkpoint_.load(token.array);
      const auto values = row.values().subspan(static_cast<std::size_t>(token.row * width));
      words.insert(words.end(), values.begin(), values.begin() + width);
    }
    const auto values = patches.values().subspan(static_cast<std::size_t>(b * patches.size(1) * width));
    words.insert(words.end(), values.begin(), values.begin() + patches.size(1) * width);
  }
  EmbeddingParts parts{Tensor({batch, count, width}, std::move(words)), {}};
  if (spec.position_kind == PositionKind::none) return parts;
  Tensor table = checkpoint_.load(spec.positions);
  if (const PictureSpec& picture = *network_.spec().picture;
      picture.table_rows > 0 && (picture.table_rows != picture.rows || picture.table_columns != picture.columns))
    table = resampled_positions(table, std::ranges::count(spec.extra, true, &ExtraToken::has_position), picture);
  auto from = table.values().begin();
  for (Index i = 0; i < count; ++i) {
    if (i < extra && !spec.extra[static_cast<std::size_t>(i)].has_position) continue;
    std::copy_n(from, width, places.begin() + i * width);
    from += width;
  }
  parts.places = Tensor({1, count, width}, std::move(places)).expand({batch, count, width});
  return parts;
}

Forward::EmbeddingParts Forward::sound_parts(const EmbeddingSpec& spec, const Tensor& bands) const {
  Tensor x = bands.transpose(1, 2);
  for (std::size_t i = 0; i < spec.convolutions.size(); ++i) {
    const Linear linear = read_linear(checkpoint_, spec.convolutions[i]);
    const Tensor rows = neighbours_of(x, static_cast<Index>(i) + 1);
    x = activate(project(rows, linear.weight.view({linear.weight.size(0), rows.size(2)}), linear.bias, workers_),
                 Activation::gelu, workers_);
  }
  const Tensor table = checkpoint_.load(spec.positions);
  return {x, table.view({1, table.size(0), table.size(1)}).expand(x.shape())};
}

Forward::EmbeddingParts Forward::embedding_parts(const StackSpec& stack, const NetworkText& text, Index first) const {
  const EmbeddingSpec& spec = stack.embedding;
  if (spec.patches.there()) return picture_parts(spec, text.pixels);
  if (!spec.convolutions.empty()) return sound_parts(spec, text.pixels);
  const TokenBatch& tokens = &stack == &network_.spec().stacks.front() ? text.tokens : text.decoder;
  const Index end = tokens.count(), count = end - first;
  if (spec.most_positions > 0 && end > spec.most_positions) {
    throw SettingError(
        "--text", Message("has {0} tokens", end),
        Message("expected at most {0}, the positions that {1} has", spec.most_positions, network_.file()));
  }
  std::vector<Index> ids;
  for (const std::vector<Token>& entry : tokens.entries) {
    for (auto i = static_cast<std::size_t>(first); i < entry.size(); ++i) ids.push_back(entry[i].id);
  }
  const Tensor rows = checkpoint_.load_rows(spec.tokens, ids);
  EmbeddingParts parts{through(times(rows.view({tokens.size(), count, rows.size(1)}), spec.scale),
                               spec.projected_last ? LinearSpec() : spec.projection),
                       {}};
  const Shape& shape = parts.words.shape();
  const auto add_rows = [&](const Tensor& added) {
    const Tensor all = added.view({1, added.size(0), added.size(1)}).expand(shape);
    parts.places = parts.places.defined() ? plus(parts.places, all) : all;
  };
  if (spec.position_kind != PositionKind::none) {
    std::vector<Index> places;
    for (Index i = 0; i < count; ++i) places.push_back(spec.position_offset + first + i);
    add_rows(spec.positions.empty() ? marian_sinusoids(end, shape[2]).slice(0, first, count)
                                    : checkpoint_.load_rows(spec.positions, places));
  }
  if (!spec.segments.empty())
    add_rows(checkpoint_.load_rows(spec.segments, std::vector<Index>(static_cast<std::size_t>(count), 0)));
  return parts;
}

Tensor Forward::embed(const StackSpec& stack, const NetworkText& text, Index first) const {
  const EmbeddingParts parts = embedding_parts(stack, text, first);
  const Tensor x = normed(parts.places.defined() ? plus(parts.words, parts.places) : parts.words, stack.embedding.norm);
  return stack.embedding.projected_last ? through(x, stack.embedding.projection) : x;
}

}  // namespace headlight
