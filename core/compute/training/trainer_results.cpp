// What can be looked at in a run: kept steps, the probe, measurements, the next step's gradients, a model's files.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/compute/training/trained_model.h"
#include "core/compute/training/trainer_state.h"
#include "core/scenario/settings/setting_text.h"

namespace headlight {

std::vector<KeptStep> Trainer::kept() const {
  const std::lock_guard lock(state_->mutex);
  return state_->kept;
}

KeptStep Trainer::kept_at(Index step) const {
  const std::lock_guard lock(state_->mutex);
  const auto& kept = state_->kept;
  const auto after = std::ranges::upper_bound(kept, step, {}, &KeptStep::step);
  return after == kept.begin() ? kept.front() : *(after - 1);
}

Probe Trainer::probe(Index number) const {
  Sampler sampler(static_cast<std::uint64_t>(number), "probe");
  const auto n = static_cast<std::size_t>(data_.length());
  Probe probe;
  probe.tokens.resize(n);
  probe.targets.resize(n);
  data_.draw(sampler, true, probe.tokens, probe.targets);
  probe.text = data_.text_of(probe.tokens);
  return probe;
}

ProbeAnswers Trainer::answers(const Probe& probe, const KeptStep& at) const {
  const NetworkShape& shape = state_->shape;
  const Index n = data_.length(), V = shape.vocabulary;
  Pass pass(shape, state_->layout, 1, n);
  pass.forward(at.weights.values().data(), probe.tokens);
  ProbeAnswers answers;
  double loss = 0;
  Index asked = 0;
  for (Index i = 0; i < n; ++i) {
    const auto row = pass.logits().subspan(static_cast<std::size_t>(i * V), static_cast<std::size_t>(V));
    const auto most = std::ranges::max_element(row);
    answers.answers.push_back(static_cast<std::int32_t>(most - row.begin()));
    const std::int32_t target = probe.targets[static_cast<std::size_t>(i)];
    double sum = 0;
    for (const float logit : row) sum += std::exp(static_cast<double>(logit - *most));
    const double p =
        target < 0 ? 0 : std::exp(static_cast<double>(row[static_cast<std::size_t>(target)] - *most)) / sum;
    answers.probability.push_back(static_cast<float>(p));
    if (target < 0) continue;
    ++asked;
    loss -= std::log(p);
  }
  answers.loss = loss / static_cast<double>(std::max<Index>(asked, 1));
  for (Index layer = 0; layer < shape.layers; ++layer) {
    const auto weights = pass.weights_of(layer);
    answers.weights.emplace_back(Shape{1, shape.heads, n, n}, Buffer(weights.begin(), weights.end()));
  }
  return answers;
}

Measured Trainer::measure(const KeptStep& at, Index sequences) const {
  constexpr Index at_once = 32;
  Passes passes(state_->shape, state_->layout, at_once, data_.length(), 1);
  return state_->measure(settings_, data_, at, sequences, passes, {});
}

Measured Trainer::State::measure(const TrainingSettings& settings, const TrainingData& data, const KeptStep& at,
                                 Index sequences, Passes& on, const Workers& by) const {
  const auto n = static_cast<std::size_t>(data.length());
  Sampler sampler(settings.seed, "fresh");
  std::vector<std::int32_t> drawn(static_cast<std::size_t>(sequences) * n), answers(drawn);
  for (std::size_t row = 0; row < drawn.size(); row += n)
    data.draw(sampler, true, std::span(drawn).subspan(row, n), std::span(answers).subspan(row, n));
  const Index blocks = (sequences + on.sequences() - 1) / on.sequences();
  std::vector<PassLoss> losses(static_cast<std::size_t>(blocks));
  const double cost = 2.0 * static_cast<double>(drawn.size()) * static_cast<double>(layout.count);
  by.run(blocks, cost, [&](Index block) {
    const auto first = static_cast<std::size_t>(block * on.sequences()) * n;
    const auto count = std::min(static_cast<std::size_t>(on.sequences()) * n, drawn.size() - first);
    on.lend([&](Pass& pass) {
      pass.forward(at.weights.values().data(), std::span(drawn).subspan(first, count));
      losses[static_cast<std::size_t>(block)] = pass.loss(std::span(answers).subspan(first, count), 1);
    });
  });
  PassLoss total;
  for (const PassLoss& loss : losses) total += loss;
  const auto all = static_cast<double>(std::max<Index>(answers_in(answers), 1));
  return {at.step, total.sum / all, static_cast<double>(total.right) / all};
}

StepRecord Trainer::record() const {
  const State& p = *state_;
  StepRecord record;
  State next(settings_, data_);  // draws the batch that the next step will draw
  next.batches = p.batches;
  next.done = p.done;
  next.tokens = next.targets = std::vector<std::int32_t>(p.tokens.size());
  const float by = 1 / static_cast<float>(std::max<Index>(next.draw(data_), 1));
  Pass pass(p.shape, p.layout, settings_.batch_size, data_.length());
  StageBook book(p.shape.layers, settings_.batch_size, data_.length());
  Buffer gradients(static_cast<std::size_t>(p.layout.count), 0.0F);
  pass.forward(p.weights.data(), next.tokens, next.dropout(settings_), &book);
  record.loss = pass.loss(next.targets, by).sum * static_cast<double>(by);
  pass.backward(p.weights.data(), gradients.data(), &book);
  record.step = p.done + 1;
  record.weights = Tensor({p.layout.count}, Buffer(p.weights));
  record.gradients = Tensor({p.layout.count}, std::move(gradients));
  for (Index layer = 0; layer < p.shape.layers; ++layer) {
    record.stages.push_back(book.take(layer, false));
    record.stage_gradients.push_back(book.take(layer, true));
  }
  record.tokens = std::move(next.tokens);
  record.targets = std::move(next.targets);
  return record;
}

std::vector<NamedArray> Trainer::record_arrays() const {
  const StepRecord record = this->record();
  std::vector<NamedArray> arrays;
  const auto add_parameters = [&](const std::string& prefix, const Tensor& all) {
    for (const ParameterRow& row : state_->layout.rows) {
      if (row.learned)
        arrays.push_back({prefix + row.name, all.slice(0, row.first, row.count()).contiguous().view(row.shape())});
    }
  };
  add_parameters("param.", record.weights);
  add_parameters("grad.", record.gradients);
  const auto ids = [&](const std::vector<std::int32_t>& from) {
    Buffer numbers;
    for (const std::int32_t id : from) numbers.push_back(static_cast<float>(id));
    return Tensor({settings_.batch_size, data_.length()}, std::move(numbers));
  };
  arrays.push_back({"tokens", ids(record.tokens)});
  arrays.push_back({"targets", ids(record.targets)});
  arrays.push_back({"loss", Tensor::full({}, static_cast<float>(record.loss))});
  for (std::size_t layer = 0; layer < record.stages.size(); ++layer) {
    const std::string at = "layers." + std::to_string(layer) + ".";
    const LayerStages &values = record.stages[layer], &slopes = record.stage_gradients[layer];
    arrays.push_back({at + "residual", values.residual});
    arrays.push_back({at + "d_residual", slopes.residual});
    if (values.kept.defined()) arrays.push_back({at + "dropout_keep", values.kept, true});
    for (const Stage stage : all_stages()) {
      if (values[stage].defined())
        arrays.push_back({at + std::string(name(stage)), values[stage], stage == Stage::mask});
      if (slopes[stage].defined()) arrays.push_back({at + gradient_name(stage), slopes[stage]});
    }
  }
  return arrays;
}

namespace {

std::string config_text(const NetworkShape& s) {
  nlohmann::ordered_json config{{"architectures", {"GPT2LMHeadModel"}},
                                {"model_type", "gpt2"},
                                {"activation_function", "gelu_new"},
                                {"layer_norm_epsilon", 1e-5},
                                {"n_positions", s.length},
                                {"n_ctx", s.length},
                                {"tie_word_embeddings", true},
                                {"scale_attn_weights", true},
                                {"attn_pdrop", 0.0},
                                {"embd_pdrop", 0.0},
                                {"resid_pdrop", 0.0},
                                {"vocab_size", s.vocabulary},
                                {"n_embd", s.d_model},
                                {"n_head", s.heads},
                                {"n_layer", s.layers},
                                {"n_inner", s.hidden}};
  if (s.is_gpt2()) return config.dump(1) + "\n";
  for (const char* of_gpt2 : {"architectures", "scale_attn_weights"}) config.erase(of_gpt2);
  config["model_type"] = "headlight";
  config["kv_heads"] = s.kv_heads;
  config["norms"] = s.norms;
  config["positions"] = s.positions != TrainedPositions::none;
  config["mask"] = s.mask;
  config["dead_row"] = word(s.dead_row);
  config["scale"] = static_cast<double>(s.scale);
  if (s.softcap) config["softcap"] = static_cast<double>(*s.softcap);
  config["rope"] = word(s.rope);
  config["rope_base"] = static_cast<double>(s.rope_base);
  config["alibi"] = s.alibi;
  return config.dump(1) + "\n";
}

}  // namespace

TrainedModel Trainer::model(const KeptStep& at, const std::optional<Measured>& measured) const {
  TrainedModel model;
  model.name = run_name(settings_, at.step);
  model.task = data_.task() ? settings_.task : "text";
  model.config = config_text(state_->shape);
  model.tokenizer = data_.tokenizer_json();
  nlohmann::ordered_json run{{"task", model.task}, {"run", model.name}, {"step", at.step}};
  for (const TrainingSetting& row : training_settings()) run["settings"][std::string(row.key)] = row.text(settings_);
  run["parameters"] = parameters();
  run["chance"] = data_.chance();
  run["ceiling"] = ceiling_ ? nlohmann::ordered_json(ceiling_->accuracy) : nlohmann::ordered_json();
  if (measured) {
    run["accuracy"] = measured->accuracy;
    run["loss"] = measured->loss;
  }
  run["example"] = model.example = probe().text;
  model.run = run.dump(1) + "\n";
  for (const ParameterRow& row : state_->layout.rows) {
    const Tensor values = at.weights.slice(0, row.first, row.count()).contiguous();
    model.arrays.push_back({row.name, values.view(row.shape())});
  }
  return model;
}

}  // namespace headlight
