// Axes that changed places: attention over the batch or the heads, features interleaved over heads, packed projections
// read in another order, a softmax or a norm once more or over another axis.

#include <algorithm>
#include <array>

#include "core/compute/attention/projection.h"
#include "core/compute/attention/sweep.h"
#include "core/teaching/diagnosis/mistakes.h"

namespace headlight::mistakes {
namespace {

Tensor first_two_swapped(const Tensor& x) { return x.transpose(0, 1).contiguous(); }
Tensor middle_two_swapped(const Tensor& x) { return x.transpose(1, 2).contiguous(); }

/// "Here B = n, so that no shape shows it. ", where two sizes are equal.
std::string hidden_by(bool equal, const std::string& sizes) {
  return equal ? "Here " + sizes + ", so that no shape shows it. " : "";
}

}  // namespace

Variants attention_over_batch(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const Dims& d = run.dims();
  const bool projected = run.inputs.first_stage() == Stage::query && run.inputs.query.rank() == 3;
  if (!projected || d.n_q != d.n_k || d.n_q < 2 || run.inputs.query.shape() != run.inputs.key.shape()) return {};
  const std::string text =
      "Batch and words have changed places: a word attends to the words at its own position in the "
      "other sequences. " +
      hidden_by(d.batch == d.n_q, "B = n") + "Write nn.MultiheadAttention(..., batch_first=True).";
  Variants variants;
  for (const auto& [masked, only_output] :
       {std::pair(true, false), std::pair(true, true), std::pair(false, false), std::pair(false, true)}) {
    if (masked && run.scenario.mask.empty()) continue;
    Variant& variant = variants.emplace_back(Variant{text});
    variant.inputs = [](Inputs& in) {
      for (Tensor* each : {&in.query, &in.key, &in.value}) *each = first_two_swapped(*each);
      std::swap(in.dims.batch, in.dims.n_q);
      in.dims.n_k = in.dims.n_q;
      in.query_tokens = in.key_tokens = {};
      in.valid_lens = in.doc_ids = in.file_mask = in.attn_bias = {};
      in.file_rule.reset();
    };
    variant.settings = [masked = masked](Scenario& s) {
      s.valid_lens.clear();
      s.painted.clear();
      s.attn_bias.reset();
      if (!masked) s.mask.clear();
    };
    variant.saved[Stage::output] = first_two_swapped;
    if (only_output) continue;  // the others are saved as they are on the way
    for (const Stage stage : {Stage::query, Stage::key, Stage::value, Stage::Q, Stage::K, Stage::V, Stage::concat})
      variant.saved[stage] = first_two_swapped;
  }
  return variants;
}

namespace {

/// Attention among the heads of each position, as [B, n, H, …]: the scores' stages, and the outputs.
std::map<Stage, Tensor> over_heads(const Trace& t) {
  const Tensor queries = t[*t.standing_for(Stage::Q_scaled)];
  const auto turned = [&](Stage stage) {
    return middle_two_swapped(with_heads_of(queries, t[*t.standing_for(stage)]));
  };
  ScoreSteps steps;
  steps.queries = middle_two_swapped(queries);
  steps.keys = turned(Stage::K_rotated);
  if (!t.scenario.scale_first) steps.scale = ScaleParameters{t.scale};
  if (t.scenario.softcap) steps.cap = CapParameters{*t.scenario.softcap};
  const SweptStages swept = sweep(steps, Stage::scores, Stage::weights, {});
  std::map<Stage, Tensor> made;
  for (const Stage stage : {Stage::scores, Stage::scaled_scores, Stage::capped_scores, Stage::weights}) {
    if (swept[stage].defined()) made[stage] = swept[stage];
  }
  made[Stage::masked_scores] = made.contains(Stage::capped_scores)   ? made[Stage::capped_scores]
                               : made.contains(Stage::scaled_scores) ? made[Stage::scaled_scores]
                                                                     : made[Stage::scores];
  made[Stage::head_outputs] = gather_values(swept[Stage::weights], turned(Stage::V_heads));
  return made;
}

}  // namespace

Variants attention_over_heads(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const Dims& d = run.dims();
  if (d.heads < 2 || d.n_q != d.n_k || !run.has(Stage::V_heads)) return {};
  const std::map<Stage, Tensor> made = over_heads(run);
  Variant variant{"Heads and words have changed places: the heads of one word attend to each other. " +
                  hidden_by(d.heads == d.n_q, "H = n") + "Write q.view(B, n, H, d_head).transpose(1, 2)."};
  variant.rules[Stage::head_outputs] = [](const Trace& t, const Usual&) {
    return middle_two_swapped(over_heads(t).at(Stage::head_outputs));
  };
  for (const auto& [stage, tensor] : made) {
    if (stage != Stage::head_outputs) variant.saved[stage] = [tensor = tensor](const Tensor&) { return tensor; };
  }
  Variant merged = variant;
  merged.rules[Stage::concat] = [](const Trace& t, const Usual&) {
    const Tensor& heads = t[Stage::head_outputs];
    return heads.contiguous().view({heads.size(0), heads.size(2), heads.size(1) * heads.size(3)});
  };
  return {variant, merged};
}

Variants batch_and_heads_swapped(const Suspect& suspect) {
  const Dims& d = suspect.run.dims();
  if (d.batch < 2 || d.heads < 2) return {};
  const auto read_swapped = [](const Tensor& x) {  // [B, H, …] in memory, read as [H, B, …]
    return first_two_swapped(x.contiguous().view({x.size(1), x.size(0), x.size(2), x.size(3)}));
  };
  const auto laid_swapped = [](const Tensor& x) {  // [H, B, …] in memory, read as [B, H, …]
    return first_two_swapped(x).view(x.shape());
  };
  const std::string why = " changed places in a view: a head of one sequence is taken for a head of another. " +
                          hidden_by(d.batch == d.heads, "B = H") + "Write x.view(B, H, n, d_head).";
  using Stages = std::vector<Stage>;
  Variants variants;
  for (const Stages& stages :
       {Stages{Stage::head_outputs}, Stages{Stage::V_heads}, Stages{Stage::weights},
        Stages{Stage::K_heads, Stage::V_heads}, Stages{Stage::K_heads}, Stages{Stage::Q_heads},
        Stages{Stage::Q_heads, Stage::K_heads}, Stages{Stage::Q_heads, Stage::K_heads, Stage::V_heads}}) {
    std::vector<std::string> names;
    for (const Stage stage : stages) names.emplace_back(name(stage));
    for (const auto& swap :
         {std::function<Tensor(const Tensor&)>(read_swapped), std::function<Tensor(const Tensor&)>(laid_swapped)}) {
      Variant& variant = variants.emplace_back(Variant{"Batch and heads of " + joined_by_and(names) + why});
      for (const Stage stage : stages)
        variant.rules[stage] = [swap](const Trace&, const Usual& usual) { return swap(usual()); };
    }
  }
  return variants;
}

namespace {

/// view(B, n, d_head, H): head h has the channels h, h + H, h + 2 H …
Tensor split_by_feature(const Tensor& x, Index heads) {
  return x.contiguous()
      .view({x.size(0), x.size(1), x.size(2) / heads, heads})
      .transpose(2, 3)
      .transpose(1, 2)
      .contiguous();
}

Tensor merged_by_feature(const Tensor& heads) {  // [B, n, d, H]
  const Tensor turned = heads.transpose(1, 2).transpose(2, 3).contiguous();
  return turned.view({heads.size(0), heads.size(2), heads.size(1) * heads.size(3)});
}

}  // namespace

Variants split_interleaved(const Suspect& suspect) {
  const Dims& d = suspect.run.dims();
  if (d.heads < 2) return {};
  struct HeadSplit {
    Stage channels, heads;
    Index count;
  };
  const std::array<HeadSplit, 3> splits{{{Stage::Q, Stage::Q_heads, d.heads},
                                         {Stage::K, Stage::K_heads, d.kv_heads},
                                         {Stage::V, Stage::V_heads, d.kv_heads}}};
  Variants variants;
  for (const bool merged : {true, false}) {
    for (const unsigned set : {7U, 3U, 6U, 4U, 1U, 2U, 5U}) {
      Variant variant;
      std::vector<std::string> names;
      for (std::size_t i = 0; i < splits.size(); ++i) {
        if ((set >> i & 1U) == 0 || splits[i].count < 2) continue;
        const HeadSplit& split = splits[i];
        names.emplace_back(name(split.channels));
        variant.rules[split.heads] = [split](const Trace& t, const Usual&) {
          return split_by_feature(t[split.channels], split.count);
        };
      }
      if (names.empty()) continue;
      if (merged) {
        variant.rules[Stage::concat] = [](const Trace& t, const Usual&) {
          return merged_by_feature(t[Stage::head_outputs]);
        };
      }
      variant.explanation = "The features of " + joined_by_and(names) +
                            " are interleaved over the heads: head h takes the channels h, h + H, h + 2 H …" +
                            (merged ? ", and they are merged in the same order" : "") + ". Write " + names.front() +
                            ".view(B, n, H, d_head).transpose(1, 2).";
      variants.push_back(std::move(variant));
    }
  }
  return variants;
}

namespace {

// A packed projection's rows in some order of its axes: s (query, key, value), h (head), c (channel of the head).
struct PackedOrder {
  const char* name;
  std::array<int, 3> axes;  ///< the outermost first: 0 = s, 1 = h, 2 = c
};
constexpr PackedOrder packed_orders[] = {{"[3, H, d_head]", {0, 1, 2}}, {"[H, 3, d_head]", {1, 0, 2}},
                                         {"[3, d_head, H]", {0, 2, 1}}, {"[d_head, 3, H]", {2, 0, 1}},
                                         {"[H, d_head, 3]", {1, 2, 0}}, {"[d_head, H, 3]", {2, 1, 0}}};

/// [B, n, H·d] for each of query, key and value, whose channels are read from the packed ones in the order `read` where
/// they are in the order `real`.
std::array<Tensor, 3> read_in(const PackedOrder& read, const PackedOrder& real, const std::array<Tensor, 3>& right,
                              Index heads) {
  const Index width = right[0].size(2), d = width / heads, rows = right[0].size(0) * right[0].size(1);
  const std::array<Index, 3> sizes{3, heads, d};
  std::array<std::span<const float>, 3> sources;
  std::array<Tensor, 3> packed;
  for (std::size_t s = 0; s < 3; ++s) {
    packed[s] = right[s].contiguous();
    sources[s] = packed[s].values();
  }
  std::array<Tensor, 3> made;
  for (Index s = 0; s < 3; ++s) {
    Buffer values(static_cast<std::size_t>(rows * width), 0);
    for (Index to = 0; to < width; ++to) {
      const std::array<Index, 3> place{s, to / d, to % d};
      Index row = 0;
      for (const int axis : read.axes)
        row = row * sizes[static_cast<std::size_t>(axis)] + place[static_cast<std::size_t>(axis)];
      std::array<Index, 3> from{};
      for (std::size_t i = 3; i-- > 0;) {
        const auto axis = static_cast<std::size_t>(real.axes[i]);
        from[axis] = row % sizes[axis];
        row /= sizes[axis];
      }
      const std::span<const float> source = sources[static_cast<std::size_t>(from[0])];
      for (Index r = 0; r < rows; ++r)
        values[static_cast<std::size_t>(r * width + to)] =
            source[static_cast<std::size_t>(r * width + from[1] * d + from[2])];
    }
    made[static_cast<std::size_t>(s)] = Tensor(right[0].shape(), std::move(values));
  }
  return made;
}

}  // namespace

Variants packed_by_view(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const std::array<Tensor, 3> right{run[Stage::Q], run[Stage::K], run[Stage::V]};
  if (!right[0].defined() || right[0].shape() != right[1].shape() || right[0].shape() != right[2].shape()) return {};
  const Index batch = right[0].size(0), n = right[0].size(1), width = right[0].size(2), heads = run.dims().heads;
  const Index d = width / heads;
  const Tensor packed = joined_along(2, {right[0], right[1], right[2]});  // [B, n, 3 · H · d]
  struct View {
    std::string name;
    std::function<Tensor(Index which)> part;
  };
  const View views[] = {
      {"view(B, 3, H, n, d_head)",
       [&](Index which) {
         return packed.view({batch, 3, heads * n, d}).slice(1, which, 1).contiguous().view({batch, heads, n, d});
       }},
      {"view(B, H, n, 3 * d_head)",
       [&](Index which) {
         return packed.view({batch, heads, n, 3 * d}).slice(3, which * d, d).contiguous();
       }},
      {"view(3, B, H, n, d_head)", [&](Index which) {
         return packed.view({3, batch * heads, n, d}).slice(0, which, 1).contiguous().view({batch, heads, n, d});
       }}};
  Variants variants;
  for (const View& view : views) {
    Variant& variant = variants.emplace_back(Variant{
        "The packed projection [B, n, 3 * H * d_head] is cut by " + view.name +
        " alone, which mixes words with channels. Write q, k, v = qkv.view(B, n, 3, H, d_head).permute(2, 0, 3, "
        "1, 4)."});
    for (Index which = 0; which < 3; ++which) {
      const Stage stage = std::array{Stage::Q_heads, Stage::K_heads, Stage::V_heads}[static_cast<std::size_t>(which)];
      variant.rules[stage] = [tensor = view.part(which)](const Trace&, const Usual&) { return tensor; };
    }
  }
  return variants;
}

Variants packed_by_groups(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const Dims& dims = run.dims();
  const Index groups = dims.kv_heads, repeat = dims.heads / groups;
  if (groups < 2 || repeat < 2 || !run.has(Stage::Q) || run[Stage::Q].size(1) != run[Stage::K].size(1)) return {};
  const auto heads_of = [&](Stage stage, Index heads) { return split_heads(run[stage], heads).transpose(0, 1); };
  const Tensor q = heads_of(Stage::Q, dims.heads).contiguous(), k = heads_of(Stage::K, groups).contiguous(),
               v = heads_of(Stage::V, groups).contiguous();  // heads first
  std::vector<Tensor> by_group;
  for (Index g = 0; g < groups; ++g)
    by_group.insert(by_group.end(), {q.slice(0, g * repeat, repeat), k.slice(0, g, 1), v.slice(0, g, 1)});
  const auto merged = [&](const Tensor& heads_first) {
    return merge_heads(heads_first.transpose(0, 1).contiguous()).contiguous();
  };
  // Place i of what is read is place i of the file, whose heads are in another order.
  const Tensor grouped = joined(by_group), row = joined(std::vector{q, k, v});
  const auto cut = [&](Index first, Index count) { return merged(grouped.slice(0, first, count)); };
  const std::array<Tensor, 3> flat{cut(0, dims.heads), cut(dims.heads, groups), cut(dims.heads + groups, groups)};
  Variants variants{
      Variant{
          "The packed projection [G, H/G + 2, d_head], each group's queries before its key and value, is read as all "
          "queries, all keys, all values. Write qkv.view(B, n, G, H // G + 2, d_head)."},
      Variant{
          "The packed projection of all queries, all keys, all values is read as [G, H/G + 2, d_head], each group's "
          "queries before its key and value. Write q, k, v = qkv.split([H * d_head, G * d_head, G * d_head], -1)."}};
  std::vector<Tensor> q_parts, k_parts, v_parts;
  for (Index g = 0; g < groups; ++g) {
    const Index first = g * (repeat + 2);
    q_parts.push_back(row.slice(0, first, repeat));
    k_parts.push_back(row.slice(0, first + repeat, 1));
    v_parts.push_back(row.slice(0, first + repeat + 1, 1));
  }
  const std::array<Tensor, 3> other{merged(joined(q_parts)), merged(joined(k_parts)), merged(joined(v_parts))};
  for (std::size_t s = 0; s < 3; ++s) {
    const Stage stage = std::array{Stage::Q, Stage::K, Stage::V}[s];
    variants[0].rules[stage] = [tensor = flat[s]](const Trace&, const Usual&) { return tensor; };
    variants[1].rules[stage] = [tensor = other[s]](const Trace&, const Usual&) { return tensor; };
  }
  return variants;
}

Variants packed_reordered(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const std::array<Tensor, 3> right{run[Stage::Q], run[Stage::K], run[Stage::V]};
  if (!right[0].defined() || right[0].shape() != right[1].shape() || right[0].shape() != right[2].shape()) return {};
  Variants variants;
  for (const PackedOrder& real : {packed_orders[0], packed_orders[1]}) {
    for (const PackedOrder& read : packed_orders) {
      if (read.axes == real.axes) continue;
      Variant& variant = variants.emplace_back(Variant{
          std::string("The packed projection of queries, keys and values is read as ") + read.name + "; it is " +
          real.name + ", so that heads take each other's features. Write q, k, v = qkv.view(B, n, " +
          std::string(real.name).substr(1, std::string(real.name).size() - 2) + ").unbind(" +
          (real.axes[0] == 0 ? "2" : "3") + ")."});
      const std::array<Tensor, 3> wrong = read_in(read, real, right, run.dims().heads);
      for (std::size_t s = 0; s < 3; ++s) {
        const Stage stage = std::array{Stage::Q, Stage::K, Stage::V}[s];
        variant.rules[stage] = [tensor = wrong[s]](const Trace&, const Usual&) { return tensor; };
      }
    }
  }
  return variants;
}

}  // namespace headlight::mistakes
