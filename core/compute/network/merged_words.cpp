#include "core/compute/network/merged_words.h"

#include <algorithm>

#include "core/base/tensor/error.h"
#include "core/models/tokenizer/spelling.h"

namespace headlight {
namespace {

/// The tokens of one axis of a batch entry, by word.
struct WordsOfAxis {
  std::vector<Index> word_of;
  std::vector<std::string> names;
  std::vector<Index> sizes;  ///< tokens of each word
};

WordsOfAxis words_along(const std::vector<std::string>& tokens) {
  const std::vector<std::size_t> words = word_numbers(tokens);
  WordsOfAxis out;
  for (std::size_t i = 0; i < tokens.size();) {
    std::size_t end = i + 1;
    while (!words.empty() && end < tokens.size() && words[end] == words[i]) ++end;
    const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(i);
    out.word_of.insert(out.word_of.end(), end - i, std::ssize(out.names));
    std::string name = joined_pieces({first, first + static_cast<std::ptrdiff_t>(end - i)});
    constexpr std::string_view blank = "␣";  // says where a word begins, as each name does
    if (name.starts_with(blank) && name.size() > blank.size()) name.erase(0, blank.size());
    out.names.push_back(std::move(name));
    out.sizes.push_back(static_cast<Index>(end - i));
    i = end;
  }
  return out;
}

std::vector<WordsOfAxis> words_of_lines(const TokenNames& lines) {
  std::vector<WordsOfAxis> all;
  for (const std::vector<std::string>& line : lines) all.push_back(words_along(line));
  return all;
}

Index longest(const std::vector<WordsOfAxis>& lines) {
  std::size_t most = 0;
  for (const WordsOfAxis& line : lines) most = std::max(most, line.names.size());
  return static_cast<Index>(most);
}

TokenNames names_of(const std::vector<WordsOfAxis>& lines) {
  TokenNames names;
  for (const WordsOfAxis& line : lines) {
    names.push_back(line.names);
    names.back().resize(static_cast<std::size_t>(longest(lines)), "<pad>");
  }
  return names;
}

struct Merged {
  Tensor weights, allowed;
  bool masks = false;
};

Merged merged_cells(const Trace& trace, const std::vector<WordsOfAxis>& queries, const std::vector<WordsOfAxis>& keys) {
  const Index batch = trace.dims().batch, heads = trace.dims().heads, n_q = longest(queries), n_k = longest(keys);
  const auto area = static_cast<std::size_t>(n_q * n_k);
  Buffer cells, allowed;
  Merged out;
  for (Index b = 0; b < batch; ++b) {
    const WordsOfAxis &rows = queries[static_cast<std::size_t>(b)], &cols = keys[static_cast<std::size_t>(b)];
    for (Index h = 0; h < heads; ++h) {
      const MatrixView from = trace[Stage::weights].matrix(b, h);
      const CellMasks masks = masks_over(trace, Stage::weights, b, h);
      std::vector<double> sums(area, 0);
      Buffer may(area, 0);
      for (Index q = 0; q < from.rows; ++q) {
        const Index row = rows.word_of[static_cast<std::size_t>(q)];
        for (Index k = 0; k < from.cols; ++k) {
          const auto at = static_cast<std::size_t>(row * n_k + cols.word_of[static_cast<std::size_t>(k)]);
          sums[at] += static_cast<double>(from(q, k)) / static_cast<double>(rows.sizes[static_cast<std::size_t>(row)]);
          if (!masks.allowed || (*masks.allowed)(q, k) != 0) may[at] = 1;
        }
      }
      std::ranges::transform(sums, std::back_inserter(cells), [](double sum) { return static_cast<float>(sum); });
      allowed.insert(allowed.end(), may.begin(), may.end());
    }
  }
  out.masks = std::ranges::find(allowed, 0.0F) != allowed.end();
  const Shape shape{batch, heads, n_q, n_k};
  out.weights = Tensor(shape, std::move(cells));
  out.allowed = Tensor(shape, std::move(allowed));
  return out;
}

}  // namespace

std::shared_ptr<const Trace> merged_words(const std::shared_ptr<const Trace>& pieces, const Trace* last,
                                          const Run& run) {
  const Trace& trace = *pieces;
  if (!trace.has(Stage::weights) || trace[Stage::weights].source())
    throw SettingError("--merge", "is of weights, which are not here as a whole", "expected a shorter text");
  if (trace.inputs.query_tokens.empty() || trace.inputs.key_tokens.empty())
    throw SettingError("--merge", "words are made of tokens, and these have no names",
                       "expected a text, or --tokens with their names");
  const std::vector<WordsOfAxis> queries = words_of_lines(trace.inputs.query_tokens),
                                 keys = words_of_lines(trace.inputs.key_tokens);
  const Merged merged = merged_cells(trace, queries, keys);
  Inputs in;
  in.weights = merged.weights;
  in.dims = {.batch = merged.weights.size(0),
             .heads = merged.weights.size(1),
             .kv_heads = merged.weights.size(1),
             .n_q = merged.weights.size(2),
             .n_k = merged.weights.size(3)};
  in.dims.d_model = in.dims.d_query = in.dims.d_key = in.dims.d_value = in.dims.d_out = in.dims.heads;
  if (merged.masks) in.file_mask = merged.allowed;
  in.guessed = trace.inputs.guessed;
  in.query_tokens = names_of(queries);
  in.key_tokens = names_of(keys);
  in.layer = trace.inputs.layer;
  in.assumptions = trace.inputs.assumptions;
  in.assumptions.push_back({"merge", Message("{0} tokens are {1} words: the rows of a word's pieces are averaged, "
                                             "their columns added",
                                             trace.dims().n_k, in.dims.n_k)});
  Scenario scenario;
  scenario.source = trace.scenario.source;
  scenario.file = trace.scenario.file;
  scenario.text = trace.scenario.text;
  scenario.text_as_input = trace.scenario.text_as_input;
  scenario.image = trace.scenario.image;
  scenario.layer = trace.scenario.layer;
  scenario.seed = trace.scenario.seed;
  scenario.knock_out = trace.scenario.knock_out;
  scenario.merge = Merge::words;
  auto made = std::make_shared<Trace>(*compute(scenario, std::move(in), last, run));
  made->pieces = pieces;
  return made;
}

}  // namespace headlight
