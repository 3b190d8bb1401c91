#include "core/rules/mask/patterns.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace headlight {
namespace {

// A definition is written in the mask language. Besides `valid_len`, which is valid_lens[b] or valid_lens[b, q], it may
// use these names, which users cannot write:
//   grid_rows, grid_columns, first_patch  the patches of core/rules/mask/evaluate.h
//   file_mask, painted_mask               the cell of that mask
//   hash(seed, i, j)                      a 32-bit word, see core/rules/mask/machine.h
//   drawn(seed, i, j, r, n, w, g)         whether j is among the r numbers with the lowest hash(seed, i, ·), of those
//                                         below n that are at least g and further than w from i
constexpr Parameter window_w[] = {{"w", 0, 4}};
constexpr Parameter dilated_wd[] = {{"w", 0, 8}, {"d", 1, 2}};
constexpr Parameter strided_l[] = {{"l", 1, 4}};
constexpr Parameter fixed_lc[] = {{"l", 1, 4}, {"c", 0, 1}};
constexpr Parameter chunked_c[] = {{"c", 1, 4}};
constexpr Parameter prefix_p[] = {{"p", 0, 4}};
constexpr Parameter global_g[] = {{"g", 0, 1}};
constexpr Parameter sink_s[] = {{"s", 0, 1}};
constexpr double largest_seed = 4294967295.0;
constexpr Parameter bigbird_all[] = {
    {"block", 1, 2}, {"w", 0, 3}, {"g", 0, 1}, {"r", 0, 1}, {"seed", 0, 0, largest_seed}};
constexpr Parameter random_all[] = {{"p", 0, 0.5, 1, false}, {"seed", 0, 0, largest_seed}};
constexpr Parameter document_n[] = {{"n", 1, 4}};
constexpr Parameter valid_n[] = {{"n", 0, 4}};
constexpr Parameter neighborhood_all[] = {{"width", 1, 4}, {"height", 1, 4}, {"kernel", 1, 3}};
constexpr Parameter neighborhood_r[] = {{"r", 0, 1}};
constexpr Parameter axial_width[] = {{"width", 1, 4}};
constexpr Parameter swin_all[] = {{"width", 1, 8}, {"size", 1, 4}, {"shift", 0, 2}};

constexpr Pattern patterns[] = {
    {"full", {}, "true", "encoder self-attention", "full()", "true"},
    {"causal", {}, "k ≤ q", "decoder self-attention; top-left aligned where n_q ≠ n_k", "causal()", "k <= q"},
    {"causal_bottom_right",
     {},
     "k ≤ q + (n_k − n_q)",
     "decoding with a key/value cache, flash-attention",
     "causal_bottom_right()",
     "k <= q + (n_k - n_q)"},
    {"diagonal", {}, "k = q", "", "diagonal()", "k == q", false, true},
    {"window", window_w, "|q − k| < w", "Hugging Face, Mistral: with causal it keeps exactly w keys",
     "causal() && window(4)", "abs(q - k) < w", false, true},
    {"window_inclusive", window_w, "|q − k| ≤ w", "Longformer, FlexAttention: with causal it keeps w + 1 keys",
     "causal() && window_inclusive(4)", "abs(q - k) <= w", false, true},
    {"dilated", dilated_wd, "|q − k| ≤ w and |q − k| mod d = 0", "dilated sliding window", "dilated(8, 2)",
     "abs(q - k) <= w && abs(q - k) % d == 0", false, true},
    {"strided", strided_l, "(q − k) mod l = 0", "Sparse Transformer", "causal() && (window_inclusive(4) || strided(4))",
     "(q - k) % l == 0", false, true},
    {"fixed", fixed_lc, "⌊k/l⌋ = ⌊q/l⌋ or k mod l ≥ l − c", "Sparse Transformer", "causal() && fixed(4, 1)",
     "floor(k / l) == floor(q / l) || k % l >= l - c", false, true},
    {"chunked", chunked_c, "⌊q/c⌋ = ⌊k/c⌋", "chunked attention", "causal() && chunked(4)",
     "floor(q / c) == floor(k / c)", false, true},
    {"prefix", prefix_p, "k < p", "prefix-LM", "prefix(4) || causal()", "k < p"},
    {"global", global_g, "q < g or k < g", "Longformer, BigBird", "window_inclusive(2) || global(1)", "q < g || k < g",
     false, true},
    {"sink", sink_s, "k < s", "StreamingLLM", "causal() && (sink(1) || window(4))", "k < s"},
    {"bigbird", bigbird_all,
     "on block indices i, j of q, k: |i − j| ≤ ⌊w/2⌋ or i < g or j < g or j among r blocks drawn for i from the others",
     "BigBird", "bigbird(2, 3, 1, 1, 0)",
     "abs(floor(q / block) - floor(k / block)) <= floor(w / 2) || floor(q / block) < g || floor(k / block) < g || "
     "drawn(seed, floor(q / block), floor(k / block), r, floor((n_k + block - 1) / block), floor(w / 2), g)",
     false, true},
    {"random", random_all, "true with probability p, the same for the same seed, q, k", "BigBird", "random(0.5, 0)",
     "hash(seed, q, k) < p * 4294967296"},
    {"document", document_n, "q and k in the same run of lengths n1, n2, … (the last one repeats)", "sequence packing",
     "causal() && document(3, 5)", "", true, true},
    {"valid", valid_n, "k < n", "one length for all", "valid(4)", "k < n"},
    {"padding", {}, "k < valid_lens[b], or valid_lens[b, q]", "d2l's valid lengths", "padding()", "k < valid_len"},
    {"neighborhood", neighborhood_all,
     "tokens as a width×height image: key column and row within ⌊kernel/2⌋ of the query's, the centre clamped into "
     "the image",
     "NATTEN", "neighborhood(4, 4, 3)",
     "abs(k % width - min(max(q % width, floor(kernel / 2)), width - 1 - floor(kernel / 2))) <= floor(kernel / 2) && "
     "abs(floor(k / width) - min(max(floor(q / width), floor(kernel / 2)), height - 1 - floor(kernel / 2))) <= "
     "floor(kernel / 2)",
     false, true},
    {"neighborhood", neighborhood_r,
     "row and column within r of the query's; what is no patch sees all and is seen by all", "", "neighborhood(1)",
     "row(q) < 0 || row(k) < 0 || abs(row(q) - row(k)) <= r && abs(col(q) - col(k)) <= r"},
    {"axial", axial_width, "same image row or same image column", "axial attention", "axial(4)",
     "floor(q / width) == floor(k / width) || q % width == k % width", false, true},
    // Swin rolls the picture by −shift and separates the part that wrapped around from its new neighbours. In the
    // original picture this only moves the windows: nothing wraps around, and the height does not matter.
    {"swin", swin_all, "same size×size window of the image after rolling it by shift; what wraps around stays apart",
     "Swin", "swin(8, 4, 2)",
     "floor((floor(q / width) - shift) / size) == floor((floor(k / width) - shift) / size) && "
     "floor((q % width - shift) / size) == floor((k % width - shift) / size)",
     false, true},
    {"not_self", {}, "k ≠ q", "", "not_self()", "k != q", false, true},
    {"file", {}, "the file's own mask", "", "file()", "file_mask"},
    {"painted", {}, "what was drawn by hand", "", "causal() || painted()", "painted_mask"},
};

/// "n1 + n2 + …", `count` numbers from number `first` on, in nested halves: "(n1 + n2) + (n3 + n4)".
std::string sum_of_runs(std::size_t first, std::size_t count) {
  if (count == 1) return "n" + std::to_string(first);
  const std::size_t half = count / 2;
  return "(" + sum_of_runs(first, half) + " + " + sum_of_runs(first + half, count - half) + ")";
}

std::string end_of_run(std::size_t count) { return sum_of_runs(1, count); }

/// The index of the run that holds `token`, among the runs from `first` on. The choices are nested in halves, so that
/// many runs do not nest deeply: "(q < n1 ? 0 : 1 + floor((q - n1) / n2))".
std::string run_index(const std::string& token, std::size_t first, std::size_t runs, std::size_t all) {
  if (runs > 1) {
    const std::size_t half = runs / 2;
    return "(" + token + " < " + end_of_run(first + half) + " ? " + run_index(token, first, half, all) + " : " +
           run_index(token, first + half, runs - half, all) + ")";
  }
  if (first + 1 < all) return std::to_string(first);
  if (all == 1) return "floor(" + token + " / n1)";
  return std::to_string(all - 1) + " + floor((" + token + " - " + end_of_run(all - 1) + ") / n" + std::to_string(all) +
         ")";
}

}  // namespace

std::span<const Pattern> all_patterns() { return patterns; }

const Pattern* pattern_named(std::string_view name, std::size_t arguments) {
  const Pattern* found = nullptr;
  for (const Pattern& pattern : patterns) {
    if (pattern.name == name && (!found || pattern.parameters.size() == arguments)) found = &pattern;
  }
  return found;
}

std::string signature(const Pattern& pattern) {
  std::string text(pattern.name);
  if (pattern.repeats) return text + "(n1, n2, …)";
  text += "(";
  for (const Parameter& p : pattern.parameters) {
    if (&p != pattern.parameters.data()) text += ", ";
    text += p.name;
  }
  return text + ")";
}

const Parameter& parameter(const Pattern& pattern, std::size_t index) {
  assert(pattern.repeats || index < pattern.parameters.size());
  return pattern.parameters[pattern.repeats ? 0 : index];
}

Message range_sentence(const Parameter& parameter) {
  const auto lowest = static_cast<long long>(parameter.minimum);
  if (std::isinf(parameter.maximum))
    return {parameter.whole ? "a whole number of {0} or more" : "a number of {0} or more", lowest};
  return {parameter.whole ? "a whole number from {0} to {1}" : "a number from {0} to {1}", lowest,
          static_cast<long long>(parameter.maximum)};
}

std::string definition(const Pattern& pattern, std::size_t argument_count) {
  if (!pattern.repeats) return std::string(pattern.definition);
  return run_index("q", 0, argument_count, argument_count) + " == " + run_index("k", 0, argument_count, argument_count);
}

std::string argument_name(const Pattern& pattern, std::size_t index) {
  const std::string name(parameter(pattern, index).name);
  return pattern.repeats ? name + std::to_string(index + 1) : name;
}

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
