#include "core/compute/network/gradients.h"

#include <algorithm>
#include <cmath>

#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/compute/network/logit_parts.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/network/next_word.h"
#include "core/compute/network/sampling.h"
#include "core/compute/network/weights.h"
#include "core/compute/training/pass.h"
#include "core/compute/training/task.h"
#include "core/models/architecture/checkpoint.h"

namespace headlight {
namespace {

/// A network in the form of core/training.
struct KnownNetwork {
  NetworkShape shape;
  ParameterLayout layout;
  Buffer weights;
};

/// What the backward pass does not know of a block; empty if it knows all.
Message unknown_part(const BlockSpec& block) {
  const AttentionSpec& a = block.attention;
  if (block.before_attention.kind == NormKind::rms || block.before_attention.plus_one)
    return "another norm than LayerNorm before the attention";
  if (block.after_attention.kind != NormKind::none || block.attention_sum.kind != NormKind::none ||
      block.after_mlp.kind != NormKind::none || block.mlp_sum.kind != NormKind::none)
    return "norms after the attention or the MLP";
  if (block.cross) return "cross-attention";
  if (block.mixture) return "a mixture of experts";
  if (block.parallel || block.multiplier != 1) return "attention and MLP side by side, or a factor of both";
  if (a.latent || a.places || a.relative || a.other_relative) return "latent attention or relative positions";
  if (a.q_norm.kind != NormKind::none || a.k_norm.kind != NormKind::none) return "QK-norm";
  if (!a.sinks.empty() || !a.masks.empty() || a.scaled_alibi || !a.slopes.empty() || a.chunk > 0)
    return "sinks, masks from a file, chunks or slopes of its own";
  if (a.rope.pairing != Rope::none && (a.rope.base <= 0 || a.rope.channels() != a.d_head || a.rope.original > 0))
    return "a RoPE of frequencies of its own, or of a part of each head";
  if (!block.mlp) return {};
  if (block.mlp->gate.there() || block.mlp->limit != 0) return "gated MLPs";
  if (block.mlp->activation != Activation::gelu_tanh) return "MLPs with another activation than GELU's tanh form";
  return {};
}

Message unknown_part(const NetworkSpec& spec) {
  if (spec.stacks.size() != 1 || spec.picture || spec.takes_tensors || spec.masked)
    return "an encoder, pictures or given tensors";
  const StackSpec& stack = spec.stacks.front();
  const EmbeddingSpec& e = stack.embedding;
  if (e.scale != 1 || e.norm.kind != NormKind::none || e.projection.there() || !e.segments.empty() ||
      e.position_offset != 0 || (e.position_kind != PositionKind::none && e.positions.empty()))
    return "an embedding with more than words and positions";
  if (stack.projection.there()) return "a projection at the end";
  const HeadSpec& head = spec.head;
  if (!head.output.there() || !head.output.bias.empty() || head.transform.there() || head.softcap || head.scale != 1)
    return "another output than the word table";
  for (const BlockSpec& block : stack.blocks) {
    if (const Message part = unknown_part(block); !part.empty()) return part;
    const AttentionSpec &first = stack.blocks.front().attention, &a = block.attention;
    if (a.heads != first.heads || a.kv_heads != first.kv_heads || a.scale != first.scale || a.window != first.window ||
        a.softcap != first.softcap || a.causal != first.causal || a.mask != first.mask ||
        block.mlp.has_value() != stack.blocks.front().mlp.has_value())
      return "layers with different rules";
    if (block.before_attention.kind != stack.final_norm.kind ||
        (block.mlp && block.before_mlp.kind != stack.final_norm.kind))
      return "norms in some places only";
  }
  return {};
}

/// Numbers of a matrix row by row, transposed if `across`, to `to`.
void copy_matrix(const Tensor& from, bool across, Index stride, float* to) {
  const Tensor packed = (across ? from.transpose(0, 1) : from).contiguous();
  const Index rows = packed.size(0), cols = packed.size(1);
  for (Index row = 0; row < rows; ++row) std::copy_n(packed.values().data() + row * cols, cols, to + row * stride);
}

void copy_vector(const Tensor& from, float* to) {
  if (from.defined()) std::ranges::copy(from.contiguous().values(), to);
}

NetworkShape shape_of(const Network& network, Index length) {
  const StackSpec& stack = network.spec().stacks.front();
  const BlockSpec& block = stack.blocks.front();
  NetworkShape shape;
  shape.vocabulary = network.spec().vocabulary;
  shape.length = length;
  shape.d_model = network.spec().width;
  shape.heads = block.attention.heads;
  shape.kv_heads = block.attention.kv_heads;
  shape.d_head = block.attention.d_head;
  shape.layers = std::ssize(stack.blocks);
  shape.positions =
      stack.embedding.position_kind == PositionKind::none ? TrainedPositions::none : TrainedPositions::learned;
  shape.tied = network.spec().head.output.weight == stack.embedding.tokens;
  shape.norm_epsilon = static_cast<float>(block.before_attention.epsilon);
  Scenario settled;
  network.take_rules(0, settled);
  shape.rope = settled.rope;
  shape.rope_base = settled.rope_base;
  shape.alibi = settled.alibi;
  shape.scale = static_cast<float>(block.attention.scale);
  shape.softcap = settled.softcap;
  shape.mask = settled.mask.empty() ? "full()" : settled.mask;
  shape.dead_row = settled.dead_row;
  shape.norms = stack.final_norm.kind == NormKind::layer;
  if (block.mlp)
    shape.hidden = linear_size(network.checkpoint().entry(block.mlp->up.weight).shape, block.mlp->up.layout).out;
  return shape;
}

KnownNetwork known_network(const Network& network, Index length) {
  if (const Message part = unknown_part(network.spec()); !part.empty())
    throw FileError(network.file(), Message("has {0}, whose gradients are not known here", part),
                    "expected blocks as GPT-2's, or a network of headlight train");
  const Checkpoint& file = network.checkpoint();
  const StackSpec& stack = network.spec().stacks.front();
  KnownNetwork known{shape_of(network, length), ParameterLayout(shape_of(network, length)), {}};
  known.weights = Buffer(static_cast<std::size_t>(known.layout.count), 0.0F);
  float* const to = known.weights.data();
  const Index d = known.shape.d_model, packed = known.shape.packed();
  const auto norm = [&](const NormSpec& spec, Index gain, Index bias) {
    if (gain < 0) return;
    const Norm read = read_norm(file, spec);
    std::fill_n(to + gain, d, 1.0F);
    copy_vector(read.weight, to + gain);
    copy_vector(read.bias, to + bias);
  };
  const auto linear = [&](const LinearSpec& spec, Index weight, Index column, Index stride, Index bias) {
    const Linear read = read_linear(file, spec);
    copy_matrix(read.weight, true, stride, to + weight + column);
    copy_vector(read.bias, to + bias + column);
  };
  copy_matrix(file.load(stack.embedding.tokens), false, d, to + known.layout.tokens);
  if (known.layout.positions >= 0)
    copy_matrix(file.load(stack.embedding.positions).slice(0, 0, length), false, d, to + known.layout.positions);
  for (std::size_t i = 0; i < stack.blocks.size(); ++i) {
    const BlockSpec& block = stack.blocks[i];
    const BlockOffsets& at = known.layout.blocks[i];
    norm(block.before_attention, at.norm1_gain, at.norm1_bias);
    linear(block.attention.q, at.W_qkv, 0, packed, at.b_qkv);
    linear(block.attention.k, at.W_qkv, known.shape.key_column(), packed, at.b_qkv);
    linear(block.attention.v, at.W_qkv, known.shape.value_column(), packed, at.b_qkv);
    linear(block.attention.o, at.W_o, 0, d, at.b_o);
    if (!block.mlp) continue;
    norm(block.before_mlp, at.norm2_gain, at.norm2_bias);
    linear(block.mlp->up, at.W_up, 0, known.shape.hidden, at.b_up);
    linear(block.mlp->down, at.W_down, 0, d, at.b_down);
  }
  norm(stack.final_norm, known.layout.norm_gain, known.layout.norm_bias);
  if (!known.shape.tied)
    copy_matrix(read_linear(file, network.spec().head.output).weight, false, d, to + known.layout.output);
  return known;
}

/// The targets of each position, and what the loss is.
Message targets_of(const NetworkRun& run, const std::string& word, std::span<const std::int32_t> tokens,
                   std::span<std::int32_t> targets) {
  const NetworkSpec& spec = run.network->spec();
  const auto n = static_cast<std::size_t>(run.text.tokens.count());
  std::ranges::fill(targets, not_asked);
  if (!word.empty()) {
    std::string shown;
    for (Index entry = 0; entry < run.text.tokens.size(); ++entry) {
      const Token token = next_token(*run.network, line_of(run, entry), word, "--loss");
      targets[static_cast<std::size_t>(entry + 1) * n - 1] = static_cast<std::int32_t>(token.id);
      shown = token.text;
    }
    return {"−log p({0}) at the last position", shown};
  }
  const TrainingTask* const task = training_task(spec.task);
  if (!task && spec.task != "text")
    throw SettingError("--loss", "is not set, and no task of this network is known",
                       "expected a word whose probability the gradients are of");
  for (std::size_t first = 0; first < tokens.size(); first += n) {
    const auto line = tokens.subspan(first, n);
    const auto answers = targets.subspan(first, n);
    if (task) task->answer(task->letters, line, answers);
    else std::copy(line.begin() + 1, line.end(), answers.begin());
  }
  if (std::ranges::all_of(targets, [](std::int32_t target) { return target < 0; }))
    throw SettingError("--text", Message("asks nothing of the task {0}", spec.task),
                       Message("expected a text as \"{0}\"", spec.example));
  return task ? Message("the mean of −log p over the answers of the task {0}", spec.task)
              : Message("the mean of −log p of each next token");
}

/// W_q … b_o of a layer, [out, in], from its parameters' gradients.
void add_parameters(const KnownNetwork& known, const BlockOffsets& at, const float* gradients, LayerStages& stages) {
  const NetworkShape& s = known.shape;
  const auto columns = [&](Index first, Index rows, Index stride, Index column, Index count) {
    Buffer numbers(static_cast<std::size_t>(rows * count));
    for (Index out = 0; out < count; ++out) {
      for (Index in = 0; in < rows; ++in)
        numbers[static_cast<std::size_t>(out * rows + in)] = gradients[first + in * stride + column + out];
    }
    return Tensor({count, rows}, std::move(numbers));
  };
  const auto vector = [&](Index first, Index count) {
    return Tensor({count}, Buffer(gradients + first, gradients + first + count));
  };
  struct PackedColumns {
    Stage weight, bias;
    Index column, count;
  };
  for (const PackedColumns& part : {PackedColumns{Stage::W_q, Stage::b_q, 0, s.heads * s.d_head},
                                    PackedColumns{Stage::W_k, Stage::b_k, s.key_column(), s.kv_heads * s.d_head},
                                    PackedColumns{Stage::W_v, Stage::b_v, s.value_column(), s.kv_heads * s.d_head}}) {
    stages[part.weight] = columns(at.W_qkv, s.d_model, s.packed(), part.column, part.count);
    stages[part.bias] = vector(at.b_qkv + part.column, part.count);
  }
  stages[Stage::W_o] = columns(at.W_o, s.heads * s.d_head, s.d_model, 0, s.d_model);
  stages[Stage::b_o] = vector(at.b_o, s.d_model);
}

}  // namespace

Message unknown_to_gradients(const Network& network) { return unknown_part(network.spec()); }

std::string usual_loss(const NetworkRun& run) {
  const std::string& task = run.network->spec().task;
  if (training_task(task) || task == "text" || !run.logits.defined()) return {};
  const std::string word = most_likely(run, 0, place_of_prediction(run, 0), 1).front().text;
  const std::size_t from = word.find_first_not_of(' ');
  return from == std::string::npos ? word : word.substr(from);
}

NetworkGradients gradients_of(const NetworkRun& run, const std::string& word) {
  const TokenBatch& lines = run.text.tokens;
  const Index n = lines.count(), sequences = lines.size();
  const KnownNetwork known = known_network(*run.network, n);
  if (lines.padded())
    throw SettingError("--text", "has lines of different lengths", "expected as many tokens in each, for gradients");
  std::vector<std::int32_t> tokens, targets(static_cast<std::size_t>(n * sequences));
  for (const auto& entry : lines.entries) {
    for (const Token& token : entry) tokens.push_back(static_cast<std::int32_t>(token.id));
  }
  NetworkGradients made;
  made.about = targets_of(run, word, tokens, targets);
  const Index asked = answers_in(targets);
  const float by = word.empty() ? 1 / static_cast<float>(asked) : 1;
  Pass pass(known.shape, known.layout, sequences, n);
  StageBook book(known.shape.layers, sequences, n);
  Buffer gradients(known.weights.size(), 0.0F);
  pass.forward(known.weights.data(), tokens, {}, &book);
  made.loss = pass.loss(targets, by).sum * static_cast<double>(by);
  pass.backward(known.weights.data(), gradients.data(), &book);
  for (std::size_t layer = 0; layer < known.layout.blocks.size(); ++layer) {
    made.of_stages.push_back(book.take(static_cast<Index>(layer), true));
    add_parameters(known, known.layout.blocks[layer], gradients.data(), made.of_stages.back());
  }
  return made;
}

std::shared_ptr<const Trace> gradient_trace(const std::shared_ptr<const Trace>& trace, const std::string& word) {
  const std::shared_ptr<const NetworkRun> run = network_of(trace->inputs);
  if (!run)
    throw SettingError("--loss", "is of a network's prediction, but this is no network",
                       "expected model:ID, a model's folder with --text, or a step of a run");
  if (!run->knock_out.empty() || run->change)
    throw SettingError("--loss", "goes with the network as it is",
                       "expected no knocked-out heads and no changed settings");
  const NetworkGradients gradients = gradients_of(*run, word);
  const LayerStages& stages =
      gradients.of_stages[static_cast<std::size_t>(run->network->layer_or_first(trace->scenario.layer))];
  auto made = std::make_shared<Trace>(*trace);
  made->gradients_of = trace;
  made->loss = {"L = {0} = {1}", gradients.about, formatted("%.6g", gradients.loss)};
  made->summary.reset();
  made->contributions = Tensor();
  for (const Stage stage : all_stages()) {
    StageRecord& record = made->records[static_cast<std::size_t>(stage)];
    if (stage == Stage::mask || !record.output.defined()) continue;
    record.parameters = Overridden();
    record.sources.clear();
    record.output = stages[stage];
  }
  // A mask that allows everything, as causal() for one token, is no step of the pass.
  Tensor& masked = made->records[static_cast<std::size_t>(Stage::masked_scores)].output;
  for (const Stage before : {Stage::biased_scores, Stage::capped_scores, Stage::scaled_scores}) {
    if (trace->has(Stage::masked_scores) && !masked.defined()) masked = stages[before];
  }
  for (const Stage stage : all_matrices()) {
    if (is_parameter(stage) && made->inputs.matrix(stage).defined()) *made->inputs.known(stage) = stages[stage];
  }
  made->inputs.query = made->inputs.key = made->inputs.value = stages[Stage::query];  // one x, one gradient
  for (const Stage input : {Stage::key, Stage::value})
    made->records[static_cast<std::size_t>(input)].output = stages[Stage::query];
  return made;
}

}  // namespace headlight
