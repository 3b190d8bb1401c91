// Mistakes with heads: split, merged, rotated, grouped or averaged in a wrong way.

#include "core/base/tensor/each_matrix.h"
#include "core/compute/attention/norm_and_rotation.h"
#include "core/compute/attention/projection.h"
#include "core/compute/attention/sweep.h"
#include "core/compute/run/stage_steps.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/weight_recovery.h"

namespace headlight::mistakes {
namespace {

/// Key/value heads in the order 0, 1, … G − 1, 0, 1, … instead of 0, 0, …, 1, 1, …
Tensor tiled(const Tensor& heads, Index times) {
  const Tensor packed = heads.contiguous();
  const Shape& s = heads.shape();
  const Tensor block = packed.view({s[0], 1, s[1], s[2] * s[3]});
  return block.expand({s[0], times, s[1], s[2] * s[3]}).view({s[0], times * s[1], s[2], s[3]});
}

Rule split_by_view(Stage channels, Index heads) {
  return [=](const Trace& t, const Usual&) {
    const Tensor& x = t[channels];
    return x.view({x.size(0), heads, x.size(1), x.size(2) / heads});
  };
}

/// [B, H, …] in which each head is the mean of its group of `size` neighbours.
Tensor averaged_in_groups(const Tensor& heads, Index size) {
  std::vector<Tensor> groups;
  for (Index first = 0; first < heads.size(1); first += size)
    groups.push_back(mean_of_heads(heads.slice(1, first, size).contiguous()));
  return joined_along(1, groups);
}

Tensor in_order(const Tensor& heads, const std::vector<Index>& order) {
  std::vector<Tensor> parts;
  for (Index b = 0; b < heads.size(0); ++b) {
    for (const Index head : order) parts.push_back(heads.slice(0, b, 1).slice(1, head, 1));
  }
  return joined(parts).view(heads.shape());
}

/// Every head is multiplied with the part of the output projection that belongs to head 0.
Variants columns_of_head_0(const Trace& run) {
  if (!run.has(Stage::W_o)) return {};
  const Rule rule = [](const Trace& t, const Usual&) {
    const Tensor heads = t[Stage::head_outputs].contiguous();
    Index at = 0;
    const Index d = heads.size(3), width = heads.size(1) * d;
    const Tensor sums = merge_heads(sum_of_heads(heads));
    const Tensor first = each_number(sums, [&](float v) { return at++ % width < d ? v : 0; });
    return project(first, t[Stage::W_o], t[Stage::b_o]);
  };
  return {{.explanation =
               "Each head's outputs are multiplied with the columns of W_o that belong to head 0. Write W_o[:, "
               "h * d_head:(h + 1) * d_head].",
           .rules = {{Stage::output, rule}},
           .rare = true}};
}

/// [B, H, n, d] whose head h takes d channels of [B, n, G · d] from channel h on.
Tensor overlapping(const Tensor& channels, Index heads) {
  const Index d = channels.size(2) / heads;
  std::vector<Tensor> slices;
  for (Index h = 0; h < heads; ++h)
    slices.push_back(channels.slice(2, h, d).contiguous().view({channels.size(0), 1, channels.size(1), d}));
  return joined_along(1, slices);
}

constexpr std::pair<Stage, Stage> splits[] = {
    {Stage::Q, Stage::Q_heads}, {Stage::K, Stage::K_heads}, {Stage::V, Stage::V_heads}};

}  // namespace

Variants split_without_transpose(const Suspect& suspect) {
  const Dims& d = suspect.run.dims();
  Variants variants;
  for (const unsigned set : {7U, 1U, 2U, 4U, 3U, 5U, 6U}) {
    Variant variant;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::size(splits); ++i) {
      if ((set >> i & 1U) == 0) continue;
      const auto [channels, heads] = splits[i];
      names.emplace_back(name(channels));
      variant.rules[heads] = split_by_view(channels, i == 0 ? d.heads : d.kv_heads);
    }
    variant.explanation = joined_by_and(names) + is_or_are(names.size()) +
                          " split by view(B, H, n, d_head) alone, which mixes positions with channels. Write " +
                          names.front() + ".view(B, n, H, d_head).transpose(1, 2).";
    variants.push_back(std::move(variant));
  }
  Variant& keys = variants.emplace_back(
      Variant{"K is turned into [B, H, d_head, n] by reshape or view alone, which mixes positions with channels. Write "
              "Q @ K.transpose(-2, -1)."});
  keys.rules[Stage::scores] = [](const Trace& t, const Usual&) {
    const Tensor k = t[*t.standing_for(Stage::K_rotated)].contiguous();
    ScoreSteps steps;
    steps.queries = t[*t.standing_for(Stage::Q_scaled)];
    steps.keys = k.view({k.size(0), k.size(1), k.size(3), k.size(2)}).transpose(2, 3).contiguous();
    return sweep(steps, Stage::scores, Stage::scores, {})[Stage::scores];
  };
  Variant& overlap = variants.emplace_back(Variant{
      "The heads' slices begin at channel h, not at h * d_head, so that they overlap. Write q[..., h * d_head:(h "
      "+ 1) * d_head]."});
  overlap.rare = true;
  for (std::size_t i = 0; i < std::size(splits); ++i)
    overlap.rules[splits[i].second] = [from = splits[i].first, heads = i == 0 ? d.heads : d.kv_heads](
                                          const Trace& t, const Usual&) { return overlapping(t[from], heads); };
  append(variants, split_not_transposed(suspect));
  append(variants, packed_by_view(suspect));
  return variants;
}

Variants split_not_transposed(const Suspect& suspect) {
  const Dims& d = suspect.run.dims();
  if (d.heads != d.n_q || d.kv_heads != d.n_k || d.heads < 2) return {};
  const Rule untransposed = [](const Trace&, const Usual& usual) { return usual().transpose(1, 2).contiguous(); };
  Variants variants;
  for (const unsigned set : {2U, 1U, 4U, 6U, 3U, 5U}) {  // all three are attention over the heads
    Variant variant;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::size(splits); ++i) {
      if ((set >> i & 1U) == 0) continue;
      names.emplace_back(name(splits[i].first));
      variant.rules[splits[i].second] = untransposed;
    }
    variant.explanation =
        joined_by_and(names) + is_or_are(names.size()) +
        " split by view(B, n, H, d_head), and the heads are not moved before the words. Here H = n, so "
        "that no shape shows it. Write " +
        names.front() + ".view(B, n, H, d_head).transpose(1, 2).";
    variants.push_back(std::move(variant));
  }
  return variants;
}

Variants merge_without_transpose(const Suspect& suspect) {
  const Rule merge = [](const Trace& t, const Usual&) {
    const Tensor& heads = t[Stage::head_outputs];
    return heads.view({heads.size(0), heads.size(2), heads.size(1) * heads.size(3)});
  };
  const std::string write = " Write concat = heads.transpose(1, 2).reshape(B, n, H * d_head).";
  Variants variants{
      {.explanation = "The heads are merged by view(B, n, H·d_head) alone, which mixes heads with positions." + write,
       .rules = {{Stage::concat, merge}}}};
  if (suspect.run.dims().batch == 1) return variants;
  const Rule words_first = [](const Trace& t, const Usual&) {
    const Tensor& heads = t[Stage::head_outputs];
    const Tensor laid = heads.transpose(1, 2).transpose(0, 1).contiguous();  // [n, B, H, d]
    return laid.view({heads.size(0), heads.size(2), heads.size(1) * heads.size(3)});
  };
  variants.push_back({.explanation = "The heads' outputs are laid out as [n, B, H * d_head] and read as [B, n, H * "
                                     "d_head], which mixes the sequences of the batch." +
                                     write,
                      .rules = {{Stage::concat, words_first}},
                      .rare = true});
  return variants;
}

Variants merge_permuted(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const std::string write = " Write concat = heads.transpose(1, 2).reshape(B, n, H * d_head).";
  Variants variants;
  if (run.dims().heads > 1) {
    Variant& channels = variants.emplace_back(
        Variant{"The heads are merged channel by channel, so that a head's numbers stand H apart." + write});
    channels.rules[Stage::concat] = [](const Trace& t, const Usual&) {
      const Tensor heads = t[Stage::head_outputs].transpose(1, 2).transpose(2, 3).contiguous();  // [B, n, d, H]
      return heads.view({heads.size(0), heads.size(1), heads.size(2) * heads.size(3)});
    };
  }
  if (const std::vector<Index> order = head_order(run, suspect.own); !order.empty()) {
    std::vector<std::string> heads;
    for (const Index head : order) heads.push_back(std::to_string(head));
    Variant& permuted = variants.emplace_back(Variant{"The heads are merged in another order: heads " +
                                                      joined_by_and(heads) + " stand side by side." + write});
    permuted.rules[Stage::concat] = [order](const Trace& t, const Usual&) {
      return merge_heads(in_order(t[Stage::head_outputs], order));
    };
  }
  return variants;
}

Variants rope_on_values(const Suspect& suspect) {
  if (!suspect.run.has(Stage::K_rotated)) return {};
  const std::string text =
      "The rotary embedding turns the values too; positions belong to queries and keys alone. Write "
      "q, k = apply_rotary(q, k).";
  const Rule rotated = [](const Trace& t, const Usual& usual) {
    return rotate(usual(), rotation_of(t, Stage::K_rotated));
  };
  const Rule gathered = [](const Trace& t, const Usual&) {
    return gather_values(t[*t.standing_for(Stage::dropped_weights)],
                         rotate(t[Stage::V_heads], rotation_of(t, Stage::K_rotated)));
  };
  return {{.explanation = text, .rules = {{Stage::V_heads, rotated}}},
          {.explanation = text, .rules = {{Stage::head_outputs, gathered}}}};
}

Variants rope_pairing(const Suspect& suspect) {
  const Rope rope = suspect.run.scenario.rope;
  if (rope == Rope::none) return {};
  const bool half = rope == Rope::half;
  Variants variants{
      {half ? "The rotary embedding turns neighbouring channels (2j, 2j + 1) where this model pairs the two halves "
              "(j, j + d_head/2). "
              "Write x * cos + torch.cat((-x[..., d//2:], x[..., :d//2]), -1) * sin."
            : "The rotary embedding turns the two halves (j, j + d_head/2) where this model pairs neighbouring "
              "channels (2j, 2j + 1). "
              "Write torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * torch.polar(ones, angles).",
       [half](Scenario& s) { s.rope = half ? Rope::interleaved : Rope::half; }}};
  append(variants, rope_pairing_of_one(suspect));
  return variants;
}

Variants gqa_tiled(const Suspect& suspect) {
  const Dims& d = suspect.run.dims();
  if (d.kv_heads == 1 || d.kv_heads == d.heads) return {};
  const Rule tile = [times = d.groups()](const Trace&, const Usual& usual) { return tiled(usual(), times); };
  const std::string groups = std::to_string(d.groups());
  Variants variants;
  for (const auto& [stages, who] : {std::pair{std::vector{Stage::K_heads, Stage::V_heads}, "The key/value heads"},
                                    std::pair{std::vector{Stage::K_heads}, "The key heads"},
                                    std::pair{std::vector{Stage::V_heads}, "The value heads"}}) {
    Variant& variant =
        variants.emplace_back(Variant{std::string(who) + " are tiled (0, 1, …, 0, 1, …) where each should serve " +
                                      groups + " neighbouring query heads. Write K = K.repeat_interleave(" + groups +
                                      ", dim=1); V = V.repeat_interleave(" + groups + ", dim=1)."});
    for (const Stage stage : stages) variant.rules[stage] = tile;
  }
  const Rule along_channels = [times = d.groups()](const Trace&, const Usual& usual) {
    const Tensor heads = usual(), words = merge_heads(heads).contiguous();  // [B, n, G · d]
    Buffer values;
    for (const float v : words.values()) values.insert(values.end(), static_cast<std::size_t>(times), v);
    const Tensor repeated({words.size(0), words.size(1), words.size(2) * times}, std::move(values));
    return split_heads(repeated, times * heads.size(1)).contiguous();
  };
  std::vector<Stage> keys{Stage::K_heads};
  for (const Stage later : {Stage::K_normed, Stage::K_rotated}) {
    if (suspect.run.has(later)) keys.push_back(later);
  }
  for (const Stage stage : keys) {
    Variant& channels = variants.emplace_back(Variant{"Each channel of keys and values is repeated " + groups +
                                                      " times, not each head. Write K = K.repeat_interleave(" + groups +
                                                      ", dim=1) of [B, G, n, d_head]."});
    channels.rules[stage] = channels.rules[Stage::V_heads] = along_channels;
    channels.rare = true;
  }
  Variant& averaged =
      variants.emplace_back(Variant{"The queries of a group are averaged before they meet its keys. Write scores = Q @ "
                                    "K.repeat_interleave(" +
                                    groups + ", dim=1).transpose(-2, -1)."});
  averaged.rare = true;
  averaged.rules[Stage::scores] = [times = d.groups()](const Trace&, const Usual& usual) {
    return averaged_in_groups(usual(), times);
  };
  if (d.batch == 1) return variants;
  Variant& along_batch = variants.emplace_back(
      Variant{"The key/value heads are repeated along the batch, so that a sequence's queries meet another sequence's "
              "keys. Write K = K.repeat_interleave(" +
              groups + ", dim=1); V = V.repeat_interleave(" + groups + ", dim=1)."});
  for (const Stage stage : {Stage::K_heads, Stage::V_heads}) {
    along_batch.rules[stage] = [times = d.groups()](const Trace&, const Usual& usual) {
      const Tensor heads = usual().contiguous();
      const std::vector<Tensor> copies(static_cast<std::size_t>(times), heads);
      return joined(copies).view({heads.size(0), times * heads.size(1), heads.size(2), heads.size(3)});
    };
  }
  return variants;
}

Variants heads_averaged(const Suspect& suspect) {
  if (suspect.run.dims().heads == 1) return {};
  const std::string mean = " are the mean over the heads, the same in each head. ";
  const Rule average = [](const Trace&, const Usual& usual) { return mean_of_heads(usual()); };
  Variants variants;
  variants.push_back({"The saved weights" + mean + "Ask nn.MultiheadAttention for average_attn_weights=False."});
  for (const Stage stage : {Stage::weights, Stage::dropped_weights}) variants.back().saved[stage] = mean_of_heads;
  for (const Stage stage :
       {Stage::weights, Stage::head_outputs, Stage::masked_scores, Stage::scaled_scores, Stage::scores}) {
    variants.push_back(
        {.explanation = "The " + std::string(name(stage)) + mean + "Keep the heads apart: leave out mean(dim=1).",
         .rules = {{stage, average}}});
  }
  if (suspect.run.dims().kv_heads > 1)
    variants.push_back({.explanation = "The key/value heads" + mean +
                                       "Write K = K.repeat_interleave(H // G, dim=1); V = "
                                       "V.repeat_interleave(H // G, dim=1).",
                        .rules = {{Stage::K_heads, average}, {Stage::V_heads, average}}});
  const Rule summed = [](const Trace&, const Usual& usual) { return sum_of_heads(usual()); };
  variants.push_back({.explanation = "The sum of the heads' outputs stands in each head's place. Keep the heads apart: "
                                     "write torch.cat(heads, dim=-1).",
                      .rules = {{Stage::head_outputs, summed}},
                      .rare = true});
  append(variants, columns_of_head_0(suspect.run));
  for (const Index one : {Index{0}, suspect.run.dims().heads - 1}) {
    const Rule copied = [one](const Trace&, const Usual& usual) {
      const Tensor heads = usual();
      return heads.slice(1, one, 1).expand(heads.shape()).contiguous();
    };
    for (const Stage stage : {Stage::weights, Stage::head_outputs, Stage::Q_heads}) {
      variants.push_back({.explanation = "The " + std::string(name(stage)) + " of head " + std::to_string(one) +
                                         " stand in each head's place. Keep the heads apart: leave out [:, " +
                                         std::to_string(one) + "].",
                          .rules = {{stage, copied}}});
    }
  }
  return variants;
}

}  // namespace headlight::mistakes
