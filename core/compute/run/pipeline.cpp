#include "core/compute/run/pipeline.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/memory.h"
#include "core/base/tensor/sampler.h"
#include "core/base/text/number_text.h"
#include "core/compute/attention/projection.h"
#include "core/compute/attention/score_source.h"
#include "core/compute/attention/softmax.h"
#include "core/compute/attention/sweep.h"
#include "core/compute/run/score_terms.h"
#include "core/compute/run/stage_steps.h"
#include "core/compute/run/statistics.h"
#include "core/rules/position/relative_bias.h"
#include "core/rules/stage/extent.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {
namespace {

// Asked only once: the answer is read from files, which takes longer than a small stage.
int machine_threads() {
  static const int count = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return count;
}

// The bytes of the score-shaped stages that are kept. The mask counts once: mostly it is the same for all heads.
// masked_scores without a mask is the same tensor as the stage before it.
double score_bytes(const Trace& trace, const Run& run, const std::array<bool, matrix_count>& made) {
  const Dims& d = trace.dims();
  const auto is_made = [&](Stage stage) { return made[static_cast<std::size_t>(stage)]; };
  const auto is_kept = [&](Stage stage) { return !run.scores_kept || std::ranges::count(*run.scores_kept, stage) > 0; };
  const double matrix = static_cast<double>(d.n_q) * static_cast<double>(d.n_k) * sizeof(float);
  const double all_heads = matrix * static_cast<double>(d.batch * d.heads);
  double bytes = is_made(Stage::mask) ? matrix : 0;
  for (const Stage stage : all_stages()) {
    const bool score_shaped = info(stage).rows == Axis::query && info(stage).cols == Axis::key;
    if (!score_shaped || !is_made(stage) || !is_kept(stage) || stage == Stage::mask) continue;
    if (stage == Stage::masked_scores && !is_made(Stage::mask)) continue;
    bytes += stage == Stage::dropped_weights ? 2 * all_heads : all_heads;  // the stage and dropout_keep
  }
  return bytes;
}

// Fills a trace stage by stage; stages that have not changed are taken from the last trace.
class Pipeline {
 public:
  Pipeline(Trace& trace, const Trace* last, const Run& run)
      : trace_(trace),
        last_(last),
        run_(run),
        estimate_(trace.scenario, trace.inputs),
        made_(made_stages(trace.scenario, trace.inputs)),
        score_bytes_(score_bytes(trace, run, made_)) {}

  void compute();

 private:
  const Dims& dims() const { return trace_.dims(); }
  const Scenario& scenario() const { return trace_.scenario; }
  const Inputs& inputs() const { return trace_.inputs; }

  void compute(Stage stage);
  const Tensor& usual(Stage stage);
  Tensor make(Stage stage, const StageRecord& key, const Workers& workers);
  Workers workers(Stage stage) const;
  // Prepares the sweep over the score-shaped stages.
  void before_scores();
  // Decides whether the score-shaped stages are stored or computed when they are read. Throws an error, with the size,
  // if neither is possible.
  void choose_source();
  void draw_dropout();
  ScoreSteps score_steps() const;
  // A score-shaped stage. The first one computes all later ones in the same sweep.
  Tensor swept(Stage stage, const StageRecord& key);
  // Computes all score-shaped stages in one sweep that stores only those of Run::scores_kept.
  bool sweeps_at_once() const {
    return run_.scores_kept && !run_.override_stage && !source_ && trace_.has(Stage::V_heads) &&
           trace_.standing_for(Stage::Q_scaled) && !inputs().weights.defined();
  }
  void sweep_at_once();
  // The stage as a matrix that is computed when it is read, if source_ has it; else undefined.
  Tensor on_demand(Stage stage) const;
  // Q, K or V as a matrix that is computed when it is read, if the scores will be too; else undefined.
  Tensor projected_on_demand(Stage stage, const StageRecord& key);
  // Whether scores that are too large to store can be computed in parts, as far as this is known before they are
  // computed.
  bool parts_will_do() const;
  double most_kept() const { return run_.most_kept.value_or(memory_budget()); }

  Trace& trace_;
  const Trace* last_;
  const Run& run_;
  WorkEstimate estimate_;
  std::array<bool, matrix_count> made_;  // index static_cast<std::size_t>(stage): what this run has or will have
  double score_bytes_;
  SweptStages ahead_;
  bool swept_at_once_ = false;
  std::pair<Tensor, double> largest_in_;       // the input that was projected last, and its largest magnitude
  std::shared_ptr<const ScoreSource> source_;  // for stages that are too large to store; null if they are stored
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

void Pipeline::compute() {
  for (const Stage stage : all_stages()) {
    if (run_.last && stage > *run_.last) break;
    if (stage == Stage::scores) before_scores();
    if (stage == Stage::scores && sweeps_at_once()) sweep_at_once();
    if (swept_at_once_ && stage >= Stage::scores && stage <= Stage::head_outputs) continue;
    if (!trace_.has(stage) && is_made(stage, trace_)) compute(stage);
  }
}

void Pipeline::compute(Stage stage) {
  if (run_.stop.stop_requested()) throw Cancelled();
  if (!run_.override_stage) return void(usual(stage));
  const Tensor replaced = run_.override_stage(stage, trace_, [&] { return usual(stage); });
  StageRecord& record = trace_.records[static_cast<std::size_t>(stage)];
  if (!identical(replaced, record.output)) record = {.parameters = Overridden{}, .output = replaced};
}

const Tensor& Pipeline::usual(Stage stage) {
  const auto index = static_cast<std::size_t>(stage);
  const StageRecord* before = last_ ? &last_->records[index] : nullptr;
  StageRecord& record = trace_.records[index];
  record = key_of(stage, trace_);
  if (before && before->output.defined() && before->same_key(record)) {
    record = *before;
    record.reused = true;
    return record.output;
  }
  const auto start = std::chrono::steady_clock::now();
  record.output = make(stage, record, workers(stage));
  record.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (ahead_[stage].defined()) record.milliseconds = ahead_.milliseconds[index];
  return record.output;
}

Tensor Pipeline::make(Stage stage, const StageRecord& key, const Workers& workers) {
  if (const Tensor& known = inputs().matrix(stage); known.defined()) return known;
  if (stage == Stage::masked_scores && !key.sources[1].defined()) return key.sources[0];
  if (source_) {
    if (Tensor later = on_demand(stage); later.defined()) return later;
  }
  if (Tensor later = projected_on_demand(stage, key); later.defined()) return later;
  const StageStep& step = step_of(stage);
  return step.make ? step.make(key, workers) : swept(stage, key);
}

Tensor Pipeline::on_demand(Stage stage) const {
  const std::vector<Index>& silent = inputs().rules.silent_heads;
  const Index d = trace_[Stage::V_heads].size(3);
  const bool projected = inputs().W_o.defined() || inputs().b_o.defined();
  switch (stage) {
    case Stage::head_outputs: return silenced(head_outputs_on_demand(source_, d), silent);
    case Stage::concat: return silent.empty() ? concat_on_demand(source_, d, {}, {}) : Tensor();
    case Stage::output:
      return silent.empty() && projected ? concat_on_demand(source_, d, inputs().W_o, inputs().b_o) : Tensor();
    default: return stage_on_demand(source_, stage);
  }
}

void Pipeline::before_scores() {
  if (!trace_.standing_for(Stage::Q_scaled)) return;
  choose_source();
  // Before the scores, so that one sweep can compute the scores and the weights.
  if (!run_.override_stage && is_made(Stage::mask, trace_)) compute(Stage::mask);
  draw_dropout();
}

ScoreSteps Pipeline::score_steps() const {
  ScoreSteps steps;
  steps.queries = trace_[*trace_.standing_for(Stage::Q_scaled)];
  steps.keys = trace_[*trace_.standing_for(Stage::K_rotated)];
  steps.values = trace_[Stage::V_heads];
  steps.mask = trace_[Stage::mask];
  for (const Stage stage : all_stages()) {
    if (stage <= Stage::scores || stage == Stage::mask || !made_[static_cast<std::size_t>(stage)]) continue;
    if (!step_of(stage).parameters) continue;
    std::visit(
        [&](const auto& parameters) {
          if constexpr (requires { steps.take(parameters); }) steps.take(parameters);
        },
        step_of(stage).parameters(trace_));
  }
  return steps;
}

bool every_head_finite(const Tensor& heads) {
  if (projected_heads(heads)) return true;  // otherwise they would be stored
  return !any_matrix(heads, [](const MatrixView& head) { return !all_finite(head); });
}

std::string gigabytes(double bytes) { return formatted("%.1f GB", bytes / 1e9); }

// Not with a fill that leaks, with dropout, with cells painted over the mask, or with replaced stages.
bool Pipeline::parts_will_do() const {
  if (run_.override_stage || (scenario().training && scenario().dropout > 0)) return false;
  if (!trace_.mask_rule) return true;
  return trace_.fill <= -1e8F && scenario().mask_mode == MaskMode::fill && !trace_.mask_rule->paints_over();
}

Tensor Pipeline::projected_on_demand(Stage stage, const StageRecord& key) {
  const bool changes_heads = scenario().rope != Rope::none || scenario().qk_norm != QkNorm::none;
  const bool changed = changes_heads || (stage == Stage::Q && scenario().scale_first);
  if (stage != Stage::V && (changed || (stage != Stage::Q && stage != Stage::K))) return {};
  if (!key.sources[1].defined() || score_bytes_ <= most_kept() || !parts_will_do()) return {};
  const Index heads = stage == Stage::Q ? dims().heads : dims().kv_heads;
  auto source =
      std::make_shared<ProjectedHeads>(key.sources[0], key.sources[1], key.sources[2], heads, workers(stage).threads);
  const Tensor& x = key.sources[0];
  if (!identical(x, largest_in_.first)) largest_in_ = {x, largest_magnitude(x, workers(stage).threads)};
  return project_on_demand(std::move(source), {x.size(0), x.size(1), key.sources[1].size(0)}, largest_in_.second);
}

void Pipeline::choose_source() {
  if (score_bytes_ <= most_kept()) return;
  if (parts_will_do() && trace_.has(Stage::V_heads) && every_head_finite(trace_[Stage::V_heads])) {
    ScoreSteps steps = score_steps();
    steps.mask = {};
    steps.dropout.reset();
    std::shared_ptr<const ReadableMask> rule = trace_.mask_rule ? readable_mask(*trace_.mask_rule) : nullptr;
    source_ = std::make_shared<ScoreSource>(std::move(steps), Shape{dims().batch, dims().heads, dims().n_q, dims().n_k},
                                            std::move(rule), workers(Stage::scores).threads);
  }
  if (source_ || score_bytes_ <= 0.9 * machine_memory()) return;
  throw InputError("",
                   Message("the stages from scores to weights would take {0}, and this machine has {1}",
                           gigabytes(score_bytes_), gigabytes(machine_memory())),
                   "expected fewer tokens, heads or batch entries");
}

Tensor Pipeline::swept(Stage stage, const StageRecord& key) {
  const auto with_silent_heads = [&](const Tensor& made) {
    const auto* silence = std::get_if<SilenceParameters>(&key.parameters);
    return silence ? silenced(made, silence->heads) : made;
  };
  if (ahead_[stage].defined()) return with_silent_heads(ahead_[stage]);
  const Stage end = trace_.has(Stage::V_heads)                      ? Stage::head_outputs
                    : scenario().training && scenario().dropout > 0 ? Stage::dropped_weights
                                                                    : Stage::weights;
  const Stage last = run_.override_stage ? stage : end;  // a replaced stage changes all later stages
  Workers all = workers(stage);
  if (run_.progress) {
    all.progress = [this, stage, last](double share) {
      const double from = estimate_.share(stage, 0);
      run_.progress(stage, from + share * (estimate_.share(last, 1) - from));
    };
  }
  SweptStages made = sweep(score_steps(), stage, last, key.sources[0], all);
  if (run_.override_stage) return with_silent_heads(made[stage]);
  ahead_ = std::move(made);
  return with_silent_heads(ahead_[stage]);
}

void Pipeline::sweep_at_once() {
  swept_at_once_ = true;
  if (run_.last == Stage::mask) return;  // the mask exists already
  ScoreSteps steps = score_steps();
  steps.stored = run_.scores_kept;
  steps.stored->push_back(Stage::head_outputs);
  Stage last_scores = Stage::scores;  // without a mask this stage is masked_scores
  for (const Stage stage : all_stages()) {
    if (stage <= Stage::masked_scores && steps.has(stage)) last_scores = stage;
  }
  std::ranges::replace(*steps.stored, Stage::masked_scores, last_scores);
  SweptStages made = sweep(steps, Stage::scores, Stage::head_outputs, {}, workers(Stage::scores));
  for (const Stage stage : *steps.stored) trace_.records[static_cast<std::size_t>(stage)].output = made[stage];
  if (steps.stores(last_scores))
    trace_.records[static_cast<std::size_t>(Stage::masked_scores)].output = made[last_scores];
  Tensor& heads = trace_.records[static_cast<std::size_t>(Stage::head_outputs)].output;
  heads = silenced(heads, inputs().rules.silent_heads);
}

void Pipeline::draw_dropout() {
  if (!scenario().training || scenario().dropout <= 0) return;
  const float p = scenario().dropout;
  const Shape shape{dims().batch, dims().heads, dims().n_q, dims().n_k};
  Workers without_progress = workers(Stage::dropped_weights);
  without_progress.progress = {};
  const bool same_draw = last_ && last_->dropout_keep.defined() && last_->dropout_keep.shape() == shape &&
                         last_->scenario.dropout == p && last_->scenario.dropout_seed == scenario().dropout_seed;
  trace_.dropout_keep =
      same_draw ? last_->dropout_keep : dropout_keep(shape, p, scenario().dropout_seed, without_progress);
}

// Uses the seeded tensor of the last trace again if it would be equal; never one that came from a file.
template <typename Make>
Tensor seeded(const Trace* last, Tensor Trace::*member, const Trace& now, Make make) {
  const bool same = last && (last->*member).defined() && last->scenario.seed == now.scenario.seed &&
                    last->dims().heads == now.dims().heads && !last->inputs.rules.sink_logits.defined();
  return same ? last->*member : make();
}

/// The position of the first query: where set; at the end of the keys if a mask counts from the bottom right corner.
Index query_offset_of(const Scenario& scenario, const Dims& dims, const std::optional<MaskRule>& rule) {
  if (scenario.query_offset) return *scenario.query_offset;
  if (dims.n_q >= dims.n_k || !rule || !rule->expression.calls("causal_bottom_right")) return 0;
  return dims.n_k - dims.n_q;
}

void set_parameters(Trace& trace, const Trace* last) {
  const Scenario& scenario = trace.scenario;
  const Index heads = trace.dims().heads;
  const double d_head = static_cast<double>(trace.dims().d_head);
  trace.scale = scenario.scale.value_or(static_cast<float>(1 / std::sqrt(d_head)));
  trace.fill = scenario.fill.value_or(trace.inputs.fill.value_or(-std::numeric_limits<float>::infinity()));
  if (has_mask(scenario, trace.inputs)) trace.mask_rule = mask_rule(scenario, trace.inputs);
  trace.query_offset = query_offset_of(scenario, trace.dims(), trace.mask_rule);
  if (trace.inputs.rules.sink_logits.defined()) {
    trace.sink_logits = trace.inputs.rules.sink_logits;
  } else if (scenario.sink_logit) {
    trace.sink_logits =
        seeded(last, &Trace::sink_logits, trace, [&] { return Sampler(scenario.seed, "sink_logits").normal({heads}); });
  }
  if (scenario.t5_bias) {
    trace.t5_table = seeded(last, &Trace::t5_table, trace, [&] { return t5_table(heads, scenario.seed); });
  }
  trace.added = added_terms(trace, last);
}

}  // namespace

std::shared_ptr<const Trace> compute(const Scenario& scenario, Inputs inputs, const Trace* last, const Run& run) {
  check_inputs(scenario, inputs);
  auto trace = std::make_shared<Trace>();
  trace->scenario = with_rules(scenario, inputs.rules);
  trace->inputs = std::move(inputs);
  set_parameters(*trace, last);
  Pipeline(*trace, last, run).compute();
  if (run.summary != Summary::none)
    trace->summary =
        summarise(*trace, last ? last->summary.get() : nullptr, run.summary == Summary::first_look, run.stop);
  return trace;
}

std::shared_ptr<const Trace> compute(const Scenario& scenario, const Trace* last, const Run& run) {
  Inputs inputs = resolve(scenario, last ? &last->scenario : nullptr, last ? &last->inputs : nullptr, run.stop);
  return compute(scenario, std::move(inputs), last, run);
}

const Tensor& Trace::operator[](Stage stage) const {
  if (is_measure(stage)) return contributions;
  return is_parameter(stage) ? inputs.matrix(stage) : records[static_cast<std::size_t>(stage)].output;
}

bool Trace::has(const Cell& cell) const {
  const Tensor& tensor = (*this)[cell.stage];
  if (!tensor.defined()) return false;
  const MatrixView matrix = tensor.matrix();
  const Index batches = tensor.rank() >= 3 ? tensor.size(0) : 1, heads = tensor.rank() == 4 ? tensor.size(1) : 1;
  const auto below = [](Index at, Index size) { return at >= 0 && at < size; };
  return below(cell.batch, batches) && below(cell.head, heads) && below(cell.row, matrix.rows) &&
         below(cell.col, matrix.cols);
}

std::vector<Stage> Trace::stages() const {
  std::vector<Stage> present;
  for (const Stage stage : all_stages()) {
    if (has(stage)) present.push_back(stage);
  }
  return present;
}

std::string Trace::name_of(Stage stage) const {
  return (gradients_of && stage != Stage::mask ? "d_" : "") + std::string(name(stage));
}

Palette Trace::palette_of(Stage stage) const {
  return gradients_of && stage != Stage::mask ? Palette::diverging : info(stage).palette;
}

CellMasks masks_over(const Trace& trace, Stage stage, Index batch, Index head) {
  CellMasks masks;
  const Cover cover = info(stage).cover;
  if (cover != Cover::none && trace.has(Stage::mask)) masks.allowed = trace[Stage::mask].matrix(batch, head);
  if (cover == Cover::mask_and_dropout && trace.dropout_keep.defined())
    masks.kept = trace.dropout_keep.matrix(batch, head);
  masks.show_leaks = info(stage).lane == Lane::weights && !trace.gradients_of;
  return masks;
}

}  // namespace headlight
