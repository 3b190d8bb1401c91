#include "core/compute/run/stage_steps.h"

#include <algorithm>

#include "core/base/tensor/error.h"
#include "core/compute/attention/projection.h"
#include "core/compute/attention/sweep.h"
#include "core/compute/run/score_terms.h"

namespace headlight {
namespace {

[[noreturn]] void fail(std::string_view tensor, const Tensor& is, const Message& expected) {
  throw InputError(std::string(tensor), is.defined() ? Message("is {0}", to_string(is.shape())) : Message("is missing"),
                   Message("expected {0}", expected));
}

void must_be(std::string_view tensor, const Tensor& is, const Shape& expected) {
  if (!is.defined() || is.shape() != expected) fail(tensor, is, to_string(expected));
}

void may_be(std::string_view tensor, const Tensor& is, const Shape& expected) {
  if (is.defined()) must_be(tensor, is, expected);
}

void must_broadcast(std::string_view tensor, const Tensor& is, const Dims& d) {
  const Shape scores{d.batch, d.heads, d.n_q, d.n_k};
  if (is.defined() && !broadcastable(is.shape(), scores))
    fail(tensor, is, Message("what broadcasts to {0}", to_string(scores)));
}

/// Checks x [.., in] · weight → [.., out]; without a weight, x is used as it is.
void check_projection(const Inputs& in, Stage projected, Index width, Index out) {
  const StageSources& sources = info(projected).sources;
  const Stage weight = sources[1].stage, bias = sources[2].stage;
  may_be(name(weight), in.matrix(weight), {out, width});
  may_be(name(bias), in.matrix(bias), {out});
  if (!in.matrix(weight).defined() && width != out)
    fail(name(weight), {}, Message("{0}, since the sizes differ", to_string({out, width})));
}

/// The width of a value head: d_head, or another one, as in latent attention.
Index value_channels(const Inputs& in) {
  const Dims& d = in.dims;
  if (in.V_heads.defined()) return in.V_heads.rank() == 4 ? in.V_heads.size(3) : d.d_head;
  const bool own = in.W_v.defined() && in.W_v.rank() == 2 && in.W_v.size(0) > 0 && in.W_v.size(0) % d.kv_heads == 0;
  return own ? in.W_v.size(0) / d.kv_heads : d.d_head;
}

void check_keys(const Inputs& in) {
  const Dims& d = in.dims;
  must_be("K_heads", in.K_heads, {d.batch, d.kv_heads, d.n_k, d.d_head});
  may_be("V_heads", in.V_heads, {d.batch, d.kv_heads, d.n_k, value_channels(in)});
}

void check_projections(const Inputs& in) {
  const Dims& d = in.dims;
  must_be("query", in.query, {d.batch, d.n_q, d.d_query});
  check_projection(in, Stage::Q, d.d_query, d.heads * d.d_head);
  if (in.K_heads.defined()) {  // only the queries are projected
    check_keys(in);
  } else {
    must_be("key", in.key, {d.batch, d.n_k, d.d_key});
    must_be("value", in.value, {d.batch, d.n_k, d.d_value});
    check_projection(in, Stage::K, d.d_key, d.kv_heads * d.d_head);
    check_projection(in, Stage::V, d.d_value, d.kv_heads * value_channels(in));
  }
  if (in.W_o.defined()) check_projection(in, Stage::output, d.heads * value_channels(in), d.d_out);
}

void check_heads(const Inputs& in) {
  must_be("Q_heads", in.Q_heads, {in.dims.batch, in.dims.heads, in.dims.n_q, in.dims.d_head});
  check_keys(in);
}

void check_names(const char* what, const std::vector<std::vector<std::string>>& names, Index batch, Index count) {
  if (names.empty()) return;
  bool fit = static_cast<Index>(names.size()) == batch;
  for (const auto& entry : names) fit &= static_cast<Index>(entry.size()) == count;
  if (!fit)
    throw InputError(what, "do not name every row",
                     Message("expected {0} for each of {1} batch entries", count, batch));
}

}  // namespace

void check_inputs(const Scenario& scenario, const Inputs& in) {
  const Dims& d = in.dims;
  for (const auto& [size, what] : {std::pair{d.batch, "batch"},
                                   {d.heads, "heads"},
                                   {d.kv_heads, "kv_heads"},
                                   {d.n_q, "n_q"},
                                   {d.n_k, "n_k"},
                                   {d.d_head, "d_head"}}) {
    if (size < 1) throw InputError(what, Message("is {0}", size), "expected at least 1");
  }
  if (d.heads % d.kv_heads != 0)
    throw InputError("kv_heads", Message("{0} does not divide heads {1}", d.kv_heads, d.heads), "expected a divisor");
  switch (in.first_stage()) {
    case Stage::weights: must_be("weights", in.weights, {d.batch, d.heads, d.n_q, d.n_k}); break;
    case Stage::Q_heads: check_heads(in); break;
    default: check_projections(in);
  }
  must_broadcast("file_mask", in.file_mask, d);
  must_broadcast("bias", in.attn_bias, d);
  if (in.valid_lens.defined() && in.valid_lens.shape() != Shape{d.batch} &&
      in.valid_lens.shape() != Shape{d.batch, d.n_q}) {
    fail("valid_lens", in.valid_lens, Message("{0} or {1}", to_string({d.batch}), to_string({d.batch, d.n_q})));
  }
  check_names("query_tokens", in.query_tokens, d.batch, d.n_q);
  check_names("key_tokens", in.key_tokens, d.batch, d.n_k);
  if (scenario.rope == Rope::none) return;
  const Index rotated_channels = scenario.rotary_dim.value_or(d.d_head);
  if (rotated_channels % 2 != 0 || rotated_channels > d.d_head) {
    throw SettingError("--rotary-dim", Message("{0} is no even part of d_head {1}", rotated_channels, d.d_head),
                       Message("expected an even number up to {0}", d.d_head));
  }
}

namespace {

using Key = StageRecord;

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
StageParameters split_parameters(const Trace& trace) {
  return SplitParameters{trace.dims().*heads};
}
Tensor make_split(const Key& key, const Workers&) {
  return split_heads(key.sources[0], std::get<SplitParameters>(key.parameters).heads);
}

// ---- Q_normed, K_normed
bool normed(const Scenario& s, const Inputs&) { return s.qk_norm != QkNorm::none; }
template <Stage stage>
StageParameters norm_parameters(const Trace& trace) {
  return norm_of(trace, stage);
}
Tensor make_normed(const Key& key, const Workers& w) {
  return normalise_heads(key.sources[0], std::get<HeadNorm>(key.parameters), w);
}

// ---- Q_rotated, K_rotated
bool rotated(const Scenario& s, const Inputs&) { return s.rope != Rope::none; }
template <Stage stage>
StageParameters rotation_parameters(const Trace& trace) {
  return rotation_of(trace, stage);
}
Tensor make_rotated(const Key& key, const Workers& w) {
  return rotate(key.sources[0], std::get<Rotation>(key.parameters), w);
}

// ---- scores … masked_scores: [B, H, n_q, n_k]
double cells(const Inputs& in) {
  return static_cast<double>(in.dims.batch * in.dims.heads) * static_cast<double>(in.dims.n_q) *
         static_cast<double>(in.dims.n_k);
}
// The cost of so many operations for each cell.
template <int operations>
double a_cell(const Inputs& in) {
  return operations * cells(in);
}
double a_head_product(const Inputs& in) { return 2 * cells(in) * static_cast<double>(in.dims.d_head); }

// The scores are scaled after the product, or the queries before it.
bool scaled_before(const Scenario& s, const Inputs&) { return s.scale_first; }
bool scaled_after(const Scenario& s, const Inputs&) { return !s.scale_first; }
StageParameters scale_parameters(const Trace& trace) { return ScaleParameters{trace.scale}; }
Tensor make_scaled_queries(const Key& key, const Workers& w) {
  return scale_scores(key.sources[0], std::get<ScaleParameters>(key.parameters), w);
}

bool capped(const Scenario& s, const Inputs&) { return s.softcap.has_value(); }
StageParameters cap_parameters(const Trace& trace) { return CapParameters{*trace.scenario.softcap}; }

bool biased(const Scenario& s, const Inputs& in) { return !terms_of(s, in).empty(); }
StageParameters bias_parameters(const Trace& trace) { return trace.added; }

StageParameters mask_parameters(const Trace& trace) { return *trace.mask_rule; }
Tensor make_mask(const Key& key, const Workers& w) {
  return build_mask(std::get<MaskRule>(key.parameters), w.stop, w.threads);
}

StageParameters fill_parameters(const Trace& trace) { return FillParameters{trace.fill, trace.scenario.mask_mode}; }

// ---- weights, dropped_weights
StageParameters softmax_parameters(const Trace& trace) {
  return SoftmaxParameters{trace.sink_logits, trace.scenario.dead_row};
}

// Nothing is computed for attention weights from a file.
bool dropped(const Scenario& s, const Inputs& in) { return s.training && s.dropout > 0 && !in.weights.defined(); }
StageParameters dropout_parameters(const Trace& trace) {
  return DropoutParameters{trace.dropout_keep, trace.scenario.dropout};
}

// ---- head_outputs, concat
StageParameters silence_parameters(const Trace& trace) { return SilenceParameters{trace.inputs.rules.silent_heads}; }
Tensor make_concat(const Key& key, const Workers&) { return merge_heads(key.sources[0]); }

constexpr std::array<StageStep, stage_count> steps{{
    {Stage::query, nullptr, nullptr, nullptr, nullptr},
    {Stage::key, nullptr, nullptr, nullptr, nullptr},
    {Stage::value, nullptr, nullptr, nullptr, nullptr},
    {Stage::Q, nullptr, nullptr, make_projection, query_work},
    {Stage::K, nullptr, nullptr, make_projection, key_work},
    {Stage::V, nullptr, nullptr, make_projection, value_work},
    {Stage::Q_heads, nullptr, split_parameters<&Dims::heads>, make_split, nullptr},
    {Stage::K_heads, nullptr, split_parameters<&Dims::kv_heads>, make_split, nullptr},
    {Stage::V_heads, nullptr, split_parameters<&Dims::kv_heads>, make_split, nullptr},
    {Stage::Q_normed, normed, norm_parameters<Stage::Q_normed>, make_normed, nullptr},
    {Stage::K_normed, normed, norm_parameters<Stage::K_normed>, make_normed, nullptr},
    {Stage::Q_rotated, rotated, rotation_parameters<Stage::Q_rotated>, make_rotated, nullptr},
    {Stage::K_rotated, rotated, rotation_parameters<Stage::K_rotated>, make_rotated, nullptr},
    {Stage::Q_scaled, scaled_before, scale_parameters, make_scaled_queries, nullptr},
    {Stage::scores, nullptr, nullptr, nullptr, a_head_product},
    {Stage::scaled_scores, scaled_after, scale_parameters, nullptr, a_cell<4>},
    {Stage::capped_scores, capped, cap_parameters, nullptr, a_cell<60>},
    {Stage::biased_scores, biased, bias_parameters, nullptr, a_cell<6>},
    {Stage::mask, has_mask, mask_parameters, make_mask, a_cell<6>},
    {Stage::masked_scores, nullptr, fill_parameters, nullptr, a_cell<6>},
    {Stage::weights, nullptr, softmax_parameters, nullptr, a_cell<40>},
    {Stage::dropped_weights, dropped, dropout_parameters, nullptr, a_cell<20>},
    {Stage::head_outputs, nullptr, silence_parameters, nullptr, a_head_product},
    {Stage::concat, nullptr, nullptr, make_concat, nullptr},
    {Stage::output, nullptr, nullptr, make_projection, output_work},
}};
static_assert(in_stage_order(steps), "core/compute/run/stage_steps.cpp: a row for every stage, in their order");

bool may_be_missing(Stage source) { return is_parameter(source) || source == Stage::mask; }

// `has` tells whether the stages before it are made.
bool is_made(Stage stage, const Scenario& scenario, const Inputs& inputs, const std::function<bool(Stage)>& has) {
  if (inputs.matrix(stage).defined()) return true;
  const StageSources& sources = info(stage).sources;
  const StageStep& step = step_of(stage);
  if (sources.empty() && !step.make) return false;  // the source does not have this input
  const bool ready = std::ranges::all_of(
      sources, [&](const SourceStage& source) { return may_be_missing(source.stage) || stand_in(source.stage, has); });
  return ready && (!step.exists || step.exists(scenario, inputs));
}

}  // namespace

const StageStep& step_of(Stage stage) { return steps[static_cast<std::size_t>(stage)]; }

bool is_made(Stage stage, const Trace& so_far) {
  return is_made(stage, so_far.scenario, so_far.inputs, [&](Stage s) { return so_far.has(s); });
}

std::array<bool, matrix_count> made_stages(const Scenario& scenario, const Inputs& inputs) {
  std::array<bool, matrix_count> made{};
  const auto has = [&](Stage stage) { return made[static_cast<std::size_t>(stage)]; };
  for (const Stage stage : all_stages()) made[static_cast<std::size_t>(stage)] = is_made(stage, scenario, inputs, has);
  return made;
}

StageRecord key_of(Stage stage, const Trace& so_far) {
  if (const Tensor& known = so_far.inputs.matrix(stage); known.defined()) return {.sources = {known}};
  StageRecord key;
  for (const SourceStage& source : info(stage).sources) {
    const std::optional<Stage> there = so_far.standing_for(source.stage);
    key.sources.push_back(there ? so_far[*there] : Tensor());
  }
  if (step_of(stage).parameters) key.parameters = step_of(stage).parameters(so_far);
  return key;
}

HeadNorm norm_of(const Trace& trace, Stage stage) {
  const Rules& own = trace.inputs.rules;
  const bool query = stage == Stage::Q_normed;
  const Tensor& gain = query ? own.q_norm : own.k_norm;
  const QkNorm kind = trace.scenario.qk_norm;
  if (kind != own.norm_kind || !gain.defined())
    return {.kind = kind, .epsilon = kind == QkNorm::layer ? layer_epsilon : rms_epsilon};
  return {kind, own.qk_epsilon, gain, own.norm_over_heads, query ? own.q_norm_bias : own.k_norm_bias};
}

Rotation rotation_of(const Trace& trace, Stage stage) {
  const Scenario& s = trace.scenario;
  const Rules& own = trace.inputs.rules;
  const Index first = own.first_position + (stage == Stage::Q_rotated ? trace.query_offset : 0);
  if (!own.rope_frequencies.empty()) return {s.rope, own.rope_frequencies, own.rope_gain, first};
  return {s.rope, rope_frequencies(static_cast<double>(s.rope_base), s.rotary_dim.value_or(trace.dims().d_head)),
          own.rope_gain, first};
}

WorkEstimate::WorkEstimate(const Scenario& scenario, const Inputs& inputs) {
  const std::array<bool, matrix_count> made = made_stages(scenario, inputs);
  for (const Stage stage : all_stages()) {
    const auto i = static_cast<std::size_t>(stage);
    before_[i] = whole_;
    const bool computed = made[i] && !inputs.matrix(stage).defined();
    work_[i] = computed && step_of(stage).work ? step_of(stage).work(inputs) : 0;
    whole_ += work_[i];
  }
}

double WorkEstimate::share(Stage stage, double part) const {
  const auto i = static_cast<std::size_t>(stage);
  return whole_ > 0 ? (before_[i] + part * work_[i]) / whole_ : 1;
}

}  // namespace headlight
