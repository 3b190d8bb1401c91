#include "core/scenario/inputs/scenario_rules.h"

#include <algorithm>
#include <cmath>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/memory.h"
#include "core/scenario/inputs/seeded.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {
namespace {

constexpr Index largest_size = Index{1} << 20;

[[noreturn]] void fail(const char* setting, const Message& wrong, const Message& expected) {
  throw SettingError(setting, wrong, expected);
}

Index default_heads(Index d_model) {
  Index heads = std::min<Index>(4, d_model);
  while (d_model % heads != 0) --heads;
  return heads;
}

}  // namespace

Message divisors(Index n) {
  std::vector<std::string> list;
  for (Index d = 1; d <= n; ++d) {
    if (n % d == 0) list.push_back(std::to_string(d));
  }
  return alternatives(list);
}

void must_be_unset(const std::optional<Index>& value, const char* setting, const Message& why,
                   std::optional<Index> known) {
  if (value && value != known)
    fail(setting, Message("cannot be set to {0}, {1}", *value, why), Message("expected no {0}", std::string(setting)));
}

void must_be_unset(const Scenario& scenario, std::initializer_list<std::string_view> keys, const Message& why) {
  for (const std::string_view key : keys) {
    const Setting& setting = *setting_named(key);
    const double number = setting.number(scenario);
    if (!std::isnan(number)) must_be_unset(static_cast<Index>(number), setting.option.c_str(), why);
  }
}

void check_settings(const Scenario& scenario) {
  check_ranges(scenario);
  for (const std::vector<Index>& lengths : scenario.valid_lens) {
    for (const Index length : lengths) {
      if (length < 0) fail("--valid-lens", Message("{0} is out of range", length), "expected lengths of 0 or more");
    }
  }
  for (const std::vector<Index>& ids : scenario.doc_ids) {
    for (const Index id : ids) {
      if (id < 0 || id > largest_size)
        fail("--doc-ids", Message("{0} is out of range", id), Message("expected 0 to {0}", largest_size));
    }
  }
  for (const PaintedCells& cells : scenario.painted) {
    for (const Index at : {cells.batch, cells.head, cells.query, cells.key, cells.queries, cells.keys}) {
      if (at > largest_size) {
        fail("painted", Message("{0} is out of range", at), Message("expected at most {0}", largest_size));
      }
    }
  }
  for (const CellEdit& edit : scenario.edits) {
    if (!is_input(edit.stage) && !is_parameter(edit.stage)) {
      fail("edits", Message("{0} is computed and cannot be set", std::string(name(edit.stage))),
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
    fail("--d-out", Message("{0} needs an output projection", dims.d_out),
         Message("expected d_model {0} or an output projection", dims.d_model));
  }
  if (s.packed && (dims.d_key != dims.d_query || dims.d_value != dims.d_query)) {
    fail("packed", "one matrix cannot project inputs of different widths", "expected equal d_query, d_key and d_value");
  }
  return dims;
}

void set_head_size(const Scenario& s, Dims& dims) {
  if (dims.d_model % dims.heads != 0) {
    fail("--heads", Message("{0} does not divide d_model {1}", dims.heads, dims.d_model),
         Message("expected one of {0}", divisors(dims.d_model)));
  }
  if (dims.heads % dims.kv_heads != 0) {
    fail("--kv-heads", Message("{0} does not divide heads {1}", dims.kv_heads, dims.heads),
         Message("expected one of {0}", divisors(dims.heads)));
  }
  dims.d_head = dims.d_model / dims.heads;
  if (s.rope != Rope::none && !s.rotary_dim && dims.d_head % 2 != 0) {
    fail("--rope", Message("turns pairs of features, but d_head is {0}", dims.d_head), "expected an even d_head");
  }
  if (s.rotary_dim && (*s.rotary_dim > dims.d_head || *s.rotary_dim % 2 != 0)) {
    fail("--rotary-dim", Message("{0} is not an even part of d_head {1}", *s.rotary_dim, dims.d_head),
         Message("expected an even number up to {0}", dims.d_head));
  }
  check_memory(s,
               dims);  // the pipeline checks the memory for scores: large ones are computed when they are read
}

namespace {

double bytes_of(Stage stage, const Dims& dims, const Scenario& s) {
  const StageInfo& shape = info(stage);
  double cells = 1;
  for (const Axis axis : {shape.lead[0], shape.lead[1], shape.rows, shape.cols}) {
    cells *= static_cast<double>(dims.size(axis));
  }
  const auto is_edited = [&](const CellEdit& edit) { return edit.stage == stage; };
  const bool drawn = s.source != Source::file && is_parameter(stage) && std::ranges::none_of(s.edits, is_edited);
  constexpr double most_drawn = 1 << 30;  // numbers; drawing more takes minutes
  if (drawn && cells < most_drawn && drawn_as_read(static_cast<Index>(cells))) return 0;
  return cells * sizeof(float);
}

/// Whether the run stores numbers for this stage whatever their size. Scores that are too large are computed when they
/// are read.
bool takes_memory(Stage stage, const Scenario& s) {
  const StageInfo& axes = info(stage);
  if (axes.rows == Axis::query && axes.cols == Axis::key) return false;
  switch (stage) {
    case Stage::Q_heads:
    case Stage::K_heads:
    case Stage::V_heads: return false;  // views of Q, K and V
    case Stage::Q_normed:
    case Stage::K_normed: return s.qk_norm != QkNorm::none;
    case Stage::Q_rotated:
    case Stage::K_rotated: return s.rope != Rope::none;
    case Stage::Q_scaled: return s.scale_first;
    case Stage::W_o:
    case Stage::output: return s.output_projection.value_or(true);
    default: return true;
  }
}

std::string largest(std::vector<StageNeed> needs) {
  std::ranges::stable_sort(needs, std::ranges::greater(), &StageNeed::bytes);
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(needs.size(), 3); ++i) {
    list += (i > 0 ? ", " : "") + std::string(name(needs[i].stage)) + " " +
            byte_count(static_cast<std::uint64_t>(std::min(needs[i].bytes, 1e19))).english();
  }
  return list;
}

/// The memory of each input, parameter and stage that is always stored; views need none.
std::vector<StageNeed> memory_needed(const Scenario& scenario, const Dims& dims) {
  std::vector<StageNeed> needs;
  for (const Stage stage : all_matrices()) {
    if (takes_memory(stage, scenario)) needs.push_back({stage, bytes_of(stage, dims, scenario)});
  }
  return needs;
}

}  // namespace

void check_memory(const Scenario& scenario, const Dims& dims) {
  const std::vector<StageNeed> needs = memory_needed(scenario, dims);
  double whole = 0;
  for (const StageNeed& need : needs) whole += need.bytes;
  constexpr double always_fits = 64 << 20;  // small runs do not ask for the free memory
  if (whole <= always_fits) return;
  const std::uint64_t have = available_memory();
  if (whole <= static_cast<double>(have)) return;
  throw SettingError(
      "",
      Message("such sizes need {0} of memory ({1}, …), of which {2} are free",
              byte_count(static_cast<std::uint64_t>(std::min(whole, 1e19))), largest(needs), byte_count(have)),
      "expected smaller sizes");
}

}  // namespace headlight
