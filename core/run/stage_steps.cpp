#include "core/run/stage_steps.h"

#include <algorithm>

#include "core/attention/heads.h"
#include "core/attention/masking.h"
#include "core/attention/projection.h"
#include "core/attention/scores.h"
#include "core/scenario/model_layer.h"

namespace headlight {
namespace {

using Key = StageRecord;

// Numbers of a key are doubles, which hold a float or a count without loss.
void add(Key& key, auto... numbers) { (key.settings.push_back(static_cast<double>(numbers)), ...); }
Index whole(const Key& key, std::size_t i) { return static_cast<Index>(key.settings[i]); }

// ---- Q, K, V, output
Tensor make_projection(const Key& key, const Workers& w) {
  return project(key.sources[0], key.sources[1], key.sources[2], w);
}
double product_work(Index rows, Index inner, Index cols) {
  return 2.0 * static_cast<double>(rows) * static_cast<double>(inner) * static_cast<double>(cols);
}
double query_work(const Inputs& in) {
  return product_work(in.dims.batch * in.dims.n_q, in.dims.d_query, in.dims.heads * in.dims.d_head);
}
double key_work(const Inputs& in) {
  return product_work(in.dims.batch * in.dims.n_k, in.dims.d_key, in.dims.kv_heads * in.dims.d_head);
}
double value_work(const Inputs& in) {
  return product_work(in.dims.batch * in.dims.n_k, in.dims.d_value, in.dims.kv_heads * in.dims.d_head);
}
double output_work(const Inputs& in) {
  return product_work(in.dims.batch * in.dims.n_q, in.dims.heads * in.dims.d_head,
                      in.W_o.defined() ? in.dims.d_out : 0);
}

// ---- Q_heads, K_heads, V_heads
template <Index Dims::*heads>
void count_heads(const Trace& trace, Key& key) {
  add(key, trace.dims().*heads);
}
Tensor make_split(const Key& key, const Workers&) { return split_heads(key.sources[0], whole(key, 0)); }

// ---- Q_normed, K_normed
bool normed(const Scenario& s, const Inputs&) { return s.qk_norm != QkNorm::none; }
template <Stage stage>
void settle_norm(const Trace& trace, Key& key) {
  const HeadNorm norm = norm_of(trace, stage);
  key.sources.insert(key.sources.end(), {norm.gain, norm.bias});
  add(key, static_cast<int>(norm.kind), norm.epsilon, norm.over_all_heads);
}
Tensor make_normed(const Key& key, const Workers& w) {
  return normalise_heads(
      key.sources[0],
      {static_cast<QkNorm>(whole(key, 0)), key.settings[1], key.sources[1], key.settings[2] != 0, key.sources[2]}, w);
}

// ---- Q_rotated, K_rotated
bool rotated(const Scenario& s, const Inputs&) { return s.rope != Rope::none; }
template <Stage stage>
void settle_rotation(const Trace& trace, Key& key) {
  const Rotation turn = rotation_of(trace, stage);
  add(key, static_cast<int>(turn.pairing), turn.gain, turn.first_position);
  key.settings.insert(key.settings.end(), turn.frequencies.begin(), turn.frequencies.end());
}
Tensor make_rotated(const Key& key, const Workers& w) {
  return rotate(key.sources[0],
                {static_cast<Rope>(whole(key, 0)),
                 {key.settings.begin() + 3, key.settings.end()},
                 key.settings[1],
                 whole(key, 2)},
                w);
}

// ---- scores … masked_scores: [B, H, n_q, n_k]
double cells(const Inputs& in) {
  return static_cast<double>(in.dims.batch * in.dims.heads) * static_cast<double>(in.dims.n_q) *
         static_cast<double>(in.dims.n_k);
}
template <int operations>
double a_cell(const Inputs& in) {
  return operations * cells(in);
}
double a_head_product(const Inputs& in) { return 2 * cells(in) * static_cast<double>(in.dims.d_head); }

// The scale is taken after the product, or of the queries before it.
bool scaled_before(const Scenario& s, const Inputs&) { return s.scale_first; }
bool scaled_after(const Scenario& s, const Inputs&) { return !s.scale_first; }
void settle_scale(const Trace& trace, Key& key) { add(key, trace.scale); }
Tensor make_scaled_queries(const Key& key, const Workers& w) {
  return scale_scores(key.sources[0], static_cast<float>(key.settings[0]), w);
}

bool capped(const Scenario& s, const Inputs&) { return s.softcap.has_value(); }
void settle_cap(const Trace& trace, Key& key) { add(key, *trace.scenario.softcap); }

bool biased(const Scenario& s, const Inputs& in) { return s.alibi || s.t5_bias || in.bias.defined(); }
void settle_bias(const Trace& trace, Key& key) {
  key.sources.insert(key.sources.end(), {trace.inputs.bias, trace.t5_table});
  add(key, trace.scenario.alibi, trace.scenario.t5_bidirectional, trace.query_offset);
}

void settle_mask(const Trace& trace, Key& key) {
  const Inputs& in = trace.inputs;
  key.sources = {in.file_mask, in.valid_lens, in.doc_ids};
  key.words = trace.scenario.mask;
  key.painted = trace.scenario.painted;
  add(key, in.dims.batch, in.dims.heads, in.dims.n_q, in.dims.n_k);
}
Tensor make_mask(const Key& key, const Workers& w) {
  Scenario scenario;
  scenario.mask = key.words;
  scenario.painted = key.painted;
  Inputs in;
  in.file_mask = key.sources[0];
  in.valid_lens = key.sources[1];
  in.doc_ids = key.sources[2];
  in.dims.batch = whole(key, 0), in.dims.heads = whole(key, 1), in.dims.n_q = whole(key, 2),
  in.dims.n_k = whole(key, 3);
  return build_mask(scenario, in, w.stop, w.threads);
}

void settle_fill(const Trace& trace, Key& key) { add(key, trace.fill, static_cast<int>(trace.scenario.mask_mode)); }

// ---- weights, dropped_weights
void settle_softmax(const Trace& trace, Key& key) {
  key.sources.push_back(trace.sink_logits);
  add(key, static_cast<int>(trace.scenario.dead_row));
}

// Of attention that was measured somewhere else nothing is computed.
bool dropped(const Scenario& s, const Inputs& in) { return s.training && s.dropout > 0 && !in.weights.defined(); }
void settle_dropout(const Trace& trace, Key& key) {
  key.sources.push_back(trace.dropout_keep);
  add(key, trace.scenario.dropout);
}

// ---- head_outputs, concat
void settle_silence(const Trace& trace, Key& key) {
  for (const Index head : own_rules(trace.inputs).silent_heads) add(key, head);
}
Tensor make_concat(const Key& key, const Workers&) { return merge_heads(key.sources[0]); }

constexpr std::array<StageStep, stage_count> steps{{
    {Stage::query, nullptr, nullptr, nullptr, nullptr},
    {Stage::key, nullptr, nullptr, nullptr, nullptr},
    {Stage::value, nullptr, nullptr, nullptr, nullptr},
    {Stage::Q, nullptr, nullptr, make_projection, query_work},
    {Stage::K, nullptr, nullptr, make_projection, key_work},
    {Stage::V, nullptr, nullptr, make_projection, value_work},
    {Stage::Q_heads, nullptr, count_heads<&Dims::heads>, make_split, nullptr},
    {Stage::K_heads, nullptr, count_heads<&Dims::kv_heads>, make_split, nullptr},
    {Stage::V_heads, nullptr, count_heads<&Dims::kv_heads>, make_split, nullptr},
    {Stage::Q_normed, normed, settle_norm<Stage::Q_normed>, make_normed, nullptr},
    {Stage::K_normed, normed, settle_norm<Stage::K_normed>, make_normed, nullptr},
    {Stage::Q_rotated, rotated, settle_rotation<Stage::Q_rotated>, make_rotated, nullptr},
    {Stage::K_rotated, rotated, settle_rotation<Stage::K_rotated>, make_rotated, nullptr},
    {Stage::Q_scaled, scaled_before, settle_scale, make_scaled_queries, nullptr},
    {Stage::scores, nullptr, nullptr, nullptr, a_head_product},
    {Stage::scaled_scores, scaled_after, settle_scale, nullptr, a_cell<4>},
    {Stage::capped_scores, capped, settle_cap, nullptr, a_cell<60>},
    {Stage::biased_scores, biased, settle_bias, nullptr, a_cell<6>},
    {Stage::mask, has_mask, settle_mask, make_mask, a_cell<6>},
    {Stage::masked_scores, nullptr, settle_fill, nullptr, a_cell<6>},
    {Stage::weights, nullptr, settle_softmax, nullptr, a_cell<40>},
    {Stage::dropped_weights, dropped, settle_dropout, nullptr, a_cell<20>},
    {Stage::head_outputs, nullptr, settle_silence, nullptr, a_head_product},
    {Stage::concat, nullptr, nullptr, make_concat, nullptr},
    {Stage::output, nullptr, nullptr, make_projection, output_work},
}};
static_assert(in_stage_order(steps), "core/run/stage_steps.cpp: a row for every stage, in their order");

bool may_be_missing(Stage source) { return is_parameter(source) || source == Stage::mask; }

}  // namespace

const StageStep& step_of(Stage stage) { return steps[static_cast<std::size_t>(stage)]; }

bool is_made(Stage stage, const Scenario& scenario, const Inputs& inputs, const std::function<bool(Stage)>& has) {
  if (inputs.matrix(stage).defined()) return true;
  const StageSources& sources = info(stage).sources;
  const StageStep& step = step_of(stage);
  if (sources.empty() && !step.make) return false;  // an input that the source does not have
  const bool ready = std::ranges::all_of(
      sources, [&](const SourceStage& source) { return may_be_missing(source.stage) || stand_in(source.stage, has); });
  return ready && (!step.exists || step.exists(scenario, inputs));
}

bool is_made(Stage stage, const Trace& so_far) {
  return is_made(stage, so_far.scenario, so_far.inputs, [&](Stage s) { return so_far.has(s); });
}

StageRecord key_of(Stage stage, const Trace& so_far) {
  if (const Tensor& known = so_far.inputs.matrix(stage); known.defined()) return {.sources = {known}};
  StageRecord key;
  for (const SourceStage& source : info(stage).sources) {
    const std::optional<Stage> there = so_far.standing_for(source.stage);
    key.sources.push_back(there ? so_far[*there] : Tensor());
  }
  if (step_of(stage).settle) step_of(stage).settle(so_far, key);
  return key;
}

HeadNorm norm_of(const Trace& trace, Stage stage) {
  const OwnRules& own = own_rules(trace.inputs);
  const bool query = stage == Stage::Q_normed;
  const Tensor& gain = query ? own.q_norm : own.k_norm;
  const QkNorm kind = trace.scenario.qk_norm;
  if (kind != own.norm_kind || !gain.defined())
    return {.kind = kind, .epsilon = kind == QkNorm::layer ? layer_epsilon : rms_epsilon};
  return {kind, own.qk_epsilon, gain, own.norm_over_heads, query ? own.q_norm_bias : own.k_norm_bias};
}

Rotation rotation_of(const Trace& trace, Stage stage) {
  const Scenario& s = trace.scenario;
  const OwnRules& own = own_rules(trace.inputs);
  const Index first = stage == Stage::Q_rotated ? trace.query_offset : 0;
  if (!own.rope_frequencies.empty()) return {s.rope, own.rope_frequencies, own.rope_gain, first};
  return {s.rope, rope_frequencies(static_cast<double>(s.rope_base), s.rotary_dim.value_or(trace.dims().d_head)),
          own.rope_gain, first};
}

}  // namespace headlight
