#include <algorithm>
#include <cmath>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/models/tokenizer/tokenizer.h"
#include "core/scenario/inputs/file_source.h"
#include "core/scenario/inputs/seeded.h"

namespace headlight {
namespace {

/// The names of one layout, for a file whose config.json is missing or says too little. A prefix such as "transformer."
/// or "bert." can come before all of them.
struct ModelLayout {
  const char* tokens;
  const char* positions;   ///< "" if no positions are added
  const char* segments;    ///< BERT's token types; the first one is added
  const char* whole_norm;  ///< the norm after the embeddings
  const char* block_norm;  ///< the norm of a block before its attention, in place of "attn" in the name
  const char* attention;   ///< the name of the attention in a block
  NormKind kind;           ///< the kind of the block's norm
};

constexpr ModelLayout layouts[] = {
    {"wte.weight", "wpe.weight", "", "", "ln_1", "attn", NormKind::layer},
    {"embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight",
     "embeddings.token_type_embeddings.weight", "embeddings.LayerNorm", "", "attention", NormKind::layer},
    {"embed_tokens.weight", "", "", "", "input_layernorm", "self_attn", NormKind::rms},
};

/// The steps of a text before it enters the attention.
struct TextPath {
  EmbeddingSpec embedding;
  NormSpec norm;
  bool known = false;      ///< the architecture says the steps, not only the names of arrays
  bool unrotated = false;  ///< models with these names use RoPE, but its settings are unknown
};

/// "h.3." of "h.3.attn.": the prefix of the block around the attention.
std::string block_of(const std::string& prefix, const char* attention) {
  const std::size_t at = prefix.rfind(std::string(attention) + ".");
  return at == std::string::npos ? prefix : prefix.substr(0, at);
}

/// The named norm. In older files weight and bias are gamma and beta.
NormSpec norm_named(const FileReading& r, const std::string& name, NormKind kind) {
  const auto first = [&](const char* a, const char* b) { return r.file.arrays().find(name + b) ? name + b : name + a; };
  const auto in_config = r.config_number({"layer_norm_epsilon", "layer_norm_eps", "rms_norm_eps"});
  const double default_epsilon = kind == NormKind::rms ? 1e-6 : name.ends_with("LayerNorm") ? 1e-12 : 1e-5;
  return {kind, first(".weight", ".gamma"), first(".bias", ".beta"), in_config ? in_config->value : default_epsilon,
          false};
}

TextPath path_by_names(const FileReading& r) {
  for (const ModelLayout& layout : layouts) {
    for (const ArrayEntry& entry : r.file.arrays().entries()) {
      if (!entry.name.ends_with(layout.tokens)) continue;
      const std::string prefix = entry.name.substr(0, entry.name.size() - std::string_view(layout.tokens).size());
      if (!prefix.empty() && !prefix.ends_with('.')) continue;
      TextPath path;
      path.embedding.tokens = entry.name;
      if (*layout.positions) path.embedding.positions = prefix + layout.positions;
      if (*layout.segments) path.embedding.segments = prefix + layout.segments;
      if (*layout.whole_norm) path.embedding.norm = norm_named(r, prefix + layout.whole_norm, NormKind::layer);
      if (*layout.block_norm)
        path.norm = norm_named(r, block_of(r.attention.prefix, layout.attention) + layout.block_norm, layout.kind);
      path.unrotated = layout.kind == NormKind::rms;
      return path;
    }
  }
  r.fail("holds no token embedding, which text needs",
         "expected wte.weight (GPT-2), embeddings.word_embeddings.weight (BERT) or embed_tokens.weight (LLaMA)");
}

TextPath path_of_text(const FileReading& r, const std::optional<LayerDescription>& layer) {
  if (!layer || !layer->input_known || !r.file.arrays().find(layer->embedding.tokens)) {
    TextPath path = path_by_names(r);
    path.unrotated &= !layer || layer->attention.rope.pairing == Rope::none;
    return path;
  }
  const EmbeddingSpec& embedding = layer->embedding;
  if (embedding.projection.there() ||
      (embedding.position_kind == PositionKind::sinusoidal && embedding.positions.empty()))
    r.fail(Message("is of {0}, whose embedding of a text is not computed for a layer alone", layer->family),
           "expected the whole model: the folder, or --layer with its number");
  return {embedding, layer->before_attention, true};
}

/// The rows of the named table with these numbers, [rows, width].
Tensor rows_of(const FileReading& r, const std::string& name, const std::vector<Index>& rows, Index width,
               const char* what) {
  const ArrayEntry* entry = r.file.arrays().find(name);
  if (!entry) r.fail(Message("holds no {0}", in_quotes(name)), Message("expected the model's {0}", what));
  if (entry->shape.size() != 2 || entry->shape[1] != width)
    r.fail(r.shape_of(name), Message("expected [n, {0}], the attention's width", width));
  const Index last = *std::ranges::max_element(rows);
  if (last >= entry->shape[0]) {
    r.fail(Message("{0}, which has no row {1}", r.shape_of(name), last),
           Message("expected {0} for every token of the text", what));
  }
  return r.file.arrays().load_rows(name, rows);
}

Tensor vector_of(const FileReading& r, const std::string& name, Index width) {
  if (name.empty() || !r.file.arrays().find(name)) return {};
  const Tensor values = r.load(name);
  if (values.shape() != Shape{width}) r.fail(r.shape_of(name), Message("expected [{0}]", width));
  return values;
}

/// LayerNorm (Ba et al. 2016) or, without the mean, RMSNorm (Zhang & Sennrich 2019) on rows [n, width].
void normalise(const FileReading& r, const NormSpec& norm, Index width, std::span<float> rows) {
  const Tensor weight = vector_of(r, norm.weight, width), bias = vector_of(r, norm.bias, width);
  for (std::size_t first = 0; first < rows.size(); first += static_cast<std::size_t>(width)) {
    const std::span<float> row = rows.subspan(first, static_cast<std::size_t>(width));
    double mean = 0, square = 0;
    for (const float v : row) mean += static_cast<double>(v);
    mean = norm.kind == NormKind::rms ? 0 : mean / static_cast<double>(row.size());
    for (const float v : row) square += (static_cast<double>(v) - mean) * (static_cast<double>(v) - mean);
    const double scale = 1 / std::sqrt(square / static_cast<double>(row.size()) + norm.epsilon);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto at = static_cast<Index>(i);
      const double gain = weight.defined() ? static_cast<double>(weight.at({at})) + (norm.plus_one ? 1 : 0) : 1;
      row[i] = static_cast<float>((static_cast<double>(row[i]) - mean) * scale * gain +
                                  (bias.defined() ? static_cast<double>(bias.at({at})) : 0));
    }
  }
}

TokenBatch tokenized(const FileReading& r, const TokenSplitter& splitter) {
  std::vector<std::vector<Token>> lines;
  for (const std::string_view line : Split(r.resolving.scenario.text, '\n')) {
    if (is_filled(without_return(line))) lines.push_back(splitter.split(without_return(line)));
    check_lines(lines.size());
  }
  if (lines.empty()) throw SettingError("--text", "holds no token", "expected at least one word");
  return batch_of(std::move(lines), splitter.padding());
}

/// The embeddings [B·n, d]: tokens, plus positions and the first segment if the model adds them.
Buffer embedded(const FileReading& r, const EmbeddingSpec& spec, const TokenBatch& batch, Index width) {
  std::vector<Index> ids, places;
  for (const auto& entry : batch.entries) {
    for (std::size_t i = 0; i < entry.size(); ++i) {
      ids.push_back(entry[i].id);
      places.push_back(spec.position_offset + static_cast<Index>(i));
    }
  }
  const Tensor tokens = rows_of(r, spec.tokens, ids, width, "token embedding");
  Buffer sum(tokens.values().begin(), tokens.values().end());
  for (float& value : sum) value *= static_cast<float>(spec.scale);
  const auto add = [&](const std::string& name, const std::vector<Index>& rows, const char* what) {
    if (name.empty()) return;
    const Tensor added = rows_of(r, name, rows, width, what);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += added.values()[i];
  };
  add(spec.positions, places, "position embedding");
  add(spec.segments, std::vector<Index>(ids.size(), 0), "token type embedding");
  return sum;
}

/// The sum as text: "wte.weight + wpe.weight".
std::string sum_of(const EmbeddingSpec& e) {
  std::string sum = e.tokens;
  if (e.scale != 1) sum = shortest(static_cast<float>(e.scale)) + " * " + sum;
  for (const std::string& added : {e.positions, e.segments}) sum += added.empty() ? "" : " + " + added;
  return sum;
}

std::string without_ending(const std::string& name) { return name.substr(0, name.rfind('.')); }

void note(const FileReading& r, const TextPath& path, const TokenSplitter& splitter, Message inputs, bool lacks_norm,
          Index depth) {
  r.assume("tokens", splitter.made_from());
  const bool whole = depth == 0 && path.known && !lacks_norm;
  r.assume("inputs",
           Message(whole ? "the text's embedding: {0}; what layer 0 gets in the model" : "the text's embedding: {0}",
                   inputs));
  if (!path.known)
    r.assume("inputs", "by the names of arrays alone: what the model does with its embedding is not known");
  if (depth > 0) {
    r.assume("positions", Message("layer {0} gets the output of the layers before it in the model, which are not "
                                  "computed here: this is the embedding itself",
                                  depth));
  }
  if (path.unrotated && r.resolving.scenario.rope == Rope::none)
    r.assume("positions", "none: the model rotates queries and keys, --rope half does");
}

}  // namespace

TextSequence read_model_text(const FileReading& r, const Dims& dims, const std::optional<LayerDescription>& layer) {
  const TextPath path = path_of_text(r, layer);
  const auto splitter = r.file.tokenizer();
  const TokenBatch batch = tokenized(r, *splitter);
  Buffer x = embedded(r, path.embedding, batch, dims.d_query);
  Message inputs = sum_of(path.embedding);
  bool lacks_norm = false;
  for (const NormSpec& norm : {path.embedding.norm, path.norm}) {
    if (norm.kind == NormKind::none) continue;
    const bool present = norm.weight.empty() || r.file.arrays().find(norm.weight);
    const Message name = norm.weight.empty() ? "a LayerNorm without weights" : Message(without_ending(norm.weight));
    lacks_norm |= !present;
    inputs = {present ? "{0}, then {1}" : "{0}, without {1}, which the file lacks", inputs, name};
    if (present) normalise(r, norm, dims.d_query, x);
  }
  TextSequence made;
  Sequence& in = made.sequence;
  in.query = in.key = in.value = Tensor({batch.size(), batch.count(), dims.d_query}, std::move(x));
  if (batch.padded()) made.valid_lens = batch.lengths_from(0);
  in.query_tokens = batch.names();
  in.key_tokens = in.query_tokens;
  note(r, path, *splitter, inputs, lacks_norm, layer_number(r.attention.prefix).value_or(-1));
  return made;
}

}  // namespace headlight
