#include "core/run/pipeline.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <thread>

#include "core/attention/dropout.h"
#include "core/attention/head_outputs.h"
#include "core/attention/heads.h"
#include "core/attention/masking.h"
#include "core/attention/position_bias.h"
#include "core/attention/projection.h"
#include "core/attention/qk_norm.h"
#include "core/attention/rope.h"
#include "core/attention/score_source.h"
#include "core/attention/sweep.h"
#include "core/run/summary.h"
#include "core/run/work_estimate.h"
#include "core/scenario/model_layer.h"
#include "core/tensor/error.h"
#include "core/tensor/memory.h"
#include "core/tensor/sampler.h"

namespace headlight {
namespace {

using Make = std::function<Tensor(const Workers&)>;

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, {}, std::bit_cast<std::uint64_t, double>, std::bit_cast<std::uint64_t, double>);
}

bool same_key(const StageRecord& a, const StageRecord& b) {
  return std::ranges::equal(a.sources, b.sources, identical) && same_bits(a.settings, b.settings) && a.words == b.words;
}

StageRecord mask_key(const Scenario& scenario, const Inputs& in) {
  StageRecord key{.sources = {in.file_mask, in.valid_lens}, .words = scenario.mask};
  for (const Index size : {in.dims.batch, in.dims.heads, in.dims.n_q, in.dims.n_k}) {
    key.settings.push_back(static_cast<double>(size));
  }
  for (const PaintedCells& cells : scenario.painted) {
    for (const Index at : {cells.batch, cells.head, cells.query, cells.key, cells.queries, cells.keys}) {
      key.settings.push_back(static_cast<double>(at));
    }
    key.settings.push_back(cells.attend ? 1 : 0);
  }
  return key;
}

// Asked once: the answer is read from files, which takes longer than a small stage.
int machine_threads() {
  static const int count = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return count;
}

// Fills a trace stage by stage, taking from the last one what has not changed.
class Pipeline {
 public:
  Pipeline(Trace& trace, const Trace* last, const Run& run)
      : trace_(trace), last_(last), run_(run), estimate_(trace.scenario, trace.inputs) {}

  void compute();

 private:
  const Dims& dims() const { return trace_.dims(); }
  const Scenario& scenario() const { return trace_.scenario; }
  const Inputs& inputs() const { return trace_.inputs; }

  // `key` holds what the stage depends on; `make` computes it from just that.
  Tensor stage(Stage stage, StageRecord key, const Make& make);
  Tensor usual_stage(Stage stage, StageRecord key, const Make& make);
  Workers workers(Stage stage) const;
  // A score-shaped stage made from `before`. The first that is asked for makes all that follow it in the same sweep.
  Tensor swept(Stage stage, const Tensor& before);
  ScoreSteps score_steps() const;
  // Decides whether the score-shaped stages are held or computed as they are looked at; refuses, with the figure, what can be
  // neither.
  void choose_source();
  void draw_dropout();

  Tensor project_stage(Stage stage, const Tensor& x, const Tensor& weight, const Tensor& bias);
  Tensor split_stage(Stage stage, const Tensor& channels, Index heads);
  Tensor position_stage(Stage stage, const Tensor& heads);
  Tensor score_stages(const Tensor& queries, const Tensor& keys);
  Tensor bias_stage(const Tensor& scores);
  void mask_stage();
  Tensor mask_stages(const Tensor& scores);
  Tensor weight_stages(const Tensor& masked);
  Tensor dropout_stage(const Tensor& weights);
  Tensor given_stage(Stage stage, const Tensor& known);
  void output_stages(const Tensor& weights, const Tensor& V_heads);
  void compute_from_heads();
  void compute_weights_alone();

  Trace& trace_;
  const Trace* last_;
  const Run& run_;
  WorkEstimate estimate_;
  SweptStages ahead_;
  std::shared_ptr<const ScoreSource> source_;  // of what is too large to hold; null where it is not
};

Workers Pipeline::workers(Stage stage) const {
  Workers workers;
  workers.threads = run_.threads > 0 ? run_.threads : static_cast<int>(scenario().threads.value_or(machine_threads()));
  workers.stop = run_.stop;
  if (run_.progress) {
    workers.progress = [this, stage](double share) { run_.progress(stage, estimate_.share(stage, share)); };
  }
  return workers;
}

Tensor Pipeline::stage(Stage stage, StageRecord key, const Make& make) {
  if (run_.stop.stop_requested()) throw Cancelled();
  if (!run_.instead) return usual_stage(stage, std::move(key), make);
  const Tensor made = run_.instead(stage, trace_, [&] { return usual_stage(stage, key, make); });
  StageRecord& record = trace_.records[static_cast<std::size_t>(stage)];
  if (!identical(made, record.output)) record = {.words = "instead", .output = made};
  return made;
}

Tensor Pipeline::usual_stage(Stage stage, StageRecord key, const Make& make) {
  const auto index = static_cast<std::size_t>(stage);
  const StageRecord* before = last_ ? &last_->records[index] : nullptr;
  StageRecord& record = trace_.records[index];
  record = std::move(key);
  if (before && before->output.defined() && same_key(*before, record)) {
    record = *before;
    record.reused = true;
    return record.output;
  }
  const auto start = std::chrono::steady_clock::now();
  record.output = make(workers(stage));
  record.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (ahead_[stage].defined()) record.milliseconds = ahead_.milliseconds[index];
  return record.output;
}

ScoreSteps Pipeline::score_steps() const {
  ScoreSteps steps;
  const Trace& t = trace_;
  steps.queries = t.has(Stage::Q_rotated) ? t[Stage::Q_rotated] : t[Stage::Q_heads];
  steps.keys = t.has(Stage::K_rotated) ? t[Stage::K_rotated] : t[Stage::K_heads];
  steps.values = t[Stage::V_heads];
  steps.scale = t.scale;
  steps.cap = scenario().softcap;
  const Index n_q = dims().n_q, n_k = dims().n_k;
  if (scenario().alibi) steps.by_distance.push_back(alibi_by_distance(dims().heads, n_q, n_k, t.query_offset));
  if (scenario().t5_bias) steps.by_distance.push_back(t5_by_distance(t.t5_table, scenario().t5_bidirectional, n_q, n_k, t.query_offset));
  steps.bias = inputs().bias;
  steps.mask = t[Stage::mask];
  steps.fill = t.fill;
  steps.sink_logits = t.sink_logits;
  steps.dead_row = scenario().dead_row;
  steps.keep = t.dropout_keep;
  steps.dropout = scenario().dropout;
  return steps;
}

// In bytes, of the stages that are kept.
double score_bytes(const Trace& trace) {
  const Scenario& s = trace.scenario;
  const Dims& d = trace.dims();
  int stages = 3 + s.softcap.has_value() + (s.alibi || s.t5_bias || trace.inputs.bias.defined());
  if (has_mask(s, trace.inputs)) ++stages;
  if (s.training && s.dropout > 0) stages += 2;
  double cells = static_cast<double>(d.batch * d.heads) * static_cast<double>(d.n_q) * static_cast<double>(d.n_k) * stages;
  if (has_mask(s, trace.inputs)) cells += static_cast<double>(d.n_q) * static_cast<double>(d.n_k);
  return cells * sizeof(float);
}

bool all_finite(const Tensor& tensor) {
  return std::ranges::all_of(tensor.contiguous().values(), [](float v) { return std::isfinite(v); });
}

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
  return text;
}

void Pipeline::choose_source() {
  const double bytes = score_bytes(trace_);
  if (bytes <= memory_budget()) return;
  const bool masked = has_mask(scenario(), inputs());
  std::shared_ptr<const MaskRule> rule;
  // What cannot be told from parts: a fill that leaks, dropout, cells painted over the mask, what is not finite, other rules.
  bool parts_will_do = !run_.instead && !(scenario().training && scenario().dropout > 0) && !(masked && trace_.fill > -1e8F) &&
                       trace_.has(Stage::V_heads) && all_finite(trace_[Stage::V_heads]);
  if (parts_will_do && masked) {
    rule = mask_rule(scenario(), inputs());
    parts_will_do = rule != nullptr;
  }
  if (parts_will_do) {
    ScoreSteps steps = score_steps();
    steps.mask = steps.keep = {};
    auto source = std::make_shared<ScoreSource>(std::move(steps), Shape{dims().batch, dims().heads, dims().n_q, dims().n_k}, rule,
                                                workers(Stage::scores).threads);
    // Asked once for all: whether this system has memory on demand.
    if (stage_on_demand(source, Stage::scores).defined()) source_ = std::move(source);
  }
  if (source_ || bytes <= 0.9 * machine_memory()) return;
  throw InputError("", "the stages from scores to weights would take " + gigabytes(bytes) + ", and this machine has " + gigabytes(machine_memory()),
                   "expected fewer tokens, heads or batch entries");
}

Tensor Pipeline::swept(Stage stage, const Tensor& before) {
  if (source_) return stage == Stage::head_outputs ? head_outputs_on_demand(source_, trace_[Stage::V_heads].size(3)) : stage_on_demand(source_, stage);
  if (ahead_[stage].defined()) return ahead_[stage];
  const Stage end = trace_.has(Stage::V_heads)                           ? Stage::head_outputs
                    : scenario().training && scenario().dropout > 0 ? Stage::dropped_weights
                                                                     : Stage::weights;
  const Stage last = run_.instead ? stage : end;  // what is put in a stage's place changes all that follow
  Workers all = workers(stage);
  if (run_.progress) {
    all.progress = [this, stage, last](double share) {
      const double from = estimate_.share(stage, 0);
      run_.progress(stage, from + share * (estimate_.share(last, 1) - from));
    };
  }
  SweptStages made = sweep(score_steps(), stage, last, before, all);
  if (!run_.instead) ahead_ = std::move(made);
  return run_.instead ? made[stage] : ahead_[stage];
}

Tensor Pipeline::project_stage(Stage which, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return stage(which, {.sources = {x, weight, bias}}, [&](const Workers& w) { return project(x, weight, bias, w); });
}

Tensor Pipeline::split_stage(Stage which, const Tensor& channels, Index heads) {
  return stage(which, {.sources = {channels}, .settings = {static_cast<double>(heads)}},
               [&](const Workers&) { return split_heads(channels, heads); });
}

Tensor Pipeline::position_stage(Stage which, const Tensor& heads) {
  const Rope rope = scenario().rope;
  const QkNorm norm = scenario().qk_norm;
  if (rope == Rope::none && norm == QkNorm::none) return heads;
  Rotation turn;
  if (rope != Rope::none) turn = {rope, scenario().rope_base, scenario().rotary_dim.value_or(0), which == Stage::Q_rotated ? trace_.query_offset : 0};
  const OwnRules& own = own_rules(inputs());
  const Tensor& gain = which == Stage::Q_rotated ? own.q_norm : own.k_norm;
  StageRecord key{.sources = {heads, gain}, .settings = {static_cast<double>(rope), static_cast<double>(norm), static_cast<double>(turn.base), static_cast<double>(turn.width),
                   static_cast<double>(turn.first_position), own.qk_epsilon, own.rope_gain}};
  key.settings.insert(key.settings.end(), own.rope_frequencies.begin(), own.rope_frequencies.end());
  return stage(which, std::move(key), [&](const Workers& w) {
    const Tensor normal = norm == QkNorm::none ? heads
                          : gain.defined()     ? normalise_heads(heads, gain, own.qk_epsilon, own.norm_over_heads, w)
                                               : normalise_heads(heads, norm, w);
    if (rope == Rope::none) return normal;
    return own.rope_frequencies.empty() ? rotate(normal, turn, w)
                                        : rotate(normal, rope, own.rope_frequencies, own.rope_gain, w, turn.first_position);
  });
}

Tensor Pipeline::score_stages(const Tensor& queries, const Tensor& keys) {
  const Tensor raw = stage(Stage::scores, {.sources = {queries, keys}},
                           [&](const Workers&) { return swept(Stage::scores, {}); });
  const float scale = trace_.scale;
  Tensor scores = stage(Stage::scaled_scores, {.sources = {raw}, .settings = {static_cast<double>(scale)}},
                        [&](const Workers&) { return swept(Stage::scaled_scores, raw); });
  if (const std::optional<float> cap = scenario().softcap) {
    scores = stage(Stage::capped_scores, {.sources = {scores}, .settings = {static_cast<double>(*cap)}},
                   [&](const Workers&) { return swept(Stage::capped_scores, scores); });
  }
  return bias_stage(scores);
}

Tensor Pipeline::bias_stage(const Tensor& scores) {
  const Tensor& from_file = inputs().bias;
  if (!scenario().alibi && !scenario().t5_bias && !from_file.defined()) return scores;
  StageRecord key{.sources = {scores, from_file, trace_.t5_table},
                  .settings = {static_cast<double>(scenario().alibi), static_cast<double>(scenario().t5_bidirectional), static_cast<double>(trace_.query_offset)}};
  return stage(Stage::biased_scores, std::move(key), [&](const Workers&) { return swept(Stage::biased_scores, scores); });
}

void Pipeline::mask_stage() {
  if (!has_mask(scenario(), inputs())) return;
  stage(Stage::mask, mask_key(scenario(), inputs()), [&](const Workers& w) {
    return source_ ? stage_on_demand(source_, Stage::mask) : build_mask(scenario(), inputs(), w.stop, w.threads);
  });
}

Tensor Pipeline::mask_stages(const Tensor& scores) {
  if (run_.instead) mask_stage();
  const Tensor& mask = trace_[Stage::mask];
  return stage(Stage::masked_scores, {.sources = {scores, mask}, .settings = {static_cast<double>(trace_.fill)}},
               [&](const Workers&) { return mask.defined() ? swept(Stage::masked_scores, scores) : scores; });
}

Tensor Pipeline::weight_stages(const Tensor& masked) {
  const DeadRow policy = scenario().dead_row;
  const Tensor& mask = trace_[Stage::mask];
  const Tensor weights =
      stage(Stage::weights, {.sources = {masked, trace_.sink_logits, mask}, .settings = {static_cast<double>(policy)}},
            [&](const Workers&) { return swept(Stage::weights, masked); });
  return scenario().training && scenario().dropout > 0 ? dropout_stage(weights) : weights;
}

void Pipeline::draw_dropout() {
  if (!scenario().training || scenario().dropout <= 0) return;
  const float p = scenario().dropout;
  const Shape shape{dims().batch, dims().heads, dims().n_q, dims().n_k};
  Workers quiet = workers(Stage::dropped_weights);
  quiet.progress = {};
  const bool same_draw = last_ && last_->dropout_keep.defined() && last_->dropout_keep.shape() == shape &&
                         last_->scenario.dropout == p && last_->scenario.dropout_seed == scenario().dropout_seed;
  trace_.dropout_keep = same_draw ? last_->dropout_keep : dropout_keep(shape, p, scenario().dropout_seed, quiet);
}

Tensor Pipeline::dropout_stage(const Tensor& weights) {
  return stage(Stage::dropped_weights,
               {.sources = {weights, trace_.dropout_keep}, .settings = {static_cast<double>(scenario().dropout)}},
               [&](const Workers&) { return swept(Stage::dropped_weights, weights); });
}

/// What the source knows without computing: an input, or where it begins later.
Tensor Pipeline::given_stage(Stage which, const Tensor& known) {
  return known.defined() ? stage(which, {.sources = {known}}, [&](const Workers&) { return known; }) : known;
}

void Pipeline::compute_from_heads() {
  const Inputs& in = inputs();
  const Tensor Q_heads = given_stage(Stage::Q_heads, in.Q_heads), K_heads = given_stage(Stage::K_heads, in.K_heads);
  const Tensor V_heads = given_stage(Stage::V_heads, in.V_heads);
  const Tensor queries = position_stage(Stage::Q_rotated, Q_heads), keys = position_stage(Stage::K_rotated, K_heads);
  choose_source();
  if (!run_.instead) mask_stage();
  draw_dropout();
  const Tensor weights = weight_stages(mask_stages(score_stages(queries, keys)));
  if (V_heads.defined()) output_stages(weights, V_heads);
}

/// The attention alone, as it was measured somewhere else; a mask beside it changes nothing.
void Pipeline::compute_weights_alone() {
  if (has_mask(scenario(), inputs())) {
    stage(Stage::mask, mask_key(scenario(), inputs()), [&](const Workers& w) { return build_mask(scenario(), inputs(), w.stop, w.threads); });
  }
  given_stage(Stage::weights, inputs().weights);
}

void Pipeline::output_stages(const Tensor& weights, const Tensor& V_heads) {
  StageRecord gathered{.sources = {weights, V_heads}};
  const std::vector<Index>& silent = own_rules(inputs()).silent_heads;
  for (const Index head : silent) gathered.settings.push_back(static_cast<double>(head));
  const Tensor head_outputs = stage(Stage::head_outputs, std::move(gathered), [&](const Workers&) {
    return silenced(swept(Stage::head_outputs, weights), silent);
  });
  const Tensor concat =
      stage(Stage::concat, {.sources = {head_outputs}}, [&](const Workers&) {
        return source_ ? concat_on_demand(source_, V_heads.size(3), {}, {}) : merge_heads(head_outputs);
      });
  if (source_ && (inputs().W_o.defined() || inputs().b_o.defined())) {
    stage(Stage::output, {.sources = {concat, inputs().W_o, inputs().b_o}},
          [&](const Workers&) { return concat_on_demand(source_, V_heads.size(3), inputs().W_o, inputs().b_o); });
  } else {
    project_stage(Stage::output, concat, inputs().W_o, inputs().b_o);
  }
}

void Pipeline::compute() {
  const Inputs& in = inputs();
  if (in.first_stage() == Stage::weights) return compute_weights_alone();
  if (in.first_stage() == Stage::Q_heads) return compute_from_heads();
  for (const Stage input : {Stage::query, Stage::key, Stage::value}) {
    stage(input, {.sources = {in.matrix(input)}}, [&](const Workers&) { return in.matrix(input); });
  }
  const Tensor Q = project_stage(Stage::Q, in.query, in.W_q, in.b_q);
  const Tensor K = project_stage(Stage::K, in.key, in.W_k, in.b_k);
  const Tensor V = project_stage(Stage::V, in.value, in.W_v, in.b_v);
  const Tensor Q_heads = split_stage(Stage::Q_heads, Q, dims().heads);
  const Tensor K_heads = split_stage(Stage::K_heads, K, dims().kv_heads);
  const Tensor V_heads = split_stage(Stage::V_heads, V, dims().kv_heads);
  const Tensor queries = position_stage(Stage::Q_rotated, Q_heads);
  const Tensor keys = position_stage(Stage::K_rotated, K_heads);

  choose_source();
  // Ahead of the scores, so that one sweep over them can go on to the weights.
  if (!run_.instead) mask_stage();
  draw_dropout();
  const Tensor weights = weight_stages(mask_stages(score_stages(queries, keys)));
  output_stages(weights, V_heads);
}

[[maybe_unused]] bool fits(const Inputs& in) {
  const Dims& d = in.dims;
  if (in.first_stage() == Stage::weights) return in.weights.shape() == Shape{d.batch, d.heads, d.n_q, d.n_k};
  if (in.first_stage() == Stage::Q_heads) {
    return in.Q_heads.shape() == Shape{d.batch, d.heads, d.n_q, d.d_head} && in.K_heads.shape() == Shape{d.batch, d.kv_heads, d.n_k, d.d_head};
  }
  return in.query.shape() == Shape{d.batch, d.n_q, d.d_query} && in.key.shape() == Shape{d.batch, d.n_k, d.d_key} &&
         in.value.shape() == Shape{d.batch, d.n_k, d.d_value} && d.heads % d.kv_heads == 0 &&
         (!in.W_q.defined() || in.W_q.size(0) == d.heads * d.d_head) &&
         (!in.W_k.defined() || in.W_k.size(0) == d.kv_heads * d.d_head) &&
         (!in.W_v.defined() || in.W_v.size(0) == d.kv_heads * d.d_head);
}

// A seeded tensor of the last trace is taken over where it would come out the same.
template <typename Make>
Tensor seeded(const Trace* last, Tensor Trace::*member, const Trace& now, Make make) {
  const bool same = last && (last->*member).defined() && last->scenario.seed == now.scenario.seed &&
                    last->dims().heads == now.dims().heads;
  return same ? last->*member : make();
}

/// Where fewer queries than keys are told to stand at the end, they do.
Index settled_query_offset(const Scenario& scenario, const Dims& dims) {
  if (scenario.query_offset) return *scenario.query_offset;
  if (dims.n_q >= dims.n_k || scenario.mask.find("causal_bottom_right") == std::string::npos) return 0;
  return dims.n_k - dims.n_q;
}

void settle(Trace& trace, const Trace* last) {
  const Scenario& scenario = trace.scenario;
  const Index heads = trace.dims().heads;
  const double d_head = static_cast<double>(trace.dims().d_head);
  trace.scale = scenario.scale.value_or(static_cast<float>(1 / std::sqrt(d_head)));
  trace.fill = scenario.fill.value_or(trace.inputs.fill.value_or(-std::numeric_limits<float>::infinity()));
  trace.query_offset = settled_query_offset(scenario, trace.dims());
  if (own_rules(trace.inputs).sink_logits.defined()) {
    trace.sink_logits = own_rules(trace.inputs).sink_logits;
  } else if (scenario.sink_logit) {
    trace.sink_logits =
        seeded(last, &Trace::sink_logits, trace, [&] { return Sampler(scenario.seed, "sink_logits").normal({heads}); });
  }
  if (scenario.t5_bias) {
    trace.t5_table = seeded(last, &Trace::t5_table, trace, [&] { return t5_table(heads, scenario.seed); });
  }
}

}  // namespace

std::shared_ptr<const Trace> compute(const Scenario& scenario, Inputs inputs, const Trace* last, const Run& run) {
  assert(fits(inputs));
  auto trace = std::make_shared<Trace>();
  trace->scenario = with_source_settings(scenario, inputs.says);
  trace->inputs = std::move(inputs);
  settle(*trace, last);
  Pipeline(*trace, last, run).compute();
  if (run.summary) trace->summary = summarise(*trace, last ? last->summary.get() : nullptr);
  return trace;
}

std::shared_ptr<const Trace> compute(const Scenario& scenario, const Trace* last, const Run& run) {
  Inputs inputs = resolve(scenario, last ? &last->scenario : nullptr, last ? &last->inputs : nullptr);
  return compute(scenario, std::move(inputs), last, run);
}

}  // namespace headlight
