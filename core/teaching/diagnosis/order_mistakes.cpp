// Queries, keys or values of other words or of other sequences, or only some of them.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/tensor/each_matrix.h"
#include "core/compute/attention/norm_and_rotation.h"
#include "core/compute/attention/projection.h"
#include "core/compute/attention/softmax.h"
#include "core/compute/run/stage_steps.h"
#include "core/teaching/diagnosis/mistakes.h"

namespace headlight::mistakes {
namespace {

struct Place {
  Index sequence = 0, word = 0;
};
using From = std::function<Place(Place)>;

/// [B, H, n, d] in which the vector of each place is that of the place `from` gives.
Tensor taken(const Tensor& heads, const From& from) {
  const Tensor packed = heads.contiguous();
  const Index count = heads.size(1), words = heads.size(2), d = heads.size(3);
  Buffer values;
  values.reserve(packed.values().size());
  for (Index b = 0; b < heads.size(0); ++b) {
    for (Index h = 0; h < count; ++h) {
      for (Index word = 0; word < words; ++word) {
        const Place source = from({b, word});
        const auto first = packed.values().begin() + ((source.sequence * count + h) * words + source.word) * d;
        values.insert(values.end(), first, first + d);
      }
    }
  }
  return Tensor(heads.shape(), std::move(values));
}

From other_word(const std::function<Index(Index)>& from) {
  return [from](Place p) { return Place{p.sequence, from(p.word)}; };
}

From other_sequence(const std::function<Index(Index)>& from) {
  return [from](Place p) { return Place{from(p.sequence), p.word}; };
}

std::function<Index(Index)> moved(Index by, Index size) {
  return [by, size](Index i) { return ((i + by) % size + size) % size; };
}

Variant with_taken(const std::string& text, const std::vector<Stage>& stages, const From& from) {
  Variant variant{.explanation = text};
  for (const Stage stage : stages)
    variant.rules[stage] = [from](const Trace&, const Usual& usual) { return taken(usual(), from); };
  return variant;
}

Stage keys_of(const Trace& run) { return run.standing_for(Stage::K_rotated).value_or(Stage::K_heads); }

/// The mean over the words, in the place of each.
Tensor mean_of_words(const Tensor& heads) {
  const Index words = heads.size(2);
  const Shape pairs{heads.size(0), heads.size(1), words, words};
  return gather_values(Tensor::full(pairs, 1 / static_cast<float>(words)), heads);
}

}  // namespace

Variants keys_reordered(const Suspect& suspect) {
  const Dims& d = suspect.run.dims();
  const Index n = d.n_k, fresh = d.n_k > d.n_q ? d.n_q : 1;
  if (n < 2) return {};
  Variants variants;
  const auto add = [&](const std::string& what, const std::vector<Stage>& stages,
                       const std::function<Index(Index)>& from) {
    variants.push_back(with_taken(what, stages, other_word(from)));
    variants.back().rare = stages.size() > 1;  // only a mask or positions tell keys apart
  };
  const auto reversed = [n](Index k) { return n - 1 - k; };
  const std::vector<Stage> keys{keys_of(suspect.run)}, values{Stage::V_heads}, both{keys.front(), Stage::V_heads};
  const std::string cat = " Write K = torch.cat((past_K, K), 2); V = torch.cat((past_V, V), 2).";
  const std::string with = " Write weights @ V.";
  if (d.n_k > d.n_q) {
    add("The new keys and values stand before those of the cache." + cat, both, moved(n - fresh, n));
    add("The new keys stand before those of the cache; the values do not." + cat, keys, moved(n - fresh, n));
    add("The new values stand before those of the cache; the keys do not." + cat, values, moved(n - fresh, n));
  }
  add("Keys and values are in the reverse order." + cat, both, reversed);
  add("The keys are in the reverse order; the values are not." + cat, keys, reversed);
  add("The values are in the reverse order; the keys are not." + cat, values, reversed);
  for (const Index by : {1, -1}) {
    const std::string how = by > 0 ? "one further on" : "one before";
    add("A weight takes the value of the key " + how + "." + with, values, moved(by, n));
    add("A query meets the keys moved by one: key k is the one " + how + ".", keys, moved(by, n));
  }
  return variants;
}

Variants queries_reordered(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const Index n = run.dims().n_q;
  if (n < 2) return {};
  std::vector<Stage> places{run.standing_for(Stage::Q_rotated).value_or(Stage::Q_heads)};
  if (places.front() != Stage::Q_heads) places.push_back(Stage::Q_heads);
  const std::string write = " Write q = q_proj(x).";
  Variants variants;
  for (const Stage stage : places) {
    const auto add = [&](const std::string& what, const std::function<Index(Index)>& from) {
      variants.push_back(with_taken(what + write, {stage}, other_word(from)));
    };
    add("The last word's query stands in the place of every query.", [n](Index) { return n - 1; });
    add("The first word's query stands in the place of every query.", [](Index) { return 0; });
    add("Each query is that of the next word.", moved(1, n));
    add("Each query is that of the word before.", moved(-1, n));
    add("The queries are in the reverse order.", [n](Index q) { return n - 1 - q; });
    variants.push_back({.explanation = "The mean of all queries stands in the place of each." + write,
                        .rules = {{stage, [](const Trace&, const Usual& usual) { return mean_of_words(usual()); }}}});
  }
  return variants;
}

Variants other_sequences(const Suspect& suspect) {
  const Index batch = suspect.run.dims().batch;
  if (batch < 2) return {};
  const std::vector<Stage> keys{keys_of(suspect.run)}, values{Stage::V_heads}, both{keys.front(), Stage::V_heads};
  Variants variants;
  for (const auto& [who, stages] :
       {std::pair("keys and values", both), std::pair("keys", keys), std::pair("values", values)}) {
    const auto add = [&, who = who, stages = stages](const std::string& whose,
                                                     const std::function<Index(Index)>& from) {
      const std::string text =
          std::string("The ") + who + " are those of " + whose + ". Write K = k_proj(x); V = v_proj(x).";
      variants.push_back(with_taken(text, stages, other_sequence(from)));
      variants.back().rare = true;
    };
    add("the first sequence, for all sequences", [](Index) { return 0; });
    add("the last sequence, for all sequences", [batch](Index) { return batch - 1; });
    add("the next sequence of the batch", moved(1, batch));
    if (batch == 2) continue;  // the others are the same
    add("the sequence before in the batch", moved(-1, batch));
    add("the sequences in the reverse order", [batch](Index b) { return batch - 1 - b; });
  }
  return variants;
}

Variants sequences_reordered(const Suspect& suspect) {
  const Index batch = suspect.run.dims().batch;
  constexpr Index most = 4;  // of more sequences only rotations and the reverse order
  if (batch < 2) return {};
  std::vector<std::vector<Index>> orders;
  std::vector<Index> order(static_cast<std::size_t>(batch));
  std::iota(order.begin(), order.end(), Index{0});
  if (batch <= most) {
    while (std::ranges::next_permutation(order).found) orders.push_back(order);
  } else {
    orders.emplace_back(order.rbegin(), order.rend());
    for (const Index by : {Index{1}, batch - 1}) {
      orders.push_back(order);
      std::ranges::rotate(orders.back(), orders.back().begin() + by);
    }
  }
  Variants variants;
  for (const std::vector<Index>& each : orders) {
    std::vector<std::string> names;
    for (const Index b : each) names.push_back(std::to_string(b));
    const Rule rule = [each](const Trace&, const Usual& usual) {
      const Tensor output = usual();
      std::vector<Tensor> sequences;
      for (const Index b : each) sequences.push_back(output.slice(0, b, 1).contiguous());
      return joined(sequences);
    };
    variants.push_back({.explanation = "The sequences of the output are in another order, " + joined_by_and(names) +
                                       ": sorted, and not put back. Write output = output[inverse_order].",
                        .rules = {{Stage::output, rule}},
                        .rare = true});
  }
  return variants;
}

Variants input_reordered(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.inputs.self_attention() || run.inputs.first_stage() != Stage::query || run.dims().n_q < 2) return {};
  const Tensor x = run[Stage::query].contiguous();
  const Index n = x.size(1);
  const Tensor zeros = Tensor::full({x.size(0), 1, x.size(2)}, 0);
  const auto words = [&](Index first, Index count) { return x.slice(1, first, count).contiguous(); };
  std::vector<Tensor> reversed;
  for (Index word = n; word-- > 0;) reversed.push_back(words(word, 1));
  const std::pair<const char*, Tensor> others[] = {
      {"is shifted by one word, with zeros in the first place", joined_along(1, {zeros, words(0, n - 1)})},
      {"is shifted by one word, with zeros in the last place", joined_along(1, {words(1, n - 1), zeros})},
      {"begins with its last word: it is rolled by one", joined_along(1, {words(n - 1, 1), words(0, n - 1)})},
      {"ends with its first word: it is rolled by one", joined_along(1, {words(1, n - 1), words(0, 1)})},
      {"is in the reverse order", joined_along(1, reversed)}};
  Variants variants;
  for (const auto& [what, other] : others) {
    Variant& variant = variants.emplace_back(Variant{"The layer's input " + std::string(what) +
                                                     ". Write q, k, v = q_proj(x), k_proj(x), "
                                                     "v_proj(x)."});
    for (const Stage stage : {Stage::query, Stage::key, Stage::value})
      variant.rules[stage] = [other = other](const Trace&, const Usual&) { return other; };
    variant.rare = true;
  }
  return variants;
}

Variants keys_left_out(const Suspect& suspect) {
  const Index n = suspect.run.dims().n_k;
  if (n < 3) return {};
  Variants variants;
  const auto without = [&](Index left_out, const std::string& which, const std::string& expression) {
    const Rule rule = [left_out](const Trace& t, const Usual&) {
      const Tensor& scores = t[Stage::masked_scores];
      Index at = 0;
      const Index width = scores.size(3);
      return softmax(each_number(scores, [&](float s) { return at++ % width == left_out ? -INFINITY : s; }));
    };
    variants.push_back({.explanation = "No query sees the " + which + " key: the mask is another one, " + expression +
                                       ". Write K = k_proj(x); V = v_proj(x).",
                        .rules = {{Stage::weights, rule}},
                        .rare = true,
                        .yours = expression});
  };
  without(n - 1, "last", "k < " + std::to_string(n - 1));
  without(0, "first", "k >= 1");
  return variants;
}

namespace {

/// A loop over the heads that leaves out the first or the last one.
void add_heads_left_out(const Dims& dims, Variants& variants) {
  if (dims.heads < 2) return;
  for (const Index head : {dims.heads - 1, Index{0}}) {
    const Rule rule = [head](const Trace&, const Usual& usual) { return silenced(usual(), std::span(&head, 1)); };
    variants.push_back({.explanation = "Head " + std::to_string(head) +
                                       " is left out: its outputs are 0. Write concat = torch.cat(all_heads, dim=-1).",
                        .rules = {{Stage::head_outputs, rule}},
                        .rare = true,
                        .yours = std::to_string(dims.heads - 1),
                        .here = std::to_string(dims.heads)});
  }
}

}  // namespace

Variants channels_left_out(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const Index d = run.dims().d_head;
  Variants variants;
  add_heads_left_out(run.dims(), variants);
  if (run.has(Stage::Q_rotated) && rotation_of(run, Stage::Q_rotated).turned() < d) {
    const Index turned = rotation_of(run, Stage::Q_rotated).turned();
    for (const bool rotated : {true, false}) {
      const Index first = rotated ? 0 : turned, count = rotated ? turned : d - turned;
      const Rule rule = [first, count](const Trace& t, const Usual&) {
        const Tensor q = t[t.standing_for(Stage::Q_scaled).value()], k = t[t.standing_for(Stage::K_rotated).value()];
        return gather_values(q.slice(3, first, count).contiguous(),
                             k.slice(3, first, count).transpose(2, 3).contiguous());
      };
      variants.push_back({.explanation = std::string("Only the channels that RoPE ") +
                                         (rotated ? "rotates" : "passes on") +
                                         " are multiplied. Write q = torch.cat((apply_rotary(q_rot), q_pass), -1).",
                          .rules = {{Stage::scores, rule}},
                          .yours = std::to_string(count),
                          .here = std::to_string(d)});
    }
  }
  if (d < 4 || d % 2 != 0) return variants;
  for (const Index first : {Index{0}, d / 2}) {
    const Rule rule = [first, half = d / 2](const Trace& t, const Usual&) {
      const Tensor q = t[t.standing_for(Stage::Q_scaled).value()], k = t[t.standing_for(Stage::K_rotated).value()];
      return gather_values(q.slice(3, first, half).contiguous(), k.slice(3, first, half).transpose(2, 3).contiguous());
    };
    variants.push_back(
        {.explanation = std::string("Only the ") + (first == 0 ? "first" : "last") +
                        " half of a head's channels is multiplied. Write scores = q @ k.transpose(-2, -1).",
         .rules = {{Stage::scores, rule}},
         .yours = std::to_string(d / 2),
         .here = std::to_string(d)});
  }
  return variants;
}

}  // namespace headlight::mistakes
