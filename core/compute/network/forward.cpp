#include "core/compute/network/forward.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <thread>

#include "core/base/tensor/error.h"
#include "core/compute/attention/projection.h"
#include "core/compute/network/key_cache.h"
#include "core/compute/network/pictures.h"
#include "core/compute/network/weights.h"
#include "core/rules/position/relative_bias.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/inputs/scenario_rules.h"
#include "core/scenario/inputs/seeded.h"

namespace headlight {
namespace {

int threads_of(const RunOptions& options) {
  return options.threads > 0 ? options.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void apply(const Network& network, const LayerChange& change, AttentionCall& call) {
  call.scenario = change.settings;
  network.take_rules(change.layer, call.scenario);
  network.cut_heads(change.layer, change.settings, call.inputs);
  call.inputs.rules = rules_under(change.settings, std::move(call.inputs.rules));
  add_positions(change.settings, call.inputs);
  add_settings({call.scenario, nullptr, nullptr}, call.inputs);
  set_head_size(call.scenario, call.inputs.dims);
}

Tensor joined_arrays(const Checkpoint& checkpoint, const std::vector<std::string>& names) {
  std::vector<Tensor> parts;
  for (const std::string& name : names) {
    const Tensor part = checkpoint.load(name);
    parts.push_back(part.view({part.count()}));
  }
  return joined(parts);
}

void read_rules(const Checkpoint& checkpoint, const AttentionSpec& spec, Index count, Rules& own) {
  // The settings can describe a rotation of the whole head by powers of one base.
  const bool whole_head = 2 * static_cast<Index>(spec.rope.frequencies.size()) == spec.d_head;
  const bool stretched = spec.rope.original > 0 && count > spec.rope.original;
  if (spec.rope.base == 0 || !whole_head || stretched) own.rope_frequencies = frequencies_for(spec.rope, count);
  own.rope_gain = stretched && spec.rope.long_gain > 0 ? spec.rope.long_gain : spec.rope.gain;
  if (spec.q_norm.kind != NormKind::none) {
    own.norm_kind = spec.q_norm.kind == NormKind::rms ? QkNorm::rms : QkNorm::layer;
    const auto flat = [&](const Tensor& gains) {
      return gains.defined() ? gains.view({gains.count()}) : Tensor::full({spec.d_head}, 1);
    };
    const Norm q_norm = read_norm(checkpoint, spec.q_norm), k_norm = read_norm(checkpoint, spec.k_norm);
    own.q_norm = spec.q_gains.empty() ? flat(q_norm.weight) : joined_arrays(checkpoint, spec.q_gains);
    own.k_norm = spec.k_gains.empty() ? flat(k_norm.weight) : joined_arrays(checkpoint, spec.k_gains);
    own.q_norm_bias = q_norm.bias;
    own.k_norm_bias = k_norm.bias;
    own.qk_epsilon = spec.q_norm.epsilon;
    own.norm_over_heads = spec.norm_whole;
  }
  if (!spec.sinks.empty()) own.sink_logits = checkpoint.load(spec.sinks);
  own.mask = layer_mask(spec);
}

/// The rows of the last block's output [B, n, width] that the head reads: of a picture only the first token, where the
/// head reads no other.
Tensor head_input(const NetworkSpec& spec, const Tensor& final) {
  const bool first = spec.picture && spec.head.reads == HeadReads::first;
  return first ? final.slice(1, 0, 1).contiguous() : final;
}

}  // namespace

bool keeps_weights(const NetworkRun& run, Index layer, const RunOptions& options) {
  const std::span<const NetworkLayer> layers = run.network->layers();
  const Index maps = std::ssize(layers) * run.heads_of(layer) * run.queries_of(layer).size();
  return options.weights && maps * run.queries_of(layer).count() * run.keys_of(layer).count() <= options.most_weights;
}

bool keeps_parts(const NetworkRun& run, Index layer, const RunOptions& options) {
  const TokenBatch& rows = run.queries_of(layer);
  const Index numbers = std::ssize(run.network->layers()) * rows.size() * rows.count() * run.network->spec().width;
  return options.parts && 3 * numbers <= options.most_weights;
}

Forward::Forward(const Network& network, const Checkpoint& checkpoint, const RunOptions& options)
    : network_(network), checkpoint_(checkpoint), options_(options) {
  workers_.threads = threads_of(options);
  workers_.stop = options.stop;
  const bool in_order = std::ranges::all_of(network.spec().stacks.back().blocks,
                                            [](const BlockSpec& block) { return block.attention.causal; });
  if (in_order && !network.spec().takes_tensors && !options.change && options.patches.empty() && !options.from)
    cache_ = options.cache;
}

Tensor Forward::normed(const Tensor& x, const NormSpec& norm) const {
  return normalise(x, read_norm(checkpoint_, norm), workers_);
}

Tensor Forward::through(const Tensor& x, const LinearSpec& spec) const {
  if (!spec.there()) return x;
  const Linear linear = read_linear(checkpoint_, spec);
  return project(x, linear.weight, linear.bias, workers_);
}

AttentionCall Forward::call(const NetworkRun& run, Index layer, const Tensor& residual) const {
  const bool cross = network_.layer(layer).cross;
  const BlockSpec& block = network_.block_of(layer);
  const AttentionSpec& spec = network_.attention_of(layer);
  AttentionCall made;
  network_.take_rules(layer, made.scenario);
  Inputs& in = made.inputs;
  in.query = normed(residual, cross ? block.before_cross : block.before_attention);
  in.key = in.value = cross ? run.encoded : in.query;
  in.packed = spec.q.weight == spec.k.weight;
  if (spec.latent) add_latents(spec, in);
  const Tensor all = in.packed ? checkpoint_.load(spec.q.weight) : Tensor();
  const auto read = [&](const LinearSpec& linear, Tensor& weight, Tensor& bias) {
    const Linear loaded = read_linear(checkpoint_, linear, linear.weight == spec.q.weight ? all : Tensor());
    weight = loaded.weight;
    bias = loaded.bias;
  };
  read(spec.q, in.W_q, in.b_q);
  if (!spec.latent) read(spec.k, in.W_k, in.b_k), read(spec.v, in.W_v, in.b_v);
  read(spec.o, in.W_o, in.b_o);
  Dims& dims = in.dims;
  dims = {residual.size(0),
          spec.heads,
          spec.kv_heads,
          in.query.size(1),
          in.key.size(1),
          in.query.size(2),
          in.key.size(2),
          in.value.size(2),
          spec.heads * spec.d_head,
          spec.d_head,
          in.W_o.defined() ? in.W_o.size(0) : in.W_v.size(0) / spec.kv_heads * spec.heads};
  if (const auto& picture = network_.spec().picture)
    in.grid = {picture->rows, picture->columns, dims.n_k - picture->rows * picture->columns};
  const Index first = network_.is_in_last_stack(layer) ? run.first : 0;  // the first query's position
  Rules& own = in.rules;
  read_rules(checkpoint_, spec, std::max(run.queries_of(layer).count(), run.keys_of(layer).count()), own);
  own.first_position = first;
  for (const auto& [silent_layer, head] : run.knock_out) {
    if (silent_layer == layer) own.silent_heads.push_back(head);
  }
  if (first > 0) return made;  // the cached keys are still missing; with_earlier() adds them, the masks and the biases
  if (!network_.spec().takes_tensors) {
    in.query_tokens = run.queries_of(layer).names();
    in.key_tokens = run.keys_of(layer).names();
  }
  add_rules(run, layer, 0, 0, in);
  if (spec.places) add_places(spec, in);
  return made;
}

void Forward::add_latents(const AttentionSpec& spec, Inputs& in) const {
  const LatentSpec& latent = *spec.latent;
  const Tensor down = through(in.query, latent.kv_down);
  in.value = normed(down.slice(2, 0, latent.rank).contiguous(), latent.kv_norm);
  in.key = joined_columns(in.value, down.slice(2, latent.rank, latent.rotated));
  in.query = normed(through(in.query, latent.q_down), latent.q_norm);
  const LatentWeights weights = read_latent(checkpoint_, latent, spec.heads);
  in.W_k = weights.keys;
  in.W_v = weights.values;
}

void Forward::add_places(const AttentionSpec& spec, Inputs& in) const {
  const PlacesSpec& places = *spec.places;
  const Tensor table = checkpoint_.load(places.table);
  const Tensor rows = normed(table.view({1, table.size(0), table.size(1)}), places.norm);
  const auto heads = [&](const Tensor& channels) { return split_heads(channels, spec.heads); };
  PlacesTerms terms = places_terms(places, heads(project(in.query, in.W_q, in.b_q, workers_)),
                                   heads(project(in.key, in.W_k, in.b_k, workers_)), heads(through(rows, places.query)),
                                   heads(through(rows, places.key)), spec.scale);
  in.attn_bias = plus(terms.to_place, terms.from_place);
  in.rules.to_place = std::move(terms.to_place);
  in.rules.from_place = std::move(terms.from_place);
}

void Forward::add_rules(const NetworkRun& run, Index layer, Index offset, Index first_key, Inputs& in) const {
  const AttentionSpec& spec = network_.attention_of(layer);
  const TokenBatch& keys = run.keys_of(layer);
  const Dims& dims = in.dims;
  if (keys.padded()) in.valid_lens = keys.lengths_from(first_key);
  if (const auto& relative = spec.relative)
    in.attn_bias = t5_bias(checkpoint_.load(relative->table), relative->bidirectional, dims.n_q, dims.n_k, offset,
                           relative->furthest);
  if (!spec.slopes.empty()) in.attn_bias = bias_of_slopes(spec.slopes, dims.n_q, dims.n_k, offset);
  if (spec.scaled_alibi) in.attn_bias = falcon_alibi(spec.heads, dims.n_q, dims.n_k, spec.scale);
  if (!spec.masks.empty()) add_torch_masks(checkpoint_, spec, in);
}

AttentionCall Forward::with_earlier(const NetworkRun& run, Index layer, AttentionCall own, const Run& how) const {
  const bool cross = network_.layer(layer).cross;
  const AttentionSpec& spec = network_.attention_of(layer);
  Inputs& in = own.inputs;
  if (cross && cache_->kept(layer).keys.defined()) {
    in.key = in.value = Tensor();
    in.K_heads = cache_->kept(layer).keys;
    in.V_heads = cache_->kept(layer).values;
  }
  Run heads_alone = how;
  heads_alone.last = Stage::K_rotated;
  const Tensor W_o = in.W_o, b_o = in.b_o;
  const auto trace = compute(own.scenario, std::move(in), nullptr, heads_alone);
  const auto computed = [&](Stage stage) { return (*trace)[*trace->standing_for(stage)]; };
  const KeyCache::Kept kept =
      cross ? cache_->keep(layer, computed(Stage::K_rotated), computed(Stage::V_heads))
            : cache_->extend(layer, computed(Stage::K_rotated), computed(Stage::V_heads), spec.window);
  AttentionCall all{std::move(own.scenario), {}};
  all.inputs.dims = trace->dims();
  all.inputs.dims.n_k = kept.keys.size(2);
  all.inputs.Q_heads = computed(Stage::Q_rotated);
  all.inputs.K_heads = kept.keys;
  all.inputs.V_heads = kept.values;
  all.inputs.W_o = W_o;
  all.inputs.b_o = b_o;
  all.inputs.rules.silent_heads = trace->inputs.rules.silent_heads;
  all.inputs.rules.sink_logits = trace->inputs.rules.sink_logits;
  const Index offset = cross ? 0 : run.first - kept.first;
  all.scenario.rope = Rope::none;
  all.scenario.qk_norm = QkNorm::none;
  all.scenario.query_offset = offset;
  all.inputs.rules.mask = layer_mask(spec, offset > 0);  // the new queries are the last of the kept keys
  all.scenario.mask = all.inputs.rules.mask ? all.inputs.rules.mask->text() : "";
  add_rules(run, layer, offset, kept.first, all.inputs);
  return all;
}

Tensor Forward::attend(Index layer, const Tensor& residual, NetworkRun& run) const {
  LayerRun& record = run.layers[static_cast<std::size_t>(layer)];
  record.residual = residual;
  if (options_.until == layer) throw Stop();
  if (options_.apart && options_.apart->layer == layer) {
    const Linear projection = read_linear(checkpoint_, network_.attention_of(layer).o);
    return project(merge_heads(heads_apart()), projection.weight, projection.bias, workers_);
  }
  AttentionCall made = call(run, layer, residual);
  if (run.change && run.change->layer == layer) apply(network_, *run.change, made);
  Run how{.threads = options_.threads, .stop = options_.stop, .progress = {}};
  how.scores_kept.emplace();
  if (cache_ && network_.is_in_last_stack(layer)) made = with_earlier(run, layer, std::move(made), how);
  const bool weights_kept = keeps_weights(run, layer, options_);
  if (weights_kept || options_.summaries) how.scores_kept->push_back(Stage::weights);
  const Tensor W_o = made.inputs.W_o, b_o = made.inputs.b_o;
  const auto trace = compute(made.scenario, std::move(made.inputs), nullptr, how);
  const Tensor& weights = (*trace)[Stage::weights];
  if (weights_kept) record.weights = weights;
  if (options_.summaries) {
    record.summary = summary_of(weights, run.queries_of(layer), run.keys_of(layer));
    record.summary.entering = sizes_of(residual);
  }
  const Tensor& head_outputs = (*trace)[Stage::head_outputs];
  const Tensor heads = with_means(head_outputs, layer, run.knock_out);
  if (keeps_parts(run, layer, options_)) {
    record.heads = heads;
    record.values = (*trace)[Stage::V_heads];
  }
  const Tensor changed = patched(heads, Patch::What::heads, layer);
  return identical(changed, head_outputs) ? (*trace)[Stage::output] : project(merge_heads(changed), W_o, b_o, workers_);
}

Tensor Forward::run_block(Index stack, Index block, Tensor x, NetworkRun& run) const {
  const Index self = network_.layer_at(stack, block).value();
  const BlockSpec& spec = network_.block_of(self);
  const auto add_attention = [&](bool cross, const NormSpec& after, const NormSpec& sum) {
    const Index layer = network_.layer_at(stack, block, cross).value();
    const Tensor added = times(normed(attend(layer, x, run), after), spec.multiplier);
    run.layers[static_cast<std::size_t>(layer)].added = added;
    if (options_.summaries) run.layers[static_cast<std::size_t>(layer)].summary.added = sizes_of(added);
    if (spec.parallel) return added;
    x = normed(plus(x, added), sum);
    return added;
  };
  x = patched(std::move(x), Patch::What::residual, self);
  const Tensor before = x;
  const Tensor added = add_attention(false, spec.after_attention, spec.attention_sum);
  if (spec.cross) add_attention(true, {}, spec.cross_sum);
  const Tensor mlp_output = fed_by(spec, self, spec.parallel ? before : x, run);
  if (spec.parallel) x = plus(before, added);
  if (!mlp_output.defined()) return x;
  return normed(plus(x, mlp_output, spec.multiplier), spec.mlp_sum);
}

Tensor Forward::run_stack(Index stack, NetworkRun& run) const {
  const StackSpec& spec = network_.spec().stacks[static_cast<std::size_t>(stack)];
  const Tensor& input = stack == 1 ? run.text.decoder_x : run.text.x;
  const Place first = begin(run);
  const bool resumes = options_.from != nullptr && first.stack == stack;
  Tensor x = resumes ? run.layers[static_cast<std::size_t>(network_.layer_at(stack, first.block).value())].residual
             : input.defined() ? input
                               : embed(spec, run.text, stack + 1 == std::ssize(network_.spec().stacks) ? run.first : 0);
  for (auto block = static_cast<std::size_t>(resumes ? first.block : 0); block < spec.blocks.size(); ++block) {
    if (options_.stop.stop_requested()) throw Cancelled();
    x = run_block(stack, static_cast<Index>(block), std::move(x), run);
  }
  return x;
}

Tensor Forward::encode(NetworkRun& run) const {
  return normed(run_stack(0, run), network_.spec().stacks[0].final_norm);
}

void Forward::fill(NetworkRun& run) const {
  take_over(run);
  try {
    const bool two = network_.spec().stacks.size() == 2;
    if (two && cache_ && !run.encoded.defined()) run.encoded = cache_->encoded_for(run);
    if (two && !run.encoded.defined()) run.encoded = encode(run);
    run.first = cache_ ? cache_->begin(run) : 0;
    run.final = run_stack(two ? 1 : 0, run);
  } catch (const Stop&) { return; }
  if (cache_) cache_->end();
  if (options_.logits != RunOptions::Logits::none) run.logits = logits(head_input(network_.spec(), run.final));
}

}  // namespace headlight
