#include "core/scenario/scenario_rules.h"

#include <algorithm>
#include <vector>

#include "core/scenario/memory_need.h"
#include "core/scenario/settings_table.h"
#include "core/tensor/error.h"
#include "core/text/alternatives.h"

namespace headlight {
namespace {

constexpr Index largest_size = Index{1} << 20;

[[noreturn]] void fail(const char* setting, const std::string& wrong, const std::string& expected) {
  throw SettingError(setting, wrong, expected);
}

Index default_heads(Index d_model) {
  Index heads = std::min<Index>(4, d_model);
  while (d_model % heads != 0) --heads;
  return heads;
}

}  // namespace

std::string divisors(Index n) {
  std::vector<std::string> list;
  for (Index d = 1; d <= n; ++d) {
    if (n % d == 0) list.push_back(std::to_string(d));
  }
  return alternatives(list);
}

void must_be_unset(const std::optional<Index>& value, const char* setting, const std::string& why,
                   std::optional<Index> known) {
  if (value && value != known)
    fail(setting, "cannot be set to " + std::to_string(*value) + ", " + why, "expected no " + std::string(setting));
}

void check_settings(const Scenario& scenario) {
  check_ranges(scenario);
  for (const std::vector<Index>& lengths : scenario.valid_lens) {
    for (const Index length : lengths) {
      if (length < 0)
        fail("--valid-lens", std::to_string(length) + " is out of range", "expected lengths of 0 or more");
    }
  }
  for (const std::vector<Index>& ids : scenario.doc_ids) {
    for (const Index id : ids) {
      if (id < 0 || id > largest_size)
        fail("--doc-ids", std::to_string(id) + " is out of range", "expected 0 to " + std::to_string(largest_size));
    }
  }
  for (const PaintedCells& cells : scenario.painted) {
    for (const Index at : {cells.batch, cells.head, cells.query, cells.key, cells.queries, cells.keys}) {
      if (at > largest_size) {
        fail("painted", std::to_string(at) + " is out of range", "expected at most " + std::to_string(largest_size));
      }
    }
  }
  for (const CellEdit& edit : scenario.edits) {
    if (!is_input(edit.stage) && !is_parameter(edit.stage)) {
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
  if (s.rope != Rope::none && !s.rotary_dim && dims.d_head % 2 != 0) {
    fail("--rope", "turns pairs of features, but d_head is " + std::to_string(dims.d_head), "expected an even d_head");
  }
  if (s.rotary_dim && (*s.rotary_dim > dims.d_head || *s.rotary_dim % 2 != 0)) {
    fail("--rotary-dim",
         std::to_string(*s.rotary_dim) + " is not an even part of d_head " + std::to_string(dims.d_head),
         "expected an even number up to " + std::to_string(dims.d_head));
  }
  check_memory(s,
               dims);  // of the scores the pipeline decides: what is too large to hold is computed as it is looked at
}

}  // namespace headlight
