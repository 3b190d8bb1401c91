#include "core/compute/network/logit_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "core/base/tensor/error.h"
#include "core/compute/network/forward.h"
#include "core/compute/network/sampling.h"
#include "core/compute/network/weights.h"

namespace headlight {
namespace {

using Row = std::vector<double>;
using What = LogitPart::What;

Row row_at(const Tensor& x, Index batch, Index position) {
  const MatrixView m = x.matrix(std::min(batch, x.size(0) - 1));
  Row row(static_cast<std::size_t>(m.cols));
  for (Index c = 0; c < m.cols; ++c) row[static_cast<std::size_t>(c)] = static_cast<double>(m(position, c));
  return row;
}

double dot(const Row& a, const Row& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

Row plus(Row a, const Row& b, double factor = 1) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
  return a;
}

/// Element i of a vector [n]; some files store biases as [1, n].
double at(const Tensor& vector, std::size_t i) {
  return static_cast<double>(vector.matrix()(0, static_cast<Index>(i)));
}

/// matrixᵀ · r, of matrix [out, in].
Row back_through(const Tensor& matrix, const Row& r) {
  const MatrixView m = matrix.matrix();
  Row to(static_cast<std::size_t>(m.cols));
  for (Index row = 0; row < m.rows; ++row) {
    const double factor = r[static_cast<std::size_t>(row)];
    for (Index c = 0; c < m.cols; ++c) to[static_cast<std::size_t>(c)] += factor * static_cast<double>(m(row, c));
  }
  return to;
}

Row through(const Linear& linear, const Row& x) {
  if (!linear.weight.defined()) return x;
  const MatrixView m = linear.weight.matrix();
  Row to;
  for (Index row = 0; row < m.rows; ++row) {
    double sum = linear.bias.defined() ? at(linear.bias, static_cast<std::size_t>(row)) : 0;
    for (Index c = 0; c < m.cols; ++c) sum += static_cast<double>(m(row, c)) * x[static_cast<std::size_t>(c)];
    to.push_back(sum);
  }
  return to;
}

/// Splits a logit into parts, from the head back to the embedding. direction_ · row is what a row of the residual
/// stream adds to the logit; the scale of each norm is taken as a constant.
class Attribution {
 public:
  Attribution(const NetworkRun& run, const Checkpoint& checkpoint, Index batch, Index position)
      : run_(run),
        spec_(run.network->spec()),
        checkpoint_(checkpoint),
        forward_(*run.network, checkpoint, options_),
        stack_(static_cast<Index>(spec_.stacks.size()) - 1),
        batch_(batch),
        place_(run.logits.size(1) == 1 || position < 0 ? position_of_prediction(run, batch) : position) {
    if (stack().projection.there()) projection_ = read_linear(checkpoint, stack().projection);
  }

  LogitParts of(Index word, std::optional<Index> other);

 private:
  const StackSpec& stack() const { return spec_.stacks.back(); }
  double logit_of(Index word) const;
  void add_word(Index word, double sign);
  void past_block(Index block);
  void past_attention(Index layer, const NormSpec& after, const AttentionSpec& spec, double multiplier, double bias);
  std::vector<double> sources_of(Index layer, Index head, std::span<const double> direction) const;
  void past_embedding();
  /// Takes direction_ from the norm's output back to its input, with the scale of the row `normalised`. Returns what
  /// the norm's bias adds to the logit.
  double past_norm(const NormSpec& spec, const Row& normalised);
  void add(What what, double constant, Row state, Row direction, std::optional<Index> layer = {},
           std::optional<Index> head = {}) {
    LogitPart& part = made_.parts.emplace_back(LogitPart{what, layer, head});
    part.value = constant + dot(state, direction);
    part.state = std::move(state);
    part.direction = std::move(direction);
    part.constant = constant;
  }
  Row row(const Tensor& x) const { return row_at(x, batch_, place_); }
  Row normed(const Row& x, const NormSpec& spec) const;

  const NetworkRun& run_;
  const NetworkSpec& spec_;
  const Checkpoint& checkpoint_;
  const RunOptions options_{};
  const Forward forward_;
  Index stack_, batch_, place_;
  Linear projection_{};
  LogitParts made_;
  Row direction_;
  double bias_ = 0;
};

double Attribution::logit_of(Index word) const {
  const MatrixView logits = run_.logits.matrix(batch_);
  return static_cast<double>(logits(std::min(place_, logits.rows - 1), word));
}

/// Adds the word's row of the output matrix to direction_ and its bias to bias_, times the scale of the logits. A
/// soft-cap counts as the factor (capped logit) / (raw logit).
void Attribution::add_word(Index word, double sign) {
  const auto [numbers, bias] = run_.network->word_row(word);
  const Row word_weights(numbers.begin(), numbers.end());
  double factor = sign * spec_.head.scale;
  if (spec_.head.softcap) {
    const Row last = through(projection_, normed(row(run_.final), stack().final_norm));
    const double cap = *spec_.head.softcap,
                 raw = spec_.head.scale * (dot(word_weights, last) + static_cast<double>(bias));
    if (raw != 0) factor *= cap * std::tanh(raw / cap) / raw;
  }
  if (direction_.empty()) direction_.resize(word_weights.size());
  direction_ = plus(std::move(direction_), word_weights, factor);
  bias_ += factor * static_cast<double>(bias);
}

double Attribution::past_norm(const NormSpec& spec, const Row& normalised) {
  if (spec.kind == NormKind::none) return 0;
  const Norm norm = read_norm(checkpoint_, spec);
  const auto d = static_cast<double>(normalised.size());
  const bool centred = spec.kind == NormKind::layer;
  const double mean = centred ? std::accumulate(normalised.begin(), normalised.end(), 0.0) / d : 0;
  double squares = 0, bias = 0;
  for (const double v : normalised) squares += (v - mean) * (v - mean);
  const double scale = 1 / std::sqrt(squares / d + norm.epsilon);
  for (std::size_t i = 0; i < direction_.size(); ++i) {
    if (norm.bias.defined()) bias += direction_[i] * at(norm.bias, i);
    direction_[i] *= scale * (norm.weight.defined() ? at(norm.weight, i) : 1);
  }
  const double shift = centred ? std::accumulate(direction_.begin(), direction_.end(), 0.0) / d : 0;
  for (double& v : direction_) v -= shift;
  return bias;
}

Row Attribution::normed(const Row& x, const NormSpec& spec) const {
  if (spec.kind == NormKind::none) return x;
  Buffer values;
  for (const double v : x) values.push_back(static_cast<float>(v));
  return row_at(forward_.normed(Tensor({1, 1, static_cast<Index>(x.size())}, std::move(values)), spec), 0, 0);
}

/// Adds the parts of one attention's heads, each through its columns of W_o. `bias`: what the bias of the norm after it
/// adds.
void Attribution::past_attention(Index layer, const NormSpec& after, const AttentionSpec& spec, double multiplier,
                                 double bias) {
  const Tensor& heads = run_.layers[static_cast<std::size_t>(layer)].heads;
  Row concat;
  for (Index h = 0; h < heads.size(1); ++h) {
    const MatrixView m = heads.matrix(batch_, h);
    for (Index c = 0; c < m.cols; ++c) concat.push_back(static_cast<double>(m(place_, c)));
  }
  const Linear projection = spec.o.there() ? read_linear(checkpoint_, spec.o) : Linear{};
  const Row stream = direction_;
  for (double& v : direction_) v *= multiplier;
  bias += past_norm(after, through(projection, concat));
  const Row mixed = projection.weight.defined() ? back_through(projection.weight, direction_) : direction_;
  const auto d = static_cast<std::size_t>(heads.size(3));
  add(What::attention_bias, bias, projection.bias.defined() ? row_at(projection.bias, 0, 0) : Row{},
      projection.bias.defined() ? direction_ : Row{}, layer);
  for (Index h = heads.size(1); h-- > 0;) {
    const auto head_part = [&](const Row& all) {
      const std::span part = std::span(all).subspan(static_cast<std::size_t>(h) * d, d);
      return Row(part.begin(), part.end());
    };
    add(What::head, 0, head_part(concat), head_part(mixed), layer, h);
    made_.parts.back().sources = sources_of(layer, h, made_.parts.back().direction);
  }
  direction_ = stream;
}

/// What the value of each key adds to the logit through this head, whose own part is `direction` · its output.
std::vector<double> Attribution::sources_of(Index layer, Index head, std::span<const double> direction) const {
  const LayerRun& at = run_.layers[static_cast<std::size_t>(layer)];
  const bool drops = run_.change && run_.change->layer == layer && run_.change->settings.dropout > 0;
  if (!at.weights.defined() || !at.values.defined() || drops) return {};
  const MatrixView weights = at.weights.matrix(batch_, head),
                   values = at.values.matrix(batch_, head * at.values.size(1) / at.weights.size(1));
  const bool silent = run_.knock_out.contains({layer, head});
  if (silent && run_.means) return {};
  std::vector<double> sources;
  for (Index k = 0; k < weights.cols; ++k) {
    double product = 0;
    const double weight = silent ? 0 : static_cast<double>(weights(place_, k));
    for (Index c = 0; c < values.cols && weight != 0; ++c)
      product += direction[static_cast<std::size_t>(c)] * static_cast<double>(values(k, c));
    sources.push_back(weight * product);
  }
  return sources;
}

/// Adds the parts of a block, x ← sum_norm(x + added), from its MLP back to its input.
void Attribution::past_block(Index block) {
  const BlockSpec& spec = stack().blocks[static_cast<std::size_t>(block)];
  const Index self = run_.network->layer_at(stack_, block).value();
  const LayerRun& own = run_.layers[static_cast<std::size_t>(self)];
  const Index cross = run_.network->layer_at(stack_, block, true).value_or(-1);
  const Row attended = plus(row(own.residual), row(own.added));
  Row before_mlp = spec.parallel ? attended : normed(attended, spec.attention_sum), crossed;
  if (cross >= 0) {
    crossed = plus(before_mlp, row(run_.layers[static_cast<std::size_t>(cross)].added));
    before_mlp = normed(crossed, spec.cross_sum);
  }
  if (own.mlp.defined()) {
    const Row mlp = row(own.mlp);
    const double bias = past_norm(spec.mlp_sum, plus(before_mlp, mlp, spec.multiplier));
    Row mlp_direction = direction_;
    for (double& each : mlp_direction) each *= spec.multiplier;
    add(What::mlp, bias, mlp, std::move(mlp_direction), self);
  }
  if (cross >= 0) {
    const double bias = past_norm(spec.cross_sum, crossed);
    past_attention(cross, {}, *spec.cross, spec.multiplier, bias);
  }
  const double bias = spec.parallel ? 0 : past_norm(spec.attention_sum, attended);
  past_attention(self, spec.after_attention, spec.attention, spec.multiplier, bias);
}

void Attribution::past_embedding() {
  const Forward::EmbeddingParts parts = forward_.embedding_parts(stack(), run_.text);
  const Row word = row(parts.words);
  const Row place = parts.places.defined() ? row(parts.places) : Row(word.size());
  const double bias = past_norm(stack().embedding.norm, plus(word, place));
  if (parts.places.defined()) add(What::position, 0, place, direction_);
  add(What::token, bias, word, direction_);
}

LogitParts Attribution::of(Index word, std::optional<Index> other) {
  made_ = {word, other, logit_of(word) - (other ? logit_of(*other) : 0), {}};
  add_word(word, 1);
  if (other) add_word(*other, -1);
  if (projection_.weight.defined()) {
    for (std::size_t i = 0; projection_.bias.defined() && i < direction_.size(); ++i)
      bias_ += direction_[i] * at(projection_.bias, i);
    direction_ = back_through(projection_.weight, direction_);
  }
  bias_ += past_norm(stack().final_norm, row(run_.final));
  add(What::final_bias, bias_, {}, {});
  for (Index block = std::ssize(stack().blocks); block-- > 0;) past_block(block);
  past_embedding();
  std::ranges::reverse(made_.parts);  // in the order of the pass
  return made_;
}

constexpr std::string_view part_names[] = {"token", "position", "head", "attention_bias", "mlp", "final_bias"};
constexpr std::string_view state_names[] = {"residual", "heads", "mlp"};

}  // namespace

std::string_view name(LogitPart::What what) { return part_names[static_cast<std::size_t>(what)]; }

bool Network::has_parts() const {
  const HeadSpec& head = spec_.head;
  return !head.transform.there() && head.activation == Activation::identity && head.norm.kind == NormKind::none &&
         head.reads == HeadReads::first;
}

LogitParts Network::parts_of(const NetworkRun& run, Index batch, Index word, std::optional<Index> other,
                             Index position) const {
  if (!has_parts())
    throw SettingError(
        "--why",
        Message(spec_.head.reads != HeadReads::first ? "the logits of {0} are made of more than one token"
                                                     : "the logits of {0} go through a layer that is not linear",
                spec_.family),
        "expected a network whose logits are a sum of parts, such as GPT-2");
  return Attribution(run, *checkpoint_, batch, position).of(word, other);
}

Tensor Network::logits_of(const Tensor& x, int threads) const {
  RunOptions options;
  options.threads = threads;
  return Forward(*this, *checkpoint_, options).logits(x);
}

std::vector<LensCell> lens_after(const NetworkRun& run, Index batch, Index block) {
  const Network& network = *run.network;
  if (network.spec().head.reads != HeadReads::first)
    throw SettingError("--lens", Message("the logits of {0} are made of more than one token", network.spec().family),
                       "expected a network whose logits are made of one");
  const auto next = network.layer_at(std::ssize(network.spec().stacks) - 1, block + 1);
  // A block's output is the next block's input.
  const Tensor& output = next ? run.layers[static_cast<std::size_t>(*next)].residual : run.final;
  const Tensor logits = network.logits_of(output.slice(0, batch, 1).contiguous());
  const Index count = run.text.last_stack().lengths[static_cast<std::size_t>(batch)];
  const MatrixView whole = run.logits.matrix(batch), rows = logits.matrix();
  std::vector<LensCell> line;
  Buffer room;
  for (Index q = 0; q < count; ++q) {
    const Index predicted = largest_of_row(whole, std::min(q, whole.rows - 1), 1).front();
    const std::span row(rows.whole_row(q, room), static_cast<std::size_t>(rows.cols));
    const std::vector<double> shares = shares_of(row, {});
    const Index id = largest_of_row(rows, q, 1).front();
    line.push_back(
        {{id, network.word(id), shares[static_cast<std::size_t>(id)]}, shares[static_cast<std::size_t>(predicted)]});
  }
  return line;
}

std::vector<std::vector<LensCell>> lens_of(const NetworkRun& run, Index batch) {
  std::vector<std::vector<LensCell>> lens;
  for (Index block = 0; block < std::ssize(run.network->spec().stacks.back().blocks); ++block)
    lens.push_back(lens_after(run, batch, block));
  return lens;
}

std::string_view name(Patch::What what) { return state_names[static_cast<std::size_t>(what)]; }

Patch::What state_named(std::string_view word) {
  const auto found = std::ranges::find(state_names, word);
  if (found == std::end(state_names))
    throw SettingError("--what", Message("\"{0}\" is nothing that is patched", std::string(word)),
                       "expected residual, heads or mlp");
  return static_cast<Patch::What>(found - std::begin(state_names));
}

namespace {

void check_patch(const Network& network, const NetworkText& text, const NetworkText& from) {
  if (network.spec().stacks.size() != 1)
    throw SettingError("patch", Message("{0} has two stacks", network.title()),
                       "expected a network of one, such as GPT-2");
  for (const auto& [read, option] : {std::pair{&text, "--text"}, {&from, "--from"}}) {
    if (read->tokens.size() != 1)
      throw SettingError(option, Message("has {0} lines", read->tokens.size()), "expected one");
  }
  if (text.tokens.count() != from.tokens.count())
    throw SettingError("--from",
                       Message("number of tokens: {0}, of --text: {1}", from.tokens.count(), text.tokens.count()),
                       "expected as many, so that every position has its counterpart");
}

}  // namespace

PatchGrid patch_grid(const Network& network, const NetworkText& text, const NetworkText& from, Patch::What what,
                     Index word, const RunOptions& options,
                     const std::function<void(const PatchGrid& so_far, double share)>& told,
                     std::optional<Index> other_word) {
  check_patch(network, text, from);
  RunOptions how = options;
  how.weights = false;
  how.parts = true;
  const NetworkRun base = network.run(text, how), other = network.run(from, how);
  const Index place = place_of_prediction(base, 0);
  const auto logit = [&](const NetworkRun& run) {
    const bool one = network.spec().head.reads == HeadReads::first;
    const Tensor logits =
        network.logits_of(one ? run.final.slice(1, place, 1).contiguous() : run.final, options.threads);
    const auto of_token = [&](Index id) { return static_cast<double>(logits.matrix()(0, id)); };
    return of_token(word) - (other_word ? of_token(*other_word) : 0);
  };
  how.logits = RunOptions::Logits::none;  // logit() computes them for one row
  how.parts = false;
  how.from = &base;
  how.patched_with = &other;
  PatchGrid made{logit(base), 0, {}};
  const Index layers = std::ssize(network.layers());
  std::vector<Patch> all;
  for (Index layer = 0; layer < layers; ++layer) {
    const bool has_mlp = base.layers[static_cast<std::size_t>(layer)].mlp.defined();
    const Index columns = what == Patch::What::heads ? base.heads_of(layer) : text.tokens.count();
    made.grid.emplace_back();
    for (Index at = 0; at < columns; ++at) {
      how.patches = {{what, layer, at}};
      const bool no_mlp = what == Patch::What::mlp && !has_mlp;
      made.grid.back().push_back(no_mlp ? made.before : logit(network.run(text, how)));
      if (!no_mlp) all.push_back(how.patches.front());
      if (told)
        told(made, (static_cast<double>(layer) + static_cast<double>(at + 1) / static_cast<double>(columns)) /
                       static_cast<double>(layers));
    }
  }
  how.patches = all;
  made.after_all = all.empty() ? made.before : logit(network.run(text, how));
  return made;
}

}  // namespace headlight
