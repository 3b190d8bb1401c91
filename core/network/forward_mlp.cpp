#include <cmath>

#include "core/architecture/checkpoint.h"
#include "core/network/forward.h"
#include "core/network/layers.h"

namespace headlight {

Tensor Forward::hidden(const MlpSpec& spec, const Tensor& x) const {
  const Tensor up = through(x, spec.up);
  if (spec.limit > 0 && !spec.gate.there()) {
    const Tensor pairs = up.view({up.size(0), up.size(1), up.size(2) / 2, 2});
    const auto every_other = [&](Index first) {
      return pairs.slice(3, first, 1).contiguous().view({up.size(0), up.size(1), up.size(2) / 2});
    };
    return gated_within(every_other(0), every_other(1), spec.limit, workers_);
  }
  if (spec.limit > 0) return gated_within(through(x, spec.gate), up, spec.limit, workers_);
  return spec.gate.there() ? gated(through(x, spec.gate), up, spec.activation, workers_)
                           : activate(up, spec.activation, workers_);
}

Tensor Forward::feed_forward(const MlpSpec& spec, const Tensor& x) const { return through(hidden(spec, x), spec.down); }

Tensor Forward::mix(const MixtureSpec& spec, const Tensor& x, Tensor& shares) const {
  const Index width = x.size(-1), tokens = x.count() / width, count = std::ssize(spec.experts);
  const Tensor rows = x.contiguous();
  const Tensor correction = spec.correction.empty() ? Tensor() : checkpoint_.load(spec.correction);
  shares = shares_of_experts(through(rows, spec.router), spec,
                             correction.defined() ? correction.values() : std::span<const float>());
  Buffer sum(static_cast<std::size_t>(x.count()), 0.0F);
  const auto add = [&](const MlpSpec& expert, const std::vector<std::pair<Index, float>>& chosen, bool share_before) {
    Buffer values;
    for (const auto& [token, share] : chosen) {
      for (Index c = 0; c < width; ++c)
        values.push_back((share_before ? share : 1) * rows.values()[static_cast<std::size_t>(token * width + c)]);
    }
    const Tensor output = feed_forward(expert, Tensor({1, std::ssize(chosen), width}, std::move(values))).contiguous();
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      for (Index c = 0; c < width; ++c)
        sum[static_cast<std::size_t>(chosen[i].first * width + c)] +=
            (share_before ? 1 : chosen[i].second) *
            output.values()[i * static_cast<std::size_t>(width) + static_cast<std::size_t>(c)];
    }
  };
  for (Index expert = 0; expert < count; ++expert) {
    std::vector<std::pair<Index, float>> chosen;
    for (Index token = 0; token < tokens; ++token) {
      const float share = shares.values()[static_cast<std::size_t>(token * count + expert)];
      if (share > 0) chosen.emplace_back(token, share);
    }
    if (!chosen.empty()) add(spec.experts[static_cast<std::size_t>(expert)], chosen, spec.share_before);
  }
  if (!spec.shared) return Tensor(x.shape(), std::move(sum));
  const Tensor gates = through(rows, spec.shared_gate).contiguous();
  std::vector<std::pair<Index, float>> all;
  for (Index token = 0; token < tokens; ++token)
    all.emplace_back(
        token, spec.shared_gate.there() ? 1 / (1 + std::exp(-gates.values()[static_cast<std::size_t>(token)])) : 1.0F);
  add(*spec.shared, all, false);
  return Tensor(x.shape(), std::move(sum));
}

Tensor Forward::fed_by(const BlockSpec& block, Index layer, const Tensor& x, NetworkRun& run) const {
  if (!block.mlp && !block.mixture) return {};
  const Tensor in = normed(x, block.before_mlp);
  const Tensor output = block.mlp ? feed_forward(*block.mlp, in)
                                  : mix(*block.mixture, in, run.layers[static_cast<std::size_t>(layer)].experts);
  const Tensor added = normed(output, block.after_mlp);
  if (keeps_parts(run, layer, options_)) run.layers[static_cast<std::size_t>(layer)].mlp = added;
  return patched(added, Patch::What::mlp, layer);
}

}  // namespace headlight
