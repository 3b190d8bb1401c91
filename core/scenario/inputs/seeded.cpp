#include "core/scenario/inputs/seeded.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/sampler.h"
#include "core/base/text/texts.h"
#include "core/base/text/unicode.h"
#include "core/rules/position/sinusoids.h"
#include "core/scenario/inputs/scenario_rules.h"

namespace headlight {
namespace {

bool seeded_parameters(const Scenario& scenario) { return scenario.source != Source::file; }

/// Uniform numbers in (−bound, bound); matrices above 128 MB are drawn when they are read.
Tensor uniform(const Sampler& from, const Shape& shape, float bound) {
  if (shape.size() == 2 && drawn_as_read(element_count(shape)))
    return from.uniform_on_demand(shape[0], shape[1], -bound, bound);
  return Sampler(from).uniform(shape, -bound, bound);
}

/// A random weight or bias of a linear layer with `in` inputs.
Tensor drawn_parameter(const Resolving& r, Stage stage, const Shape& shape, Index in, Index last_in) {
  const Scenario& s = r.scenario;
  if (r.last && seeded_parameters(*r.last_scenario) && r.last_scenario->seed == s.seed &&
      r.last_scenario->weight_gain == s.weight_gain && r.last_scenario->packed == s.packed && last_in == in) {
    const Tensor& last = r.last->matrix(stage);
    if (last.defined() && last.shape() == shape) return last;
  }
  const float bound = s.weight_gain / std::sqrt(static_cast<float>(in));
  return uniform(Sampler(s.seed, name(stage), r.stop), shape, bound);
}

struct Linear {
  Tensor weight, bias;
};

Linear drawn_linear(const Resolving& r, Stage weight, Stage bias, Index out, Index in) {
  const Index last_in = r.last && r.last->matrix(weight).defined() ? r.last->matrix(weight).size(1) : 0;
  Linear drawn{drawn_parameter(r, weight, {out, in}, in, last_in), {}};
  if (r.scenario.bias.value_or(true)) drawn.bias = drawn_parameter(r, bias, {out}, in, last_in);
  return drawn;
}

/// One random [d + 2·kv, in] matrix, and W_q, W_k and W_v as its slices.
Parameters drawn_packed(const Resolving& r, const Dims& dims) {
  Parameters made;
  const Index kv = dims.kv_heads * dims.d_head;
  const float bound = r.scenario.weight_gain / std::sqrt(static_cast<float>(dims.d_query));
  const Tensor weight =
      uniform(Sampler(r.scenario.seed, "W_qkv", r.stop), {dims.d_model + 2 * kv, dims.d_query}, bound);
  const auto last = [&](Stage stage) { return r.last ? r.last->matrix(stage) : Tensor(); };
  const auto part = [&](const Tensor& whole, Stage stage, Index first, Index length) {
    return keep_if_equal(whole.slice(0, first, length), last(stage));
  };
  made.W_q = part(weight, Stage::W_q, 0, dims.d_model);
  made.W_k = part(weight, Stage::W_k, dims.d_model, kv);
  made.W_v = part(weight, Stage::W_v, dims.d_model + kv, kv);
  made.packed = true;
  if (!r.scenario.bias.value_or(true)) return made;
  const Tensor bias = Sampler(r.scenario.seed, "b_qkv").uniform({dims.d_model + 2 * kv}, -bound, bound);
  made.b_q = part(bias, Stage::b_q, 0, dims.d_model);
  made.b_k = part(bias, Stage::b_k, dims.d_model, kv);
  made.b_v = part(bias, Stage::b_v, dims.d_model + kv, kv);
  return made;
}

Parameters drawn_separate(const Resolving& r, const Dims& dims) {
  const Index kv = dims.kv_heads * dims.d_head;
  const Linear q = drawn_linear(r, Stage::W_q, Stage::b_q, dims.d_model, dims.d_query);
  const Linear k = drawn_linear(r, Stage::W_k, Stage::b_k, kv, dims.d_key);
  const Linear v = drawn_linear(r, Stage::W_v, Stage::b_v, kv, dims.d_value);
  return {.W_q = q.weight,
          .W_k = k.weight,
          .W_v = v.weight,
          .W_o = {},
          .b_q = q.bias,
          .b_k = k.bias,
          .b_v = v.bias,
          .b_o = {}};
}

/// Whether all cells of the stage are set by hand, so that none is random.
bool is_all_given(const Scenario& scenario, Stage stage, const Tensor& drawn) {
  if (!drawn.defined()) return true;
  std::set<std::pair<Index, Index>> cells;
  for (const CellEdit& edit : scenario.edits) {
    if (edit.stage == stage) cells.emplace(edit.row, edit.col);
  }
  return std::ssize(cells) == drawn.count();
}

}  // namespace

Tensor with_positions(const Tensor& x) {
  const Tensor positions = sinusoids(x.size(1), x.size(2));
  const Tensor packed = x.contiguous();
  Buffer values(packed.values().begin(), packed.values().end());
  const std::span<const float> added = positions.values();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += added[i % added.size()];
  return Tensor(x.shape(), std::move(values));
}

Tensor keep_if_equal(Tensor made, const Tensor& last) {
  if (!made.defined() || !last.defined() || made.shape() != last.shape() || made.source()) return made;
  const Tensor a = made.contiguous();
  const Tensor b = last.contiguous();
  const bool equal = std::memcmp(a.values().data(), b.values().data(), a.values().size_bytes()) == 0;
  return equal ? last : made;
}

Sequence drawn_sequence(const Resolving& r, const Dims& d) {
  const bool same_seed = r.last && r.last->random_inputs && r.last_scenario->seed == r.scenario.seed &&
                         r.scenario.positions == Positions::none && r.last_scenario->positions == Positions::none;
  const auto drawn = [&](Stage stage, Index n, Index width) {
    const Shape shape{d.batch, n, width};
    if (same_seed) {
      const Tensor& last = r.last->matrix(stage);
      const bool is_another =
          stage != Stage::query && identical(last, r.last->matrix(stage == Stage::key ? Stage::query : Stage::key));
      if (last.shape() == shape && !is_another) return last;
    }
    return Sampler(r.scenario.seed, name(stage), r.stop).normal(shape);
  };
  const bool self = d.n_k == d.n_q && d.d_key == d.d_query && d.d_value == d.d_query;
  Sequence made;
  made.query = drawn(Stage::query, d.n_q, d.d_query);
  made.key = self ? made.query : drawn(Stage::key, d.n_k, d.d_key);
  made.value = d.d_value == d.d_key ? made.key : drawn(Stage::value, d.n_k, d.d_value);
  made.random_inputs = true;
  return made;
}

Dims sized(Dims dims, const Sequence& sequence) {
  dims.batch = sequence.query.size(0);
  dims.n_q = sequence.query.size(1);
  dims.n_k = sequence.key.size(1);
  return dims;
}

Parameters drawn_parameters(const Resolving& r, const Dims& d) {
  Parameters made = r.scenario.packed ? drawn_packed(r, d) : drawn_separate(r, d);
  if (r.scenario.output_projection.value_or(true)) {
    const Linear o = drawn_linear(r, Stage::W_o, Stage::b_o, d.d_out, d.d_model);
    made.W_o = o.weight;
    made.b_o = o.bias;
  }
  const std::pair<Stage, const Tensor&> drawn[] = {
      {Stage::W_q, made.W_q}, {Stage::W_k, made.W_k}, {Stage::W_v, made.W_v}, {Stage::W_o, made.W_o},
      {Stage::b_q, made.b_q}, {Stage::b_k, made.b_k}, {Stage::b_v, made.b_v}, {Stage::b_o, made.b_o}};
  made.random_parameters =
      !std::ranges::all_of(drawn, [&](const auto& each) { return is_all_given(r.scenario, each.first, each.second); });
  return made;
}

void add_positions(const Scenario& scenario, Sequence& sequence) {
  if (scenario.positions == Positions::none) return;
  const bool key_is_query = identical(sequence.key, sequence.query);
  const bool value_is_key = identical(sequence.value, sequence.key);
  sequence.query = with_positions(sequence.query);
  sequence.key = key_is_query ? sequence.query : with_positions(sequence.key);
  sequence.value = value_is_key ? sequence.key : with_positions(sequence.value);
}

bool GivenMatrix::operator==(const GivenMatrix& other) const {
  if (identical(numbers, other.numbers)) return true;
  if (!numbers.defined() || !other.numbers.defined() || numbers.shape() != other.numbers.shape()) return false;
  return std::memcmp(numbers.values().data(), other.numbers.values().data(), numbers.values().size_bytes()) == 0;
}

Scenario sized_by_input(const Scenario& scenario) {
  if (!scenario.x) return scenario;
  const char* why = "since the given input x fixes it";
  must_be_unset(scenario, {"batch_size", "queries", "keys", "d_query", "d_key", "d_value"}, why);
  Scenario sized = scenario;
  sized.queries = sized.keys = scenario.x->numbers.size(0);
  sized.batch_size = 1;
  sized.d_query = sized.d_key = sized.d_value = scenario.x->numbers.size(1);
  return sized;
}

Sequence typed_sequence(const Scenario& scenario, const Dims& dims, const Message& widths) {
  const Tensor& x = scenario.x->numbers;
  for (const Index width : {dims.d_query, dims.d_key, dims.d_value}) {
    if (x.size(1) == width) continue;
    throw SettingError("x", Message("has shape {0}", to_string(x.shape())),
                       widths.empty() ? Message("expected rows of {0} numbers", width)
                                      : Message("expected rows of {0} numbers, the width of {1}", width, widths));
  }
  Sequence made;
  made.query = made.key = made.value = x.view({1, x.size(0), x.size(1)});
  return made;
}

Tensor typed_bias(const Scenario& scenario, const Dims& dims) {
  const Tensor& bias = scenario.attn_bias->numbers;
  const Shape expected{dims.n_q, dims.n_k};
  if (bias.shape() != expected) {
    throw SettingError("attn_bias", Message("has shape {0}", to_string(bias.shape())),
                       Message("expected [n_q, n_k] = {0}", to_string(expected)));
  }
  if (!std::ranges::all_of(bias.values(), [](float v) { return v < INFINITY; })) {
    throw SettingError("attn_bias", "holds NaN or inf", "expected numbers or -inf");
  }
  return bias.view({1, 1, bias.size(0), bias.size(1)});
}

namespace {

using Tokens = std::vector<std::string>;
constexpr const char* padding_token = "<pad>";

bool is_space(char32_t c) { return c == U' ' || (c >= U'\t' && c <= U'\r') || c == U'\u00A0' || c == U'\u3000'; }

Tokens words(std::string_view line) {
  Tokens tokens;
  bool inside = false;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t first = at;
    const bool space = is_space(next_character(line, at));
    if (!space && !inside) tokens.emplace_back();
    if (!space) tokens.back().append(line.substr(first, at - first));
    inside = !space;
  }
  return tokens;
}

Tokens characters(std::string_view line) {
  Tokens tokens;
  for (std::size_t at = 0; at < line.size();) {
    const std::string_view character = next_grapheme(line, at);
    std::size_t inside = 0;
    if (character != "\r") tokens.emplace_back(is_space(next_character(character, inside)) ? "␣" : character);
  }
  return tokens;
}

/// The tokens of each non-empty line.
std::vector<Tokens> tokenized(const Scenario& scenario) {
  std::vector<Tokens> entries;
  for (const std::string_view line : Split(scenario.text, '\n')) {
    if (const Tokens line_words = words(line); !line_words.empty()) {
      check_lines(entries.size() + 1);
      entries.push_back(scenario.tokenizer == Tokenizer::words ? line_words : characters(line));
    }
  }
  return entries;
}

/// Embeddings [B, n, d]. The token names the random stream of its vector, so equal tokens get equal vectors.
Tensor embedded(const std::vector<Tokens>& entries, Index d, std::uint64_t seed) {
  std::map<std::string_view, Tensor> vectors;
  Buffer values;
  for (const Tokens& entry : entries) {
    for (const std::string& token : entry) {
      Tensor& vector = vectors[token];
      if (!vector.defined()) vector = Sampler(seed, "token " + token).normal({d});
      values.insert(values.end(), vector.values().begin(), vector.values().end());
    }
  }
  return Tensor({static_cast<Index>(entries.size()), static_cast<Index>(entries.front().size()), d}, std::move(values));
}

}  // namespace

void check_lines(std::size_t lines) {
  constexpr std::size_t most = 65'536;
  if (lines > most)
    throw SettingError("--text", Message("has more than {0} lines", most), "expected fewer, each a sentence");
}

TextSequence embedded_text(const Scenario& scenario, const Dims& dims) {
  std::vector<Tokens> entries = tokenized(scenario);
  if (entries.empty()) throw SettingError("--text", "holds no token", "expected at least one word");
  std::size_t longest = 0;
  Buffer lengths;
  for (const Tokens& entry : entries) {
    longest = std::max(longest, entry.size());
    lengths.push_back(static_cast<float>(entry.size()));
  }
  const Index batch = static_cast<Index>(entries.size());
  Dims whole = dims;
  whole.batch = batch;
  whole.n_q = whole.n_k = static_cast<Index>(longest);
  check_memory(scenario, whole);  // checked before all lines are padded to the longest one
  TextSequence made;
  for (Tokens& entry : entries) {
    if (entry.size() < longest && !made.valid_lens.defined()) made.valid_lens = Tensor({batch}, lengths);
    entry.resize(longest, padding_token);
  }
  Sequence& s = made.sequence;
  s.query = s.key = s.value = embedded(entries, dims.d_query, scenario.seed);
  s.query_tokens = s.key_tokens = std::move(entries);
  return made;
}

}  // namespace headlight
