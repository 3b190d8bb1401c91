// A cache of keys and values for the positions that a network has read, so that a pass over later positions does not
// recompute them; and the sizes of what one generation step reads and adds.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/compute/network/network.h"

namespace headlight {

/// Rows [B, G, n, d] that can be extended; existing rows are not moved while there is room. Copies share them: the
/// first copy that adds a row writes it after them, another copy moves to its own memory.
class GrowingRows {
 public:
  /// Adds rows [B, G, r, d] and returns all rows.
  Tensor extend(const Tensor& rows);
  /// Keeps only the first rows, or only the last.
  void keep_first(Index count) { end_ = std::min(end_, begin_ + count); }
  void keep_last(Index count);
  Index count() const { return end_ - begin_; }
  Index bytes() const { return batch_ * heads_ * count() * width_ * static_cast<Index>(sizeof(float)); }
  Tensor all() const;

 private:
  void move_to(Index room);

  struct Numbers {
    Numbers(Index count, Index rows) : all(static_cast<std::size_t>(count)), used(rows) {}
    Buffer all;               // [B, G, room_, d]
    std::atomic<Index> used;  // rows that a copy uses
  };
  std::shared_ptr<Numbers> numbers_;
  Index batch_ = 0, heads_ = 0, width_ = 0, room_ = 0, begin_ = 0, end_ = 0;
};

/// For each self-attention of the generating stack: keys after norm and rotation, and values, for each key/value head;
/// with a window, only the rows of the window. Keys and values of cross-attention are computed once. A pass uses and
/// extends the cache in RunOptions::cache.
class KeyCache {
 public:
  struct Kept {
    Tensor keys, values;  ///< [B, G, rows, d]
    Index first = 0;      ///< the position of their first row
  };

  /// The encoder's output for the run's text; undefined if it was not read.
  Tensor encoded_for(const NetworkRun& run) const;
  /// The first position that a pass over the run's text has to compute, at most its last; 0 if nothing can be reused.
  Index reusable(const NetworkRun& run) const;
  /// The same; drops what is stored for this position and later ones. An unfinished pass stores nothing.
  Index begin(const NetworkRun& run);
  void end() { whole_ = true; }
  /// Adds the keys and values from begin()'s position on, and returns those that their queries attend to.
  Kept extend(Index layer, const Tensor& keys, const Tensor& values, Index window);
  /// The keys and values of cross-attention: stored the first time.
  Kept keep(Index layer, const Tensor& keys, const Tensor& values);
  /// Keys and values of cross-attention; undefined before keep().
  const Kept& kept(Index layer) const { return layers_[static_cast<std::size_t>(layer)].cross; }

  Index positions(Index layer) const;
  Index bytes(Index layer) const;
  Index bytes() const;

 private:
  struct Layer {
    GrowingRows keys, values;
    Index end = 0, window = 0;  ///< the position after the last; 0: no window
    Kept cross;
  };
  bool has_read(const NetworkRun& run) const;

  std::shared_ptr<const Network> network_;
  NetworkText text_;
  KnockOut knock_out_;
  Tensor encoded_;
  bool whole_ = false;         // the last pass was finished
  std::vector<Layer> layers_;  // as Network::layers()
};

// One step of generation: which keys and values of earlier positions each layer reads, and their size in bytes.

/// How heads share keys and values: not, in groups, all, or all through one latent from which they are computed.
enum class KeysShared : std::uint8_t { mha, gqa, mqa, mla };

struct DecodeLayer {
  std::string layer;  ///< "3", "decoder.3"
  KeysShared shared = KeysShared::mha;
  Index heads = 1, kv_heads = 1;
  Index window = 0, chunk = 0;  ///< as in AttentionSpec; earlier positions are dropped
  Index numbers = 0;            ///< stored per position: keys and values of each key/value head, or the latent
  Index as_mha = 0;             ///< the number if each head had its own keys and values
  /// The first position that the step for the word at `position` reads.
  Index first(Index position) const;
};

/// The self-attentions of the generating stack. Empty if the network does not generate text.
std::vector<DecodeLayer> decode_layers(const Network& network);
/// "GQA 8/32": the number of key/value heads, and of heads.
std::string name_of(const DecodeLayer& layer);

}  // namespace headlight
