#include "core/network/compared_texts.h"

#include <algorithm>
#include <cmath>

#include "core/architecture/checkpoint.h"
#include "core/files/error_place.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

/// Where a text is summed up: at its last position, or at its end token. Its id is 2 in the first CLIP's config.json,
/// which is another one: there the token with the largest id ends the text.
Index place_in(const std::vector<Token>& tokens, const ContrastSpec& spec, const std::string& line) {
  if (spec.at_last) return std::ssize(tokens) - 1;
  const Index end = spec.texts->end_token.value_or(2);
  const auto found =
      end == 2 ? std::ranges::max_element(tokens, {}, &Token::id) : std::ranges::find(tokens, end, &Token::id);
  if (found == tokens.end())
    throw SettingError("--text", Message("{0} has no token {1}, which ends a text", in_quotes(line), end),
                       "expected the tokenizer that the model was trained with");
  return found - tokens.begin();
}

}  // namespace

void give_texts(const Network& tower, const std::vector<std::string>& lines, Checkpoint& checkpoint,
                NetworkSpec& spec) {
  const ContrastSpec& contrast = *spec.contrast;
  std::string joined;
  for (const std::string& line : lines) joined += line + "\n";
  RunOptions options;
  options.weights = false;
  const NetworkRun run = tower.run(tower.read(joined), options);
  const Tensor all = tower.before_words(run.final);
  const Index width = all.size(2), count = all.size(0);
  const auto number = [&](const std::string& name) {
    return name.empty() ? 0.0F : checkpoint.load(name).contiguous().values().front();
  };
  const double scale = std::exp(static_cast<double>(number(contrast.scale)));
  Buffer rows;
  for (Index text = 0; text < count; ++text) {
    const auto entry = static_cast<std::size_t>(text);
    const Index place = place_in(run.text.tokens.entries[entry], contrast, lines[entry]);
    const MatrixView m = all.matrix(text);
    double squares = 0;
    for (Index c = 0; c < width; ++c) squares += static_cast<double>(m(place, c)) * static_cast<double>(m(place, c));
    const double factor = scale / std::sqrt(squares * static_cast<double>(width));
    for (Index c = 0; c < width; ++c) rows.push_back(static_cast<float>(factor * static_cast<double>(m(place, c))));
  }
  spec.head.output = {"(texts)", "(bias of texts)"};
  checkpoint.give(spec.head.output.weight, Tensor({count, width}, std::move(rows)));
  checkpoint.give(spec.head.output.bias, Tensor::full({count}, number(contrast.bias)));
  spec.labels = lines;
  spec.vocabulary = count;
}

}  // namespace headlight
