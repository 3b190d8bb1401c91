#include "core/compute/network/sampling.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/base/text/unicode.h"
#include "core/base/text/word_piece.h"
#include "core/compute/network/network.h"

namespace headlight {
namespace {

using TokenIds = std::vector<Index>;

/// The ids of the line's tokens; nothing if the tokenizer refuses the line.
std::optional<TokenIds> ids_of(const TokenSplitter& splitter, const std::string& line) {
  try {
    TokenIds ids;
    for (const Token& token : splitter.split(line)) ids.push_back(token.id);
    return ids;
  } catch (const InputError&) { return {}; }
}

bool begins_character(const std::string& text, std::size_t at) {
  return at == text.size() || !continues_character(text[at]);
}

/// The shortest beginning of the line that is split into exactly these tokens.
std::optional<std::string> beginning(const TokenSplitter& splitter, const std::string& line, const TokenIds& tokens) {
  if (ids_of(splitter, line) == tokens) return line.substr(0, line.find_last_not_of(" \t") + 1);
  // A longer beginning has more tokens, except where it cuts a word. So a binary search finds the end to within one
  // word.
  constexpr std::size_t word = 64;  // bytes
  std::size_t low = 0, high = line.size();
  while (high - low > word) {
    std::size_t middle = (low + high) / 2;
    while (!begins_character(line, middle)) ++middle;
    const std::optional<TokenIds> ids = ids_of(splitter, line.substr(0, middle));
    (ids && ids->size() >= tokens.size() ? high : low) = middle;
  }
  const std::size_t last = std::min(high + word, line.size());
  for (std::size_t end = low > word ? low - word : 0; end <= last; ++end) {
    if (begins_character(line, end) && ids_of(splitter, line.substr(0, end)) == tokens) return line.substr(0, end);
  }
  return {};
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string whole;
  for (std::size_t i = 0; i < lines.size(); ++i) whole += (i == 0 ? "" : "\n") + lines[i];
  return whole;
}

/// A token's text as it stands in a line: "␣cat" is " cat", "##s" is "s".
std::string as_written(std::string shown) {
  shown = replaced(std::move(shown), "␣", " ");
  return without_mark(std::move(shown));
}

}  // namespace

std::vector<Index> largest_of_row(const MatrixView& logits, Index row, Index count) {
  std::vector<Index> order(static_cast<std::size_t>(logits.cols));
  std::iota(order.begin(), order.end(), Index{0});
  count = std::min(count, logits.cols);
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](Index a, Index b) {
    const float x = logits(row, a), y = logits(row, b);
    return is_larger(x, y) || (!is_larger(y, x) && a < b);
  });
  order.resize(static_cast<std::size_t>(count));
  return order;
}

std::vector<double> shares_of(std::span<const float> logits, const Sampling& sampling) {
  std::vector<double> shares(logits.size());
  if (logits.empty()) return shares;
  if (std::ranges::any_of(logits, [](float logit) { return std::isnan(logit); })) {  // none is the largest
    std::ranges::fill(shares, std::numeric_limits<double>::quiet_NaN());
    return shares;
  }
  const auto largest = std::ranges::max_element(logits);
  if (sampling.temperature <= 0) {
    shares[static_cast<std::size_t>(largest - logits.begin())] = 1;
    return shares;
  }
  const auto normalise = [&] {
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
  };
  std::ranges::transform(logits, shares.begin(), [&](float logit) {
    return std::exp((static_cast<double>(logit) - static_cast<double>(*largest)) /
                    static_cast<double>(sampling.temperature));
  });
  if (sampling.top_k > 0 && sampling.top_k < std::ssize(logits)) {
    std::vector<float> sorted(logits.begin(), logits.end());
    const auto last = sorted.begin() + sampling.top_k - 1;
    std::ranges::nth_element(sorted, last, is_larger);
    for (std::size_t i = 0; i < logits.size(); ++i) shares[i] = logits[i] < *last ? 0 : shares[i];
  }
  normalise();
  if (sampling.top_p >= 1) return shares;
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, is_larger, [&](std::size_t i) { return logits[i]; });
  double cumulative = 0;
  for (const std::size_t i : order) {
    const double share = shares[i];
    if (i != order.front() && cumulative >= static_cast<double>(sampling.top_p)) shares[i] = 0;
    cumulative += share;
  }
  normalise();
  return shares;
}

std::vector<double> next_shares(const NetworkRun& run, Index batch, Index position, const Sampling& sampling) {
  if (!run.logits.defined()) return {};
  if (position < 0) position = place_of_prediction(run, batch);
  const MatrixView rows = run.logits.matrix(batch);
  const Index row = std::min(position, rows.rows - 1);
  std::vector<float> logits(static_cast<std::size_t>(rows.cols));
  for (Index i = 0; i < rows.cols; ++i) logits[static_cast<std::size_t>(i)] = rows(row, i);
  return shares_of(logits, sampling);
}

Index drawn(std::span<const double> shares, double uniform) {
  double cumulative = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= 0) continue;
    last = i;
    cumulative += shares[i];
    if (uniform < cumulative) break;
  }
  return static_cast<Index>(last);
}

std::optional<std::string> written_on(const Network& network, const std::string& text, Index batch, Index position,
                                      Index token) {
  if (!network.spec().writes()) return {};
  std::vector<std::string> lines = text_lines(network.usual_text(text));
  if (batch < 0 || batch >= std::ssize(lines)) return {};
  std::string& line = lines[static_cast<std::size_t>(batch)];
  const TokenSplitter& splitter = network.tokenizer();
  std::optional<TokenIds> ids = ids_of(splitter, line);
  if (!ids || position < 0 || position >= std::ssize(*ids)) return {};
  ids->resize(static_cast<std::size_t>(position) + 1);
  const std::optional<std::string> before = beginning(splitter, line, *ids);
  if (!before) return {};
  ids->push_back(token);
  const std::string word = as_written(network.word(token));
  // If both spellings give these tokens: a blank before Latin words, none before punctuation and Chinese.
  const bool blank_first = !word.empty() && std::isalnum(static_cast<unsigned char>(word.front())) != 0;
  for (const bool blank : {blank_first, !blank_first}) {
    line = *before + (blank ? " " : "") + word;
    if (ids_of(splitter, line) == ids) return joined_lines(lines);
  }
  return {};
}

std::optional<std::string> with_swapped_tokens(const Network& network, const std::string& text, Index batch,
                                               Index first, Index second) {
  std::vector<std::string> lines = text_lines(network.usual_text(text));
  if (first > second) std::swap(first, second);
  if (batch < 0 || batch >= std::ssize(lines) || first < 0 || first == second) return {};
  std::string& line = lines[static_cast<std::size_t>(batch)];
  const TokenSplitter& splitter = network.tokenizer();
  std::optional<TokenIds> ids = ids_of(splitter, line);
  if (!ids || second >= std::ssize(*ids)) return {};
  // The start of a token, after its blanks, and its end.
  const auto place_of = [&](Index position) -> std::optional<std::pair<std::size_t, std::size_t>> {
    const auto first_tokens = [&](Index count) {
      return beginning(splitter, line, TokenIds(ids->begin(), ids->begin() + count));
    };
    const auto before = first_tokens(position), after = first_tokens(position + 1);
    if (!before || !after) return {};
    return std::pair(line.find_first_not_of(" \t", before->size()), after->size());
  };
  const auto one = place_of(first), other = place_of(second);
  if (!one || !other || one->second > other->first) return {};
  line = line.substr(0, one->first) + line.substr(other->first, other->second - other->first) +
         line.substr(one->second, other->first - one->second) + line.substr(one->first, one->second - one->first) +
         line.substr(other->second);
  std::swap((*ids)[static_cast<std::size_t>(first)], (*ids)[static_cast<std::size_t>(second)]);
  if (ids_of(splitter, line) != ids) return {};
  return joined_lines(lines);
}

}  // namespace headlight
