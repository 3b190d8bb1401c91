#include "core/compute/network/network.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/files/error_place.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/forward.h"
#include "core/compute/network/key_cache.h"
#include "core/compute/network/layers.h"
#include "core/compute/network/pictures.h"
#include "core/compute/network/sampling.h"
#include "core/compute/network/trained_networks.h"
#include "core/compute/network/weights.h"
#include "core/models/architecture/architectures.h"
#include "core/models/architecture/checkpoint.h"
#include "core/models/architecture/config.h"
#include "core/models/architecture/model_folder.h"
#include "core/scenario/inputs/seeded.h"
#include "core/scenario/settings/setting_text.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {
namespace {

/// In place of texts: the text tower alone is requested.
constexpr const char* text_tower = "texts";

/// 50257 as "50,257".
std::string grouped(Index number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

/// The attentions of all blocks: the encoder's first, then the decoder's, then the decoder's cross-attentions.
std::vector<NetworkLayer> layers_of(const NetworkSpec& spec) {
  std::vector<NetworkLayer> layers, cross;
  const bool two = spec.stacks.size() == 2;
  for (std::size_t stack = 0; stack < spec.stacks.size(); ++stack) {
    const std::string kind = !two ? "" : stack == 0 ? "encoder." : "decoder.";
    for (std::size_t block = 0; block < spec.stacks[stack].blocks.size(); ++block) {
      const auto add = [&](std::vector<NetworkLayer>& list, const std::string& prefix, const AttentionSpec& a,
                           bool is_cross) {
        list.push_back({prefix + std::to_string(block), a.name, is_cross, a.heads, a.kv_heads, a.d_head,
                        static_cast<Index>(stack), static_cast<Index>(block)});
      };
      const BlockSpec& at = spec.stacks[stack].blocks[block];
      add(layers, kind, at.attention, false);
      if (at.cross) add(cross, "cross.", *at.cross, true);
    }
  }
  layers.insert(layers.end(), cross.begin(), cross.end());
  return layers;
}

Message first_and_last(std::span<const NetworkLayer> layers) {
  if (layers.size() == 1) return layers.front().layer;
  Message text;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool begins = i == 0 || layers[i].stack != layers[i - 1].stack || layers[i].cross != layers[i - 1].cross;
    const bool ends =
        i + 1 == layers.size() || layers[i + 1].stack != layers[i].stack || layers[i + 1].cross != layers[i].cross;
    if (begins) text = text.empty() ? Message(layers[i].layer) : Message("{0}, {1}", text, layers[i].layer);
    if (ends && !begins) text = {"{0} to {1}", text, layers[i].layer};
  }
  return text;
}

/// Unpacks weights that are stored in fewer bits with scales: gpt-oss's MXFP4 and DeepSeek's fp8 in blocks. Other kinds
/// are refused by name. Returns a note about it, or "".
Message unpack(const Config& config, Checkpoint& checkpoint) {
  const nlohmann::json* found = config.find({"quantization_config", "quantization", "compression_config"});
  if (!found) return "";
  const auto text = [&](const char* name, const char* usual) {
    return found->is_object() && found->contains(name) && (*found)[name].is_string() ? (*found)[name].get<std::string>()
                                                                                     : usual;
  };
  const std::string method = text("quant_method", "");
  if (method == "mxfp4")
    return checkpoint.has_packed() ? "experts are stored as MXFP4; what they stand for is computed with, in float32"
                                   : "";
  const nlohmann::json block = found->is_object() ? found->value("weight_block_size", nlohmann::json()) : nullptr;
  const auto is_side = [](const nlohmann::json& side) {
    return side.is_number_unsigned() && side > 0 && side < 1000000;
  };
  if (method == "fp8" && text("fmt", "e4m3") == "e4m3" && block.is_array() && block.size() == 2 && is_side(block[0]) &&
      is_side(block[1])) {
    checkpoint.take_block_scales(block[0].get<Index>(), block[1].get<Index>());
    return "weights are stored as fp8 with a scale for each block; what they stand for is computed with, in float32, "
           "and what they are multiplied with is not rounded to fp8";
  }
  config.fail(method.empty() ? Message("says that the weights are quantised")
                             : Message("says that the weights are quantised by {0}", method),
              "expected float16, bfloat16 or float32 weights");
}

}  // namespace

bool NetworkRun::is_small() const {
  return layers.size() <= 8 && logits.defined() && logits.size(-1) <= 8192 && layers.front().residual.defined() &&
         layers.front().residual.size(-1) <= 256 && text.tokens.count() <= 256;
}

Index NetworkRun::heads_of(Index layer) const {
  const bool is_cut = change && change->layer == layer;
  const Index own = network->layer(layer).heads;
  return is_cut ? change->settings.heads.value_or(own) : own;
}

const TokenBatch& NetworkRun::queries_of(Index layer) const {
  return network->layer(layer).stack == 1 ? text.decoder : text.tokens;
}

const TokenBatch& NetworkRun::keys_of(Index layer) const {
  const NetworkLayer& at = network->layer(layer);
  return at.stack == 1 && !at.cross ? text.decoder : text.tokens;
}

Network::Network(const std::string& file, const std::filesystem::path& folder, NetworkSpec spec,
                 std::shared_ptr<const Checkpoint> checkpoint, std::string asked_texts,
                 std::shared_ptr<const TokenSplitter> tokenizer)
    : file_(file),
      asked_texts_(std::move(asked_texts)),
      folder_(folder),
      spec_(std::move(spec)),
      checkpoint_(std::move(checkpoint)),
      layers_(layers_of(spec_)),
      tokenizer_(std::move(tokenizer)) {}

Network::~Network() = default;

bool Network::is_unchanged() const { return checkpoint_->is_unchanged(); }

const BlockSpec& Network::block_of(Index layer) const {
  const NetworkLayer& at = this->layer(layer);
  return spec_.stacks[static_cast<std::size_t>(at.stack)].blocks[static_cast<std::size_t>(at.block)];
}

const AttentionSpec& Network::attention_of(Index layer) const {
  const BlockSpec& block = block_of(layer);
  return this->layer(layer).cross ? *block.cross : block.attention;
}

std::optional<Index> Network::layer_at(Index stack, Index block, bool cross) const {
  const auto found = std::ranges::find_if(
      layers_, [&](const NetworkLayer& at) { return at.stack == stack && at.block == block && at.cross == cross; });
  return found == layers_.end() ? std::nullopt : std::optional<Index>(found - layers_.begin());
}

Message Network::title() const {
  const auto counted = [](Index count, const char* one, const char* many) {
    return Message(count == 1 ? one : many, grouped(count));
  };
  const auto blocks = [&](std::size_t stack) { return static_cast<Index>(spec_.stacks[stack].blocks.size()); };
  const bool two = spec_.stacks.size() == 2;
  const Message layers = !two            ? counted(blocks(0), "{0} layer", "{0} layers")
                         : blocks(0) > 0 ? Message("{0} + {1} layers", blocks(0), grouped(blocks(1)))
                                         : Message("{0} layers", grouped(blocks(1)));
  Message title("{0}, {1} of {2}", spec_.family, layers, counted(layers_.front().heads, "{0} head", "{0} heads"));
  if (const auto& picture = spec_.picture) title = {"{0}, {1} × {2} patches", title, picture->rows, picture->columns};
  if (spec_.vocabulary == 0) return title;
  return {"{0}, {1}", title,
          spec_.picture ? counted(spec_.vocabulary, "{0} label", "{0} labels")
                        : counted(spec_.vocabulary, "{0} token", "{0} tokens")};
}

std::optional<Index> Network::find_layer(const std::string& layer) const {
  const std::string plain = layer.ends_with('.') ? layer.substr(0, layer.size() - 1) : layer;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i].layer == plain || layers_[i].name == plain) return static_cast<Index>(i);
  }
  // A part of the name, as "encoder.layer.0" of "bert.encoder.layer.0.attention", if only one layer has it.
  const bool is_number = plain.find_first_not_of("0123456789.") == std::string::npos;
  std::optional<Index> only;
  for (std::size_t i = 0; i < layers_.size() && !is_number; ++i) {
    if (("." + layers_[i].name + ".").find("." + plain + ".") == std::string::npos) continue;
    if (only) return {};
    only = static_cast<Index>(i);
  }
  const bool decodes_alone = spec_.stacks.size() == 2 && spec_.stacks.front().blocks.empty();
  return is_number && decodes_alone ? find_layer("decoder." + plain) : only;
}

Index Network::layer_named(const std::string& layer) const {
  if (layer.empty()) return 0;
  if (const auto found = find_layer(layer)) return *found;
  throw SettingError("--layer", Message("{0} is no layer of {1}, {2}", in_quotes(layer), file_, title()),
                     Message("expected {0}", first_and_last(layers_)));
}

KnockOut Network::knock_out_of(const std::vector<HeadAddress>& heads) const {
  KnockOut knocked_out;
  for (const HeadAddress& at : heads) {
    // "decoder.3" is a layer, though it looks like head 3 of one.
    const std::string word = to_text(at);
    const std::optional<Index> whole_layer = find_layer(word), layer = whole_layer ? whole_layer : find_layer(at.layer);
    if (!layer)
      throw SettingError("--knock-out", Message("{0} names no layer of {1}, {2}", in_quotes(word), file_, title()),
                         Message("expected LAYER.HEAD, layers {0}", first_and_last(layers_)));
    const Index count = this->layer(*layer).heads;
    if (!whole_layer && at.head >= count)
      throw SettingError("--knock-out", Message("{0} names no head", in_quotes(word)),
                         Message("expected 0 to {0} after the layer", count - 1));
    for (Index head = 0; whole_layer && head < count; ++head) knocked_out.emplace(*layer, head);
    if (!whole_layer) knocked_out.emplace(*layer, at.head);
  }
  return knocked_out;
}

namespace {

/// The path to search for a tokenizer: a .gguf itself, else a file of the folder.
std::filesystem::path tokenizer_place(const std::filesystem::path& folder, const Checkpoint& checkpoint) {
  const std::filesystem::path first = path_from(checkpoint.files().front()->path());
  return first.extension() == ".gguf" ? first : folder / "config.json";
}

}  // namespace

const TokenSplitter& Network::tokenizer() const {
  const std::lock_guard lock(mutex_);
  if (tokenizer_) return *tokenizer_;
  std::shared_ptr<const TokenSplitter> opened = find_tokenizer(tokenizer_place(folder_, *checkpoint_));
  if (!opened) opened = token_ids(spec_.vocabulary);
  if (spec_.vocabulary > 0 && opened->last_id() >= spec_.vocabulary) {
    throw FileError(utf8_from(folder_),
                    Message("its tokenizer ({0}) has {1} tokens, but the token embedding {2} rows", opened->made_from(),
                            grouped(opened->last_id() + 1), grouped(spec_.vocabulary)),
                    "expected the tokenizer that the model was trained with");
  }
  tokenizer_ = std::move(opened);
  return *tokenizer_;
}

std::vector<float> Network::token_row(Index stack, Index id) const {
  const EmbeddingSpec& spec = spec_.stacks[static_cast<std::size_t>(stack)].embedding;
  if (id < 0 || id >= checkpoint_->entry(spec.tokens).shape[0]) return {};
  const Tensor row = times(checkpoint_->load_rows(spec.tokens, std::span(&id, 1)), spec.scale).contiguous();
  return {row.values().begin(), row.values().end()};
}

Tensor Network::before_words(const Tensor& last) const {
  const RunOptions options;
  return Forward(*this, *checkpoint_, options).before_words(last);
}

std::pair<std::vector<float>, float> Network::word_row(Index id) const {
  std::pair<std::vector<float>, float> made;
  const bool two = spec_.head.second.there();
  for (const LinearSpec* table : {&spec_.head.output, &spec_.head.second}) {
    if (!table->there()) continue;
    const Linear word_weights = read_row(*checkpoint_, *table, id);
    const Tensor row = two ? times(word_weights.weight, 0.5).contiguous() : word_weights.weight.contiguous();
    made.first.insert(made.first.end(), row.values().begin(), row.values().end());
    if (word_weights.bias.defined()) made.second += word_weights.bias.at({0}) * (two ? 0.5F : 1.0F);
  }
  return made;
}

std::string Network::word(Index id) const {
  if (spec_.picture) return spec_.labels[static_cast<std::size_t>(id)];
  return tokenizer().text_of(id).value_or("#" + std::to_string(id));
}

NetworkRun Network::run(NetworkText text, const RunOptions& options) const {
  NetworkRun run{shared_from_this(), std::move(text), options.knock_out, options.change, {}, {}, {}, {}};
  run.means = options.means;
  for (const TokenBatch* batch : {&run.text.tokens, &run.text.decoder}) {
    if (spec_.takes_tensors || spec_.picture) continue;
    for (const auto& entry : batch->entries) {
      for (const Token& token : entry) {
        if (token.id >= 0 && token.id < spec_.vocabulary) continue;
        throw SettingError("--text", Message("{0} is token {1}", in_quotes(token.text), token.id),
                           Message("expected ids below {0}, the rows of the token embedding", spec_.vocabulary));
      }
    }
  }
  Forward(*this, *checkpoint_, options).fill(run);
  return run;
}

Inputs Network::inputs_of(const NetworkRun& run, Index layer, int threads) const {
  RunOptions options;
  options.threads = threads;
  const Tensor& residual = run.layers[static_cast<std::size_t>(layer)].residual;
  assert(residual.defined() && run.first == 0);
  Inputs inputs = Forward(*this, *checkpoint_, options).call(run, layer, residual).inputs;
  for (const Stage stage : all_matrices()) {
    if (is_parameter(stage) && inputs.matrix(stage).defined()) *inputs.known(stage) = inputs.matrix(stage).contiguous();
  }
  return inputs;
}

void Network::take_rules(Index layer, Scenario& s) const {
  const AttentionSpec& spec = attention_of(layer);
  const auto scale = static_cast<float>(spec.scale);
  if (!s.scale && scale != static_cast<float>(1 / std::sqrt(static_cast<double>(spec.d_head)))) s.scale = scale;
  if (!s.softcap && spec.softcap) s.softcap = static_cast<float>(*spec.softcap);
  if (spec.rope.pairing != Rope::none) {
    const bool own_base = s.rope_base != Scenario().rope_base;
    if (s.rope == Rope::none) s.rope = spec.rope.pairing;
    if (!own_base && spec.rope.base > 0) s.rope_base = static_cast<float>(spec.rope.base);
    if (own_base && !s.rotary_dim && spec.rope.channels() < spec.d_head) s.rotary_dim = spec.rope.channels();
  }
  if (s.qk_norm == QkNorm::none && spec.q_norm.kind != NormKind::none)
    s.qk_norm = spec.q_norm.kind == NormKind::rms ? QkNorm::rms : QkNorm::layer;
  if (spec.alibi) s.alibi = true;
  if (s.dead_row == DeadRow::from_fill && spec.mask)
    s.dead_row = choice_named<DeadRow>(spec.dead_row).value_or(DeadRow::from_fill);
  if (const auto mask = layer_mask(spec); mask && s.mask.empty()) s.mask = mask->text();
}

void Network::cut_heads(Index layer, const Scenario& s, Inputs& inputs) const {
  const AttentionSpec& spec = attention_of(layer);
  if (!s.heads || *s.heads == spec.heads) return;
  const Rules& own = inputs.rules;
  const bool shares = spec.latent || spec.kv_heads != spec.heads || inputs.W_v.size(0) != spec.heads * spec.d_head,
             differ = inputs.attn_bias.defined() || !spec.masks.empty() || !spec.sinks.empty() ||
                      own.q_norm.defined() || !own.rope_frequencies.empty();
  if (shares || differ)
    throw SettingError("--heads",
                       Message(shares ? "{0} cannot be cut into {1} heads, since its heads share keys and values"
                                      : "{0} cannot be cut into {1} heads, since it has numbers for each of its {2}",
                               this->layer(layer).name, *s.heads, spec.heads),
                       Message("expected no {0}", "--heads"));
  const auto beyond = std::ranges::find_if(own.silent_heads, [&](Index head) { return head >= *s.heads; });
  if (beyond != own.silent_heads.end())
    throw SettingError(
        "--knock-out",
        Message("{0} names no head", in_quotes(this->layer(layer).layer + "." + std::to_string(*beyond))),
        Message("expected 0 to {0} after the layer", *s.heads - 1));
  inputs.dims.heads = inputs.dims.kv_heads = *s.heads;
}

namespace {

/// What train.json says beside the weights that `headlight train` wrote: the task, and a text for it.
void read_run(const std::filesystem::path& folder, NetworkSpec& spec) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(folder / "train.json", error)) return;
  const nlohmann::json run = read_json_object(folder / "train.json", "expected the run of headlight train");
  const auto text = [&](const char* name) {
    return run.contains(name) && run[name].is_string() ? run[name].get<std::string>() : "";
  };
  spec.task = text("task");
  spec.example = text("example");
}

std::shared_ptr<const Network> open_with_texts(const std::string& file, const std::string& texts,
                                               const std::shared_ptr<const Network>& last) {
  if (last && last->file() == file && last->is_unchanged() &&
      (last->asked_texts() == texts || (last->asked_texts().empty() && !last->spec().contrast)))
    return last;
  if (file.starts_with(run_prefix)) return open_run(file);
  const WholeLoad counted;
  const ModelFolder folder = find_model(file);
  auto checkpoint = std::make_shared<Checkpoint>(folder.tensors);
  const Config config = config_of(folder, *checkpoint);
  const Message packed = unpack(config, *checkpoint);
  NetworkSpec spec = build_network(config, *checkpoint);
  const std::string requested = spec.contrast ? texts : "";
  if (!requested.empty()) {
    const NetworkSpec tower_spec = *spec.contrast->texts;
    const auto tower = std::make_shared<const Network>(file, folder.folder, tower_spec, checkpoint, text_tower);
    if (requested == text_tower) return tower;
    give_texts(*tower, text_lines(requested), *checkpoint, spec);
  }
  read_run(folder.folder, spec);
  if (!packed.empty()) spec.notes.push_back(packed);
  if (!folder.chosen.empty()) spec.notes.insert(spec.notes.begin(), folder.chosen);
  if (std::error_code error; std::filesystem::exists(folder.folder / "adapter_config.json", error)) {
    spec.notes.push_back("adapter_config.json: the adapter beside the weights is not applied");
  }
  if (spec.contrast)
    spec.notes.push_back(spec.labels.empty()
                             ? Message("a picture is compared with texts: --image FILE with --text, once for each; "
                                       "--text alone shows the tower that reads texts")
                             : Message("compared with {0} texts, each read by the other tower", spec.vocabulary));
  return std::make_shared<const Network>(file, folder.folder, std::move(spec), std::move(checkpoint), requested);
}

}  // namespace

std::shared_ptr<const Network> open_network(const std::string& file, const std::shared_ptr<const Network>& last) {
  return open_with_texts(file, "", last);
}

std::shared_ptr<const Network> open_network(const Scenario& s, const std::shared_ptr<const Network>& last) {
  return open_with_texts(s.file, !s.text_as_input ? "" : s.image.empty() ? text_tower : s.text, last);
}

namespace {

/// The probability of a label that does not depend on the other labels.
double sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }

}  // namespace

std::vector<LikelyToken> most_likely(const NetworkRun& run, Index batch, Index position, Index count) {
  std::vector<LikelyToken> likely;
  if (!run.logits.defined()) return likely;
  if (position < 0) position = place_of_prediction(run, batch);
  const MatrixView m = run.logits.matrix(batch);
  position = std::min(position, m.rows - 1);
  const std::vector<double> shares = next_shares(run, batch, position, {});
  for (const Index id : largest_of_row(m, position, count)) {
    const bool each_alone = run.network->spec().each_alone;
    likely.push_back(
        {id, run.network->word(id),
         each_alone ? sigmoid(static_cast<double>(m(position, id))) : shares[static_cast<std::size_t>(id)]});
  }
  return likely;
}

Index place_of_prediction(const NetworkRun& run, Index batch) {
  const NetworkSpec& spec = run.network->spec();
  const TokenBatch& tokens = run.text.last_stack();
  const auto entry = static_cast<std::size_t>(batch);
  if (spec.picture || (run.logits.defined() && run.logits.size(1) == 1)) return 0;
  for (std::size_t i = 0; spec.masked && i < static_cast<std::size_t>(tokens.lengths[entry]); ++i) {
    const Token& token = tokens.entries[entry][i];
    if (token.id == spec.mask_token || token.text == "[MASK]" || token.text == "<mask>") return static_cast<Index>(i);
  }
  return tokens.lengths[entry] - 1 - run.first;
}

Index position_of_prediction(const NetworkRun& run, Index batch) {
  const bool last_row = run.logits.defined() && run.logits.size(1) == 1 && !run.network->spec().picture;
  return last_row ? run.final.size(1) - 1 : place_of_prediction(run, batch);
}

double probability_of(const NetworkRun& run, Index batch, Index position, Index token) {
  if (run.network->spec().each_alone) return sigmoid(static_cast<double>(run.logits.matrix(batch)(position, token)));
  return next_shares(run, batch, position, {})[static_cast<std::size_t>(token)];
}

}  // namespace headlight
