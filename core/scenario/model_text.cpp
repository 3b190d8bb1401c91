#include "core/scenario/model_text.h"

#include <algorithm>
#include <cmath>

#include "core/files/error_place.h"
#include "core/scenario/model_config.h"
#include "core/scenario/seeded.h"
#include "core/tensor/error.h"
#include "core/tokenizer/tokenizer.h"

namespace headlight {
namespace {

/// Names of one layout. A prefix such as "transformer." or "bert." may stand before all of them.
struct ModelLayout {
  const char* tokens;
  const char* positions;   ///< "" where none are added
  const char* segments;    ///< BERT's token types, of which the first is added
  const char* whole_norm;  ///< after the embeddings
  const char* block_norm;  ///< of a block, before its attention, instead of "attn"
  const char* attention;   ///< what a block calls its attention
  bool root_mean_square;   ///< the block's norm is RMSNorm
};

constexpr ModelLayout layouts[] = {
    {"wte.weight", "wpe.weight", "", "", "ln_1", "attn", false},
    {"embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight",
     "embeddings.token_type_embeddings.weight", "embeddings.LayerNorm", "", "attention", false},
    {"embed_tokens.weight", "", "", "", "input_layernorm", "self_attn", true},
};

struct Model {
  ModelLayout layout;
  std::string prefix;  ///< of the embeddings, with its dot
};

Model model_of(const FileReading& r) {
  for (const ModelLayout& layout : layouts) {
    for (const ArrayEntry& entry : r.file.arrays().entries()) {
      if (!entry.name.ends_with(layout.tokens)) continue;
      std::string prefix = entry.name.substr(0, entry.name.size() - std::string_view(layout.tokens).size());
      if (prefix.empty() || prefix.ends_with('.')) return {layout, std::move(prefix)};
    }
  }
  r.fail("holds no token embedding, which text needs",
         "expected wte.weight (GPT-2), embeddings.word_embeddings.weight (BERT) or embed_tokens.weight (LLaMA)");
}

/// The named table's rows of these numbers, [rows, d].
Tensor rows_of(const FileReading& r, const std::string& name, const std::vector<Index>& rows, Index width,
               const std::string& what) {
  const ArrayEntry* entry = r.file.arrays().find(name);
  if (!entry) r.fail("holds no " + in_quotes(name), "expected the model's " + what);
  if (entry->shape.size() != 2 || entry->shape[1] != width)
    r.fail(r.shape_of(name), "expected [n, " + std::to_string(width) + "], the attention's width");
  const Index last = *std::ranges::max_element(rows);
  if (last >= entry->shape[0]) {
    r.fail(r.shape_of(name) + ", which has no row " + std::to_string(last),
           "expected " + what + " for every token of the text");
  }
  return r.file.arrays().load_rows(name, rows);
}

struct Norm {
  std::string name;  ///< "h.0.ln_1"
  Tensor weight, bias;
  double epsilon = 1e-5;
  bool root_mean_square = false;
};

Tensor vector_of(const FileReading& r, const std::string& name, Index width) {
  const Tensor values = r.load(name);
  if (values.shape() != Shape{width}) r.fail(r.shape_of(name), "expected [" + std::to_string(width) + "]");
  return values;
}

/// Nothing where the file has no such norm. Older files call weight and bias gamma and beta.
std::optional<Norm> norm_of(const FileReading& r, const std::string& name, Index width, bool root_mean_square) {
  const auto first = [&](const char* a, const char* b) {
    return r.file.arrays().find(name + a) ? name + a : r.file.arrays().find(name + b) ? name + b : std::string();
  };
  const std::string weight = first(".weight", ".gamma"), bias = first(".bias", ".beta");
  if (weight.empty()) return {};
  const auto said = config_number(path_from(r.file.path()), {"layer_norm_epsilon", "layer_norm_eps", "rms_norm_eps"});
  const double usual = root_mean_square ? 1e-6 : name.ends_with("LayerNorm") ? 1e-12 : 1e-5;
  return Norm{name, vector_of(r, weight, width), bias.empty() ? Tensor() : vector_of(r, bias, width),
              said ? said->value : usual, root_mean_square};
}

/// Ba et al. 2016; without the mean, Zhang & Sennrich 2019.
void normalise(const Norm& norm, std::span<float> row) {
  double mean = 0, square = 0;
  for (const float v : row) mean += static_cast<double>(v);
  mean = norm.root_mean_square ? 0 : mean / static_cast<double>(row.size());
  for (const float v : row) square += (static_cast<double>(v) - mean) * (static_cast<double>(v) - mean);
  const double scale = 1 / std::sqrt(square / static_cast<double>(row.size()) + norm.epsilon);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto at = static_cast<Index>(i);
    const double bias = norm.bias.defined() ? static_cast<double>(norm.bias.at({at})) : 0;
    row[i] = static_cast<float>(
        (static_cast<double>(row[i]) - mean) * scale * static_cast<double>(norm.weight.at({at})) + bias);
  }
}

struct Batch {
  std::vector<std::vector<Token>> entries;  ///< all of one length
  Buffer lengths;
  bool padded = false;

  Index size() const { return static_cast<Index>(entries.size()); }
  Index tokens() const { return static_cast<Index>(entries.front().size()); }
};

Batch tokenized(const FileReading& r, const TokenSplitter& splitter) {
  Batch batch;
  std::string_view rest = r.resolving.scenario.text;
  std::size_t longest = 0;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") != std::string_view::npos) batch.entries.push_back(splitter.split(line));
    check_lines(batch.entries.size());
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (batch.entries.empty()) throw SettingError("--text", "holds no token", "expected at least one word");
  for (const auto& entry : batch.entries) {
    longest = std::max(longest, entry.size());
    batch.lengths.push_back(static_cast<float>(entry.size()));
  }
  for (auto& entry : batch.entries) {
    batch.padded |= entry.size() < longest;
    entry.resize(longest, splitter.padding());
  }
  return batch;
}

/// [B·n, d]: tokens, and positions and the first segment where the layout adds them.
Buffer embedded(const FileReading& r, const Model& model, const Batch& batch, Index width) {
  std::vector<Index> ids, places;
  for (const auto& entry : batch.entries) {
    for (std::size_t i = 0; i < entry.size(); ++i) {
      ids.push_back(entry[i].id);
      places.push_back(static_cast<Index>(i));
    }
  }
  const Tensor tokens = rows_of(r, model.prefix + model.layout.tokens, ids, width, "token embedding");
  Buffer sum(tokens.values().begin(), tokens.values().end());
  const auto add = [&](const char* name, const std::vector<Index>& rows, const char* what) {
    if (*name == '\0') return;
    const Tensor added = rows_of(r, model.prefix + name, rows, width, what);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += added.values()[i];
  };
  add(model.layout.positions, places, "position embedding");
  add(model.layout.segments, std::vector<Index>(ids.size(), 0), "token type embedding");
  return sum;
}

/// "h.3." of "h.3.attn.": the block that the attention stands in.
std::string block_of(const AttentionKeys& keys, const ModelLayout& layout) {
  const std::size_t at = keys.prefix.rfind(std::string(layout.attention) + ".");
  return at == std::string::npos ? keys.prefix : keys.prefix.substr(0, at);
}

/// The number in "h.3.": 3; −1 if there is none.
int depth_of(const std::string& block) {
  const std::size_t end = block.find_last_of("0123456789");
  if (end == std::string::npos) return -1;
  const std::size_t first = block.find_last_not_of("0123456789", end);
  return std::atoi(block.substr(first + 1, end - first).c_str());
}

void note(const FileReading& r, const Model& model, const TokenSplitter& splitter, const std::string& norms,
          int depth) {
  const ModelLayout& layout = model.layout;
  r.assume("tokens", splitter.made_from());
  std::string sum = model.prefix + layout.tokens;
  for (const char* added : {layout.positions, layout.segments}) sum += *added != '\0' ? std::string(" + ") + added : "";
  r.assume("inputs", "the text's embedding: " + sum + norms + (depth == 0 ? "; what layer 0 gets in the model" : ""));
  if (depth > 0) {
    r.assume("positions", "layer " + std::to_string(depth) +
                              " gets the output of the layers before it in the model, which are not computed here: "
                              "this is the embedding itself");
  }
  if (layout.root_mean_square && r.resolving.scenario.rope == Rope::none) {
    r.assume("positions", "none: the model rotates queries and keys, --rope half does");
  }
}

}  // namespace

TextSequence read_model_text(const FileReading& r, const Dims& dims) {
  const Model model = model_of(r);
  const auto splitter = r.file.tokenizer();
  const Batch batch = tokenized(r, *splitter);
  Buffer x = embedded(r, model, batch, dims.d_query);
  const std::string block = block_of(r.keys, model.layout);
  std::string norms;
  for (const std::string& name : {*model.layout.whole_norm ? model.prefix + model.layout.whole_norm : std::string(),
                                  *model.layout.block_norm ? block + model.layout.block_norm : std::string()}) {
    if (name.empty()) continue;
    const std::optional<Norm> norm = norm_of(r, name, dims.d_query, model.layout.root_mean_square);
    norms += norm ? ", then " + name : ", without " + name + ", which the file lacks";
    const auto width = static_cast<std::size_t>(dims.d_query);
    for (std::size_t row = 0; norm && row < x.size(); row += width) normalise(*norm, std::span(x).subspan(row, width));
  }
  TextSequence made;
  Sequence& in = made.sequence;
  in.query = in.key = in.value = Tensor({batch.size(), batch.tokens(), dims.d_query}, std::move(x));
  if (batch.padded) made.valid_lens = Tensor({batch.size()}, batch.lengths);
  for (const auto& entry : batch.entries) {
    std::vector<std::string>& names = in.query_tokens.emplace_back();
    for (const Token& token : entry) names.push_back(token.text);
  }
  in.key_tokens = in.query_tokens;
  note(r, model, *splitter, norms, depth_of(block));
  return made;
}

}  // namespace headlight
