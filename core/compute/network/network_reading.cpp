// The input of a network: words, tensors of a file, or pictures. Also the words that a decoder writes.
#include <algorithm>
#include <span>

#include "core/base/files/error_place.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/compute/network/forward.h"
#include "core/compute/network/key_cache.h"
#include "core/compute/network/pictures.h"
#include "core/models/architecture/checkpoint.h"
#include "core/scenario/inputs/seeded.h"

namespace headlight {
namespace {

/// Whether the tokenizer has tokens for the whole text.
bool can_split(const TokenSplitter& splitter, const std::string& text) {
  try {
    return !splitter.split(text).empty();
  } catch (const SettingError&) { return false; }
}

}  // namespace

std::vector<std::string> text_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : Split(text, '\n')) {
    if (is_filled(without_return(line))) lines.emplace_back(without_return(line));
    check_lines(lines.size());
  }
  return lines;
}

std::string Network::usual_text(const std::string& text) const {
  if (spec_.takes_tensors || spec_.picture || text != Scenario().text) return text;
  const TokenSplitter& splitter = tokenizer();
  if (!spec_.example.empty()) return spec_.example;
  if (can_split(splitter, text)) return text;
  const Index most = spec_.stacks.front().embedding.most_positions;
  const auto count = static_cast<std::size_t>(most > 0 ? std::min(most, Index{8}) : 8);
  std::string words, letters;  // its first tokens, with blanks between them and without
  std::size_t found = 0;
  for (Index id = 0; id <= splitter.last_id() && found < count; ++id) {
    const std::optional<std::string> word = splitter.text_of(id);
    if (!word || word->empty() || !can_split(splitter, *word) || splitter.split(*word).size() != 1) continue;
    words += (found++ > 0 ? " " : "") + *word;
    letters += *word;
  }
  return found == 0 ? text : can_split(splitter, words) ? words : letters;
}

/// Reads x, src, tgt and memory from the file; an array [n, d] is one batch entry.
NetworkText Network::given_tensors() const {
  const auto load = [&](std::initializer_list<const char*> names) {
    for (const char* wanted : names) {
      const std::string name = checkpoint_->input_named(wanted);
      if (name.empty()) continue;
      Tensor x = checkpoint_->load(name);
      const Shape& shape = x.shape();
      if ((shape.size() != 2 && shape.size() != 3) || shape.back() != spec_.width || x.count() == 0) {
        throw FileError(file_, Message("{0} has shape {1}", in_quotes(name), to_string(shape)),
                        Message("expected [B, n, {0}]", spec_.width));
      }
      if (shape.size() == 2) return x.view({1, shape[0], shape[1]});
      auto batch_first = checkpoint_->setting("batch_first");
      const auto first = checkpoint_->prefix_of("self_attn.in_proj_weight");
      if (!batch_first && first) batch_first = checkpoint_->number(*first + "self_attn.batch_first");  // saved whole
      return batch_first == 0.0 ? x.transpose(0, 1).contiguous() : x;
    }
    throw FileError(file_, Message("holds no {0} for its layers", std::string(*names.begin())),
                    Message("expected it beside the weights, [B, n, {0}]", spec_.width));
  };
  const auto places = [](const Tensor& x) {
    TokenBatch batch;
    for (Index b = 0; b < x.size(0); ++b) {
      std::vector<Token>& entry = batch.entries.emplace_back();
      for (Index i = 0; i < x.size(1); ++i) entry.push_back({i, std::to_string(i)});
      batch.lengths.push_back(x.size(1));
    }
    return batch;
  };
  NetworkText text;
  const bool two = spec_.stacks.size() == 2, memory = two && spec_.stacks.front().blocks.empty();
  text.x = memory ? load({"memory"}) : load({"src", "x", "X", "input", "hidden_states"});
  text.tokens = places(text.x);
  if (!two) return text;
  text.decoder_x = load({"tgt", "y", "x", "target"});
  if (text.decoder_x.size(0) != text.x.size(0))
    throw FileError(file_, Message("holds inputs of {0} and {1} batch entries", text.x.size(0), text.decoder_x.size(0)),
                    "expected as many");
  text.decoder = places(text.decoder_x);
  return text;
}

NetworkText Network::read(const std::string& text, const RunOptions& options, Index most_written) const {
  if (spec_.takes_tensors) return given_tensors();
  if (spec_.picture) return read_pictures(spec_, text);
  const TokenSplitter& splitter = tokenizer();
  const bool two = spec_.stacks.size() == 2;
  std::vector<std::vector<Token>> sources, targets;
  bool has_targets = false;
  for (const std::string& line : text_lines(text)) {
    const std::size_t arrow = two ? line.find("=>") : std::string::npos;
    const std::string source = line.substr(0, arrow);
    sources.push_back(splitter.split(source));
    if (sources.back().empty()) throw SettingError("--text", "holds no token", "expected at least one word");
    if (!two) continue;
    const Index start = spec_.start_token.value_or(0);
    targets.push_back({{start, word(start)}});
    if (arrow == std::string::npos) continue;
    has_targets = true;
    for (const Token& token : splitter.split(std::string_view(line).substr(arrow + 2))) {
      if (token.id != spec_.end_token && token.id != start) targets.back().push_back(token);
    }
  }
  if (sources.empty()) throw SettingError("--text", "holds no token", "expected at least one word");
  NetworkText read;
  if (spec_.filled_with) {
    const Token filling{*spec_.filled_with, word(*spec_.filled_with)};
    const auto length = static_cast<std::size_t>(spec_.stacks.front().embedding.most_positions);
    for (std::vector<Token>& line : sources) line.resize(std::max(line.size(), length), filling);
  }
  read.tokens = batch_of(std::move(sources), splitter.padding());
  if (!two) return read;
  if (!has_targets) write(read, targets, options, most_written);
  read.decoder = batch_of(std::move(targets), splitter.padding());
  return read;
}

void Network::write(const NetworkText& read, std::vector<std::vector<Token>>& targets, const RunOptions& options,
                    Index most) const {
  NetworkRun step{shared_from_this(), read, options.knock_out, {}, {}, {}, {}, {}};
  RunOptions how = options;
  how.until.reset();
  how.change.reset();  // it changes how the network reads the written words, not which words it writes
  how.from = nullptr;
  how.weights = how.parts = how.summaries = false;
  how.logits = RunOptions::Logits::all;
  KeyCache cache;
  how.cache = &cache;
  const Forward forward(*this, *checkpoint_, how);
  if (const Index positions = spec_.stacks[1].embedding.most_positions; positions > 0)
    most = std::min(most, positions - 1);
  std::vector<bool> ended(targets.size(), false);
  for (Index position = 1; position <= most && std::ranges::find(ended, false) != ended.end(); ++position) {
    step.text.decoder = batch_of(targets, tokenizer().padding());
    forward.fill(step);
    if (!step.logits.defined()) break;
    for (std::size_t b = 0; b < targets.size(); ++b) {
      if (ended[b]) continue;
      const bool forced = position == 1 && spec_.forced_first;
      const Index next = forced ? *spec_.forced_first
                                : largest_column(step.logits.matrix(static_cast<Index>(b)),
                                                 step.text.decoder.lengths[b] - 1 - step.first);
      ended[b] = next == spec_.end_token;
      if (!ended[b]) targets[b].push_back({next, word(next)});
    }
  }
}

}  // namespace headlight
