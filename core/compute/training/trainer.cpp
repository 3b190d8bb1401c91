#include "core/compute/training/trainer.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/base/tensor/error.h"
#include "core/base/tensor/memory.h"
#include "core/base/text/number_text.h"
#include "core/compute/attention/kernels/kernels.h"
#include "core/compute/training/trainer_state.h"

namespace headlight {
namespace {

constexpr float beta1 = 0.9F, beta2 = 0.98F, adam_epsilon = 1e-8F;
constexpr Index most_kept = 200;
constexpr Index measured_sequences = 256;
constexpr Index most_parts = 8;  // of a step, and so threads
constexpr Index parameters_a_block = 1 << 13;

/// In how many parts the sequences of a step are computed: by shape alone, so that the sums of the gradients do not
/// depend on the number of threads. Small steps are one part: a second thread would start too late.
Index parts_of(const NetworkShape& shape, Index sequences, Index parameters) {
  constexpr double work_a_part = 4e7;
  const double work = 6.0 * static_cast<double>(sequences * shape.length) * static_cast<double>(parameters);
  return std::clamp(static_cast<Index>(work / work_a_part), Index{1}, std::min<Index>(sequences, most_parts));
}

std::string megabytes(double bytes) { return formatted("%.0f MB", bytes / 1e6); }

void check_memory(double bytes, const char* what) {
  const double most = memory_budget();
  if (bytes <= most) return;
  throw SettingError("", Message(what, megabytes(bytes)), Message("expected at most {0}", megabytes(most)));
}

}  // namespace

Trainer::Trainer(TrainingSettings settings, int threads, double kept_bytes)
    : settings_((check_training(settings), std::move(settings))), data_(settings_) {
  ceiling_ = training_ceiling(settings_, data_);
  state_ = std::make_unique<State>(settings_, data_);
  State& p = *state_;
  const Index sequences = settings_.batch_size, count = p.layout.count;
  const Index parts = parts_of(p.shape, sequences, count);
  const double bytes = 4.0 * static_cast<double>(count);
  const Index largest = (sequences + parts - 1) / parts;
  const int available = threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  p.workers.threads = std::min<int>(available, most_parts);
  check_memory(
      p.workers.threads * Pass::bytes(p.shape, largest, data_.length()) + static_cast<double>(3 + parts) * bytes,
      "one step needs {0}");
  p.most = std::min<Index>(most_kept, static_cast<Index>(kept_bytes / bytes));
  if (p.most < 3)
    throw SettingError("",
                       Message("the weights of one step have {0}, and the memory for kept steps is {1}",
                               megabytes(bytes), megabytes(kept_bytes)),
                       "expected room for three steps: fewer layers, or a smaller d_model");
  const auto floats = static_cast<std::size_t>(count);
  p.weights = Buffer(floats, 0.0F);
  p.mean = p.square = Buffer(floats, 0.0F);
  draw_weights(p.shape, p.layout, settings_.seed, p.weights.data());
  for (Index i = 0; i < parts; ++i) {
    const Index first = sequences * i / parts, after = sequences * (i + 1) / parts;
    p.parts.push_back({first, after - first, Buffer(floats, 0.0F)});
  }
  p.passes = std::make_unique<Passes>(p.shape, p.layout, largest, data_.length(), p.workers.threads);
  p.tokens.resize(static_cast<std::size_t>(sequences * data_.length()));
  p.targets.resize(p.tokens.size());
  losses_.reserve(static_cast<std::size_t>(settings_.steps));
  measured_.reserve(static_cast<std::size_t>(settings_.steps / measured_every + 3));
  p.kept.reserve(static_cast<std::size_t>(p.most + 1));
  keep();
  measured_.push_back(p.measure(settings_, data_, p.kept.back(), measured_sequences, *p.passes, p.workers));
}

Trainer::~Trainer() = default;

const NetworkShape& Trainer::shape() const { return state_->shape; }
Index Trainer::parameters() const { return state_->layout.learned; }

Index Trainer::State::draw(const TrainingData& data) {
  const auto n = static_cast<std::size_t>(data.length());
  for (std::size_t at = 0; at < tokens.size(); at += n)
    data.draw(batches, false, std::span(tokens).subspan(at, n), std::span(targets).subspan(at, n));
  return answers_in(targets);
}

// Leaves each part's sum of gradients of the mean loss over all answers.
PassLoss Trainer::State::step_gradients(const TrainingSettings& settings, const TrainingData& data) {
  const auto n = static_cast<std::size_t>(data.length());
  const float by = 1 / static_cast<float>(std::max<Index>(draw(data), 1));
  const auto compute = [&](Index i) {
    TrainingPart& part = parts[static_cast<std::size_t>(i)];
    const auto first = static_cast<std::size_t>(part.first) * n, count = static_cast<std::size_t>(part.count) * n;
    PassDropout own = dropout(settings);
    own.first_sequence = part.first;
    passes->lend([&](Pass& pass) {
      pass.forward(weights.data(), std::span(tokens).subspan(first, count), own);
      part.loss = pass.loss(std::span(targets).subspan(first, count), by);
      pass.backward(weights.data(), part.gradients.data());
    });
  };
  const auto size = static_cast<Index>(parts.size());
  if (size == 1) compute(0);
  else workers.run(size, 1e12, [&compute](Index i) { compute(i); });
  PassLoss total;
  for (const TrainingPart& part : parts) total += part.loss;
  total.sum *= static_cast<double>(by);
  return total;
}

// AdamW on the sum of the parts' gradients, in the parts' order.
void Trainer::State::update(const TrainingSettings& settings) {
  const auto step = static_cast<double>(done + 1);
  const AdamWStep how{settings.rate,
                      settings.decay,
                      beta1,
                      beta2,
                      adam_epsilon,
                      static_cast<float>(1 - std::pow(static_cast<double>(beta1), step)),
                      static_cast<float>(1 - std::pow(static_cast<double>(beta2), step))};
  Buffer& sum = parts.front().gradients;
  const auto block = [&](Index first, Index count) {
    for (std::size_t i = 1; i < parts.size(); ++i)
      kernels().add(sum.data() + first, parts[i].gradients.data() + first, count);
    kernels().adamw(weights.data() + first, mean.data() + first, square.data() + first, sum.data() + first, count, how);
  };
  const auto all = [&](Index first, Index end) {  // the table of sinusoids, if there is one, is left out
    const auto blocks = (end - first + parameters_a_block - 1) / parameters_a_block;
    const auto each = [&](Index i) {
      const Index at = first + i * parameters_a_block;
      block(at, std::min(parameters_a_block, end - at));
    };
    if (parts.size() == 1) {
      for (Index i = 0; i < blocks; ++i) each(i);
    } else {
      workers.run(blocks, 20.0 * static_cast<double>(end - first), [&each](Index i) { each(i); });
    }
  };
  if (shape.positions == TrainedPositions::sinusoidal) {
    const Index after = layout.positions + shape.length * shape.d_model;
    all(0, layout.positions);
    all(after, layout.count);
  } else {
    all(0, layout.count);
  }
}

bool Trainer::train(Index count, const std::stop_token& stop) {
  State& p = *state_;
  for (Index i = 0; i < count && step() < settings_.steps; ++i) {
    if (stop.stop_requested()) throw Cancelled();
    const PassLoss loss = p.step_gradients(settings_, data_);
    if (!std::isfinite(loss.sum))
      throw InputError("",
                       Message("the loss is no number in step {0}: the run stops, earlier steps are kept", step() + 1),
                       Message("expected a rate below {0}", shortest(settings_.rate)));
    p.update(settings_);
    ++p.done;
    losses_.push_back(static_cast<float>(loss.sum));
    keep();
    if (step() % measured_every == 0 || step() == settings_.steps)
      measured_.push_back(p.measure(settings_, data_, p.kept.back(), measured_sequences, *p.passes, p.workers));
  }
  return step() < settings_.steps;
}

// Powers of two stay; of the others every `stride`-th, which doubles when there is no room; and the newest.
void Trainer::keep() {
  State& p = *state_;
  const std::lock_guard lock(p.mutex);
  const auto is_power = [](Index step) { return (step & (step - 1)) == 0; };  // 0 too
  const auto stays = [&](const KeptStep& kept) { return is_power(kept.step) || kept.step % p.stride == 0; };
  if (!p.kept.empty() && !stays(p.kept.back())) p.kept.pop_back();
  while (static_cast<Index>(p.kept.size()) >= p.most) {
    p.stride *= 2;
    if (p.stride > 2 * p.done + 2) {
      p.kept.erase(p.kept.begin() + static_cast<std::ptrdiff_t>(p.kept.size()) / 2);
      continue;
    }
    std::erase_if(p.kept, [&](const KeptStep& kept) { return !stays(kept); });
  }
  p.kept.push_back({p.done, p.newest.copy(p.weights)});
}

}  // namespace headlight
