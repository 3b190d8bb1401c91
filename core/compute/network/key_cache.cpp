#include "core/compute/network/key_cache.h"

#include <algorithm>
#include <cassert>

namespace headlight {
namespace {

/// The number of first positions at which all tokens of a and b are equal. If an entry has become longer, its old
/// padding does not count.
Index same_positions(const TokenBatch& a, const TokenBatch& b) {
  if (a.size() != b.size()) return 0;
  Index same = std::min(a.count(), b.count());
  for (std::size_t entry = 0; entry < a.entries.size(); ++entry) {
    if (a.lengths[entry] != b.lengths[entry]) same = std::min({same, a.lengths[entry], b.lengths[entry]});
    Index at = 0;
    while (at < same &&
           a.entries[entry][static_cast<std::size_t>(at)].id == b.entries[entry][static_cast<std::size_t>(at)].id)
      ++at;
    same = at;
  }
  return same;
}

/// Whether RoPE rotates a text of `now` positions as one of `before` positions: some frequencies depend on the length.
bool same_rotation(const RopeSpec& rope, Index before, Index now) {
  if (rope.original == 0 || std::max(before, now) <= rope.original) return true;
  return std::min(before, now) > rope.original && frequencies_for(rope, before) == frequencies_for(rope, now);
}

}  // namespace

Tensor GrowingRows::all() const {
  if (!numbers_) return {};
  const std::shared_ptr<const float> memory(numbers_, numbers_->all.data());
  return Tensor::in_memory({batch_, heads_, room_, width_}, memory).slice(2, begin_, count());
}

void GrowingRows::move_to(Index room) {
  auto moved = std::make_shared<Numbers>(batch_ * heads_ * room * width_, count());
  for (Index head = 0; head < batch_ * heads_ && count() > 0; ++head) {
    std::copy_n(numbers_->all.data() + (head * room_ + begin_) * width_, count() * width_,
                moved->all.data() + head * room * width_);
  }
  numbers_ = std::move(moved);
  end_ = count();
  begin_ = 0;
  room_ = room;
}

void GrowingRows::keep_last(Index wanted) {
  begin_ = std::max(begin_, end_ - wanted);
  if (room_ > 4 * (count() + 16)) move_to(2 * count());
}

Tensor GrowingRows::extend(const Tensor& rows) {
  if (!numbers_) batch_ = rows.size(0), heads_ = rows.size(1), width_ = rows.size(3);
  assert(rows.size(0) == batch_ && rows.size(1) == heads_ && rows.size(3) == width_);
  const Index added = rows.size(2);
  Index free = end_;
  if (end_ + added > room_ || !numbers_->used.compare_exchange_strong(free, end_ + added)) {
    move_to(5 * (count() + added) / 4 + 16);
    numbers_->used = end_ + added;
  }
  for (Index b = 0; b < batch_; ++b) {
    for (Index head = 0; head < heads_; ++head) {
      const MatrixView m = rows.matrix(b, head);
      float* to = numbers_->all.data() + ((b * heads_ + head) * room_ + end_) * width_;
      for (Index row = 0; row < added; ++row) {
        for (Index col = 0; col < width_; ++col) *to++ = m(row, col);
      }
    }
  }
  end_ += added;
  return all();
}

bool KeyCache::has_read(const NetworkRun& run) const {
  return whole_ && run.network == network_ && run.knock_out == knock_out_ &&
         (network_->spec().stacks.size() == 1 ||
          (run.text.tokens == text_.tokens && identical(run.text.pixels, text_.pixels)));
}

Tensor KeyCache::encoded_for(const NetworkRun& run) const { return has_read(run) ? encoded_ : Tensor(); }

Index KeyCache::reusable(const NetworkRun& run) const {
  if (!has_read(run)) return 0;
  const bool two = network_->spec().stacks.size() == 2;
  const TokenBatch& current = two ? run.text.decoder : run.text.tokens;
  const TokenBatch& previous = two ? text_.decoder : text_.tokens;
  for (const BlockSpec& block : network_->spec().stacks.back().blocks) {
    if (!same_rotation(block.attention.rope, previous.count(), current.count())) return 0;
  }
  const Index count = std::min(same_positions(previous, current), current.count() - 1);
  // A window drops old rows. The cache must still hold those that the next query sees.
  const bool whole = std::ranges::all_of(layers_, [&](const Layer& layer) {
    const Index first = layer.end - layer.keys.count();
    return layer.window == 0 || first <= std::max<Index>(0, count - layer.window + 1);
  });
  return whole ? count : 0;
}

Index KeyCache::begin(const NetworkRun& run) {
  const Index count = reusable(run);
  if (count == 0) *this = KeyCache();
  network_ = run.network;
  text_ = run.text;
  knock_out_ = run.knock_out;
  encoded_ = run.encoded;
  whole_ = false;
  layers_.resize(network_->layers().size());
  if (count == 0) return 0;
  for (Layer& layer : layers_) {
    const Index dropped = std::max<Index>(0, layer.end - count);
    layer.keys.keep_first(layer.keys.count() - dropped);
    layer.values.keep_first(layer.values.count() - dropped);
    layer.end -= dropped;
  }
  return count;
}

KeyCache::Kept KeyCache::extend(Index layer, const Tensor& keys, const Tensor& values, Index window) {
  Layer& at = layers_[static_cast<std::size_t>(layer)];
  at.window = window;
  Kept all{at.keys.extend(keys), at.values.extend(values)};
  at.end += keys.size(2);
  all.first = at.end - at.keys.count();
  if (window > 0) at.keys.keep_last(window), at.values.keep_last(window);
  return all;
}

KeyCache::Kept KeyCache::keep(Index layer, const Tensor& keys, const Tensor& values) {
  Kept& cross = layers_[static_cast<std::size_t>(layer)].cross;
  if (!cross.keys.defined()) cross = {keys.contiguous(), values.contiguous()};
  return cross;
}

Index KeyCache::positions(Index layer) const {
  if (layers_.empty()) return 0;
  const Layer& at = layers_[static_cast<std::size_t>(layer)];
  return at.cross.keys.defined() ? at.cross.keys.size(2) : at.keys.count();
}

Index KeyCache::bytes(Index layer) const {
  if (layers_.empty()) return 0;
  const Layer& at = layers_[static_cast<std::size_t>(layer)];
  if (at.cross.keys.defined())
    return (at.cross.keys.count() + at.cross.values.count()) * static_cast<Index>(sizeof(float));
  return at.keys.bytes() + at.values.bytes();
}

Index KeyCache::bytes() const {
  Index all = 0;
  for (Index layer = 0; layer < std::ssize(layers_); ++layer) all += bytes(layer);
  return all;
}

namespace {

DecodeLayer decoded_at(const NetworkLayer& at, const AttentionSpec& spec) {
  DecodeLayer made{at.layer, KeysShared::mha, spec.heads, spec.kv_heads, spec.window, spec.chunk};
  const Index d_value = spec.latent ? spec.latent->value : spec.d_head;
  made.as_mha = spec.heads * (spec.d_head + d_value);
  made.numbers = spec.kv_heads * (spec.d_head + d_value);
  if (spec.latent) {
    made.shared = KeysShared::mla;
    made.numbers = spec.latent->kept();
  } else if (spec.kv_heads < spec.heads) {
    made.shared = spec.kv_heads == 1 ? KeysShared::mqa : KeysShared::gqa;
  }
  return made;
}

}  // namespace

Index DecodeLayer::first(Index position) const {
  if (chunk > 0) return position / chunk * chunk;
  return window > 0 ? std::max<Index>(0, position - window + 1) : 0;
}

std::vector<DecodeLayer> decode_layers(const Network& network) {
  const NetworkSpec& spec = network.spec();
  const bool writes = !spec.masked && !spec.takes_tensors && !spec.picture && spec.head.output.there();
  std::vector<DecodeLayer> layers;
  for (const NetworkLayer& at : network.layers()) {
    if (!writes || at.cross || at.stack + 1 != std::ssize(spec.stacks)) continue;
    const AttentionSpec& attention = spec.stacks.back().blocks[static_cast<std::size_t>(at.block)].attention;
    if (!attention.causal) return {};
    layers.push_back(decoded_at(at, attention));
  }
  return layers;
}

std::string name_of(const DecodeLayer& layer) {
  const std::string heads = std::to_string(layer.heads);
  switch (layer.shared) {
    case KeysShared::mha: return "MHA " + heads;
    case KeysShared::gqa: return "GQA " + std::to_string(layer.kv_heads) + "/" + heads;
    case KeysShared::mqa: return "MQA 1/" + heads;
    case KeysShared::mla: return "MLA";
  }
  return {};
}

}  // namespace headlight
