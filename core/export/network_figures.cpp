// Figures of a network that are not of attention: which experts each token chose, and what a decoding step reads.
#include <algorithm>

#include "core/export/layers_figure.h"
#include "core/network/decode_step.h"
#include "core/network/network_trace.h"
#include "core/run/trace.h"
#include "core/scenario/inputs.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

constexpr Index bytes_a_number = 2;

std::vector<std::string> words_of_line(const TokenBatch& tokens, Index batch) {
  std::vector<std::string> words;
  for (const Token& token : tokens.entries[static_cast<std::size_t>(batch)]) words.push_back(token.text);
  return words;
}

struct ChosenExperts {
  std::vector<std::string> layers;
  std::vector<Tensor> shares;  ///< [n, experts] for each layer
  std::vector<std::string> words;
};

ChosenExperts chosen_experts(const Trace& trace, const ExportOptions& options) {
  ChosenExperts made;
  const auto network = network_of(trace.inputs);
  const auto pass = network ? whole_pass(trace, false) : nullptr;
  for (std::size_t i = 0; pass && i < pass->layers.size(); ++i) {
    const Tensor& shares = pass->layers[i].experts;
    if (!shares.defined()) continue;
    check_batch(options.batch, pass->text.tokens.size());
    made.layers.push_back(pass->network->layers()[i].layer);
    made.shares.push_back(shares.slice(0, options.batch, 1).contiguous().view({shares.size(1), shares.size(2)}));
    made.words = words_of_line(pass->queries_of(static_cast<Index>(i)), options.batch);
  }
  if (made.layers.empty())
    throw SettingError("--layers", "\"experts\" is of a network with a mixture of experts, which this is not",
                       "expected one such as Mixtral, Qwen 3 MoE or DeepSeek");
  return made;
}

struct CacheBytes {
  Tensor bytes;  ///< [layers, positions]
  std::vector<std::string> layers, words;
  double read = 0, added = 0, as_mha = 0;
};

/// The bytes of each position that the step for the last word reads, and the bytes that the step adds.
CacheBytes cache_bytes_of(const Trace& trace, const ExportOptions& options) {
  const auto pass = network_of(trace.inputs);
  const TokenBatch* tokens = !pass                                ? nullptr
                             : pass->text.decoder.entries.empty() ? &pass->text.tokens
                                                                  : &pass->text.decoder;
  if (pass) check_batch(options.batch, pass->text.tokens.size());
  const Index last = pass ? tokens->lengths[static_cast<std::size_t>(options.batch)] - 1 : 0;
  const std::vector<DecodeLayer> layers = pass ? decode_layers(*pass->network) : std::vector<DecodeLayer>();
  if (layers.empty())
    throw SettingError("--layers", "\"kept\" is of a network that writes, which this is not",
                       "expected a language model, such as GPT-2 or LLaMA");
  CacheBytes made;
  Buffer bytes;
  for (const DecodeLayer& layer : layers) {
    const auto each = static_cast<double>(layer.numbers * bytes_a_number);
    for (Index i = 0; i <= last; ++i) bytes.push_back(i < layer.first(last) ? 0 : static_cast<float>(each));
    made.read += static_cast<double>(last - layer.first(last)) * each;
    made.added += each;
    made.as_mha += static_cast<double>(layer.as_mha * bytes_a_number);
    made.layers.push_back("L" + layer.layer + " " + name_of(layer));
  }
  made.bytes = Tensor({std::ssize(layers), last + 1}, std::move(bytes));
  made.words = words_of_line(*tokens, options.batch);
  made.words.resize(static_cast<std::size_t>(last + 1));
  return made;
}

std::string whole_text(double number) { return std::to_string(static_cast<std::int64_t>(number)); }

/// The title, size and range of a figure about the whole network.
FigureSpec empty_figure(const Trace& trace, const ExportOptions& options, const std::string& title) {
  const StageFigureStyle style = style_of(options);
  FigureSpec spec = figure_of_one(trace, options);
  spec.panels.clear();
  if (!style.title) spec.title = title;
  spec.shape = "";
  spec.row_ticks.clear();
  spec.col_ticks.clear();
  spec.row_pictures.clear();
  spec.col_pictures.clear();
  spec.palette = Palette::sequential;
  if (!style.own_range) {
    spec.range_mode = RangeMode::stage;
    spec.range.reset();
  }
  return spec;
}

void must_be_whole(const ExportOptions& options) {
  if (options.rows != Part{} || options.cols != Part{})
    throw SettingError("--layers", Message("{0} is drawn whole", options.layers),
                       "expected no --rows or --cols with it");
}

}  // namespace

bool takes_network(const ExportOptions& options) { return options.layers == "experts" || options.layers == "kept"; }

FigureSpec network_figure(const Trace& trace, const ExportOptions& options) {
  must_be_whole(options);
  const StageFigureStyle style = style_of(options);
  if (options.layers == "kept") {
    const CacheBytes kept = cache_bytes_of(trace, options);
    FigureSpec spec = empty_figure(trace, options, "what the step for the next word reads");
    spec.subtitle = "reads " + whole_text(kept.read) + " bytes, adds " + whole_text(kept.added) +
                    " (unshared: " + whole_text(kept.as_mha) + ")";
    for (Index layer = 0; layer < kept.bytes.size(0); ++layer) {
      for (Index at = 0; at < kept.bytes.size(1); ++at) {
        const std::string number = whole_text(static_cast<double>(kept.bytes.at({layer, at})));
        spec.cell_words.push_back(number == "0" ? "" : (at + 1 == kept.bytes.size(1) ? "+" : "") + number);
      }
    }
    spec.values = !style.bare;
    spec.row_ticks = kept.layers;
    spec.col_ticks = kept.words;
    spec.kept.push_back(kept.bytes);
    spec.panels = {{spec.kept.back().matrix(), {}, "", {}}};
    if (!style.row_label) spec.row_label = "layers";
    if (!style.col_label) spec.col_label = "words, the last is new · bytes, 2 a number";
    if (!style.own_range) {
      const auto values = kept.bytes.values();
      spec.range_mode = RangeMode::fixed;
      spec.range = ValueRange{0, *std::ranges::max_element(values)};
    }
    return spec;
  }
  const ChosenExperts chosen = chosen_experts(trace, options);
  FigureSpec spec = empty_figure(trace, options, "which experts each word chose");
  spec.subtitle = "each expert's share; blank: not chosen";
  spec.row_ticks = chosen.words;
  if (!style.row_label) spec.row_label = "words";
  if (!style.col_label) spec.col_label = "experts";
  for (std::size_t i = 0; i < chosen.shares.size(); ++i) {
    spec.kept.push_back(chosen.shares[i]);
    spec.panels.push_back({spec.kept.back().matrix(), {}, "layer " + chosen.layers[i], {}});
  }
  return spec;
}

NamedArray network_array(const Trace& trace, const ExportOptions& options) {
  must_be_whole(options);
  if (options.layers == "kept") return {"kept_bytes", cache_bytes_of(trace, options).bytes, false};
  const ChosenExperts chosen = chosen_experts(trace, options);
  Buffer values;
  for (const Tensor& shares : chosen.shares) {
    if (shares.shape() != chosen.shares.front().shape())
      throw SettingError("--layers", "layers have different numbers of experts", "expected a figure");
    values.insert(values.end(), shares.values().begin(), shares.values().end());
  }
  const Shape& one = chosen.shares.front().shape();
  return {"experts", Tensor({std::ssize(chosen.shares), one[0], one[1]}, std::move(values)), false};
}

}  // namespace headlight
