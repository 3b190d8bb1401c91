#include "core/mask/examples.h"

namespace headlight {
namespace {

constexpr MaskExample examples[] = {
    {"shared prefix", "causal() && (prefix(4) || floor((q - 4) / 3) == floor((k - 4) / 3))",
     "several answers of 3 tokens to one prompt of 4", 13, 13},
    {"per-document prefix", "document(8, 8) && (causal() || k % 8 < 3)",
     "packed prefix-LM: the first 3 tokens of each document of 8", 16, 16},
    {"images before text", "floor(k / 4) == floor(q / 6)",
     "Flamingo: 6 words see the 4 tokens of the image before them", 18, 12},
    {"tree of drafts", "k == q || k == floor((q - 1) / 2) || k == floor((q - 3) / 4)",
     "speculative decoding: a node sees its ancestors (binary tree, level by level)", 7, 7},
    {"blocks of drafts", "k < 5 || (floor(q / 4) == floor((k - 5) / 4) && (k - 5) % 4 <= q % 4)",
     "JetSpec training: a prefix of 5, then blocks of 4", 12, 17},
    {"block diffusion",
     "(q < 12) == (k < 12) && floor(q % 12 / 4) == floor(k % 12 / 4) || k >= 12 && (q < 12 ? floor(q % 12 / 4) > "
     "floor(k % 12 / 4) "
     ": floor(q % 12 / 4) >= floor(k % 12 / 4))",
     "BD3-LM: 12 noised tokens, then 12 clean ones, in blocks of 4", 24, 24},
    {"sliding tile, 3-d",
     "abs(floor(k / 128) - min(max(floor(q / 128), 1), 2)) <= 1 && abs(floor(k / 32) % 4 - min(max(floor(q / 32) % 4, "
     "1), 2)) <= 1 && "
     "abs(floor(k / 8) % 4 - min(max(floor(q / 8) % 4, 1), 2)) <= 1",
     "STA: 4×4×4 tiles of 8 tokens, each sees 3×3×3 of them", 512, 512},
    {"same frame or same place", "floor(q / 16) == floor(k / 16) || q % 16 == k % 16", "video: frames of 16 tokens", 64,
     64},
    {"every other key", "causal() && (bit(k, 0) == 0 || window(2))", "a bit of the position", 12, 12},
    {"chosen keys", "causal() && (k in {0, 4, 8} || window(3))", "sinks by hand", 12, 12},
};

}  // namespace

std::span<const MaskExample> mask_examples() { return examples; }

}  // namespace headlight
