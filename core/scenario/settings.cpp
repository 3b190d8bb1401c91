#include "core/scenario/settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "core/tensor/error.h"
#include "core/tensor/memory.h"

namespace headlight {
namespace {

constexpr Index largest_size = Index{1} << 20;

[[noreturn]] void fail(const char* setting, const std::string& wrong, const std::string& expected) {
  throw SettingError(setting, wrong, expected);
}

void check_size(const char* setting, const std::optional<Index>& size) {
  if (size && (*size < 1 || *size > largest_size)) {
    fail(setting, std::to_string(*size) + " is out of range", "expected 1 to " + std::to_string(largest_size));
  }
}

void check_sizes(const Scenario& s) {
  check_size("--batch-size", s.batch_size);
  check_size("--queries", s.queries);
  check_size("--keys", s.keys);
  check_size("--d-model", s.d_model);
  check_size("--d-query", s.d_query);
  check_size("--d-key", s.d_key);
  check_size("--d-value", s.d_value);
  check_size("--d-out", s.d_out);
  check_size("--heads", s.heads);
  check_size("--kv-heads", s.kv_heads);
}

void check_finite(const char* setting, float value) {
  if (!std::isfinite(value)) fail(setting, shortest(value) + " is not finite", "expected a number");
}

void check_positive(const char* setting, float value) {
  if (!std::isfinite(value) || value <= 0) fail(setting, shortest(value) + " is out of range", "expected more than 0");
}

void check_numbers(const Scenario& s) {
  check_finite("--weight-gain", s.weight_gain);
  if (s.scale) check_finite("--scale", *s.scale);
  if (s.softcap) check_positive("--softcap", *s.softcap);
  check_positive("--rope-base", s.rope_base);
  if (!(s.dropout >= 0 && s.dropout <= 1)) {
    fail("--dropout", shortest(s.dropout) + " is out of range", "expected a probability, 0 to 1");
  }
  if (s.fill && (std::isnan(*s.fill) || *s.fill == std::numeric_limits<float>::infinity())) {
    fail("--fill", shortest(*s.fill) + " is not a fill", "expected a finite number or -inf");
  }
}

void check_count(std::initializer_list<Index> sizes, const char* what) {
  double bytes = sizeof(float);
  for (const Index size : sizes) bytes *= static_cast<double>(size);
  const double most = machine_memory() / 2;  // there are others beside it
  if (bytes <= most) return;
  char figures[96];
  std::snprintf(figures, sizeof figures, " would take %.1f GB, more than the %.1f GB that this machine can spare", bytes / 1e9, most / 1e9);
  fail("", what + std::string(figures), "expected smaller sizes");
}

Index default_heads(Index d_model) {
  Index heads = std::min<Index>(4, d_model);
  while (d_model % heads != 0) --heads;
  return heads;
}

}  // namespace

std::string shortest(float value) {
  if (std::isnan(value)) return "nan";
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
  return std::string(text, end);
}

std::string divisors(Index n) {
  std::vector<std::string> list;
  for (Index d = 1; d <= n; ++d) {
    if (n % d == 0) list.push_back(std::to_string(d));
  }
  std::string text = list.front();
  for (std::size_t i = 1; i < list.size(); ++i) text += (i + 1 == list.size() ? " or " : ", ") + list[i];
  return text;
}

void must_be_unset(const std::optional<Index>& value, const char* setting, const std::string& why) {
  if (value)
    fail(setting, "cannot be set to " + std::to_string(*value) + ", " + why, "expected no " + std::string(setting));
}

void check_settings(const Scenario& scenario) {
  check_sizes(scenario);
  check_numbers(scenario);
  for (const std::vector<Index>& lengths : scenario.valid_lens) {
    for (const Index length : lengths) {
      if (length < 0)
        fail("--valid-lens", std::to_string(length) + " is out of range", "expected lengths of 0 or more");
    }
  }
  for (const CellEdit& edit : scenario.edits) {
    const bool input = edit.stage <= Stage::value;
    if (!input && !is_parameter(edit.stage)) {
      fail("edits", std::string(name(edit.stage)) + " is computed and cannot be set",
           "expected an input or a parameter");
    }
  }
}

Dims seeded_dims(const Scenario& s) {
  Dims dims;
  dims.batch = s.batch_size.value_or(1);
  dims.n_q = s.queries.value_or(6);
  dims.n_k = s.keys.value_or(dims.n_q);
  dims.d_model = s.d_model.value_or(16);
  dims.d_query = s.d_query.value_or(dims.d_model);
  dims.d_key = s.d_key.value_or(dims.d_query);
  dims.d_value = s.d_value.value_or(dims.d_key);
  dims.d_out = s.d_out.value_or(dims.d_model);
  dims.heads = s.heads.value_or(default_heads(dims.d_model));
  dims.kv_heads = s.kv_heads.value_or(dims.heads);
  if (!s.output_projection.value_or(true) && dims.d_out != dims.d_model) {
    fail("--d-out", std::to_string(dims.d_out) + " needs an output projection",
         "expected d_model " + std::to_string(dims.d_model) + " or an output projection");
  }
  if (s.packed && (dims.d_key != dims.d_query || dims.d_value != dims.d_query)) {
    fail("packed", "one matrix cannot project inputs of different widths", "expected equal d_query, d_key and d_value");
  }
  return dims;
}

void settle_heads(const Scenario& s, Dims& dims) {
  if (dims.d_model % dims.heads != 0) {
    fail("--heads", std::to_string(dims.heads) + " does not divide d_model " + std::to_string(dims.d_model),
         "expected one of " + divisors(dims.d_model));
  }
  if (dims.heads % dims.kv_heads != 0) {
    fail("--kv-heads", std::to_string(dims.kv_heads) + " does not divide heads " + std::to_string(dims.heads),
         "expected one of " + divisors(dims.heads));
  }
  dims.d_head = dims.d_model / dims.heads;
  if (s.rope != Rope::none && dims.d_head % 2 != 0) {
    fail("--rope", "turns pairs of features, but d_head is " + std::to_string(dims.d_head), "expected an even d_head");
  }
  // Of the scores the pipeline decides: what is too large to hold is computed as it is looked at.
  check_count({3, dims.batch, std::max(dims.n_q, dims.n_k), std::max({dims.d_query, dims.d_key, dims.d_value})},
              "the inputs");
  check_count({5, dims.batch, std::max(dims.n_q, dims.n_k), std::max(dims.d_model, dims.d_out)}, "the projections");
  check_count({4, dims.d_model, std::max({dims.d_query, dims.d_key, dims.d_value, dims.d_out})}, "the weights");
}

}  // namespace headlight
