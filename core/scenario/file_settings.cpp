// What a file's numbers and a config.json beside it say of attention: taken, harmless, or refused; never passed over.
#include <algorithm>
#include <cmath>

#include "core/files/error_place.h"
#include "core/scenario/file_source.h"
#include "core/scenario/model_config.h"
#include "core/scenario/scenario_rules.h"
#include "core/text/number_text.h"

namespace headlight {
namespace {

float positive(const FileReading& r, const FileReading::Number& number) {
  const auto value = static_cast<float>(number.value);
  if (!std::isfinite(value)) r.fail(in_quotes(number.name) + " is " + shortest(value), "expected a finite number");
  return value;
}

SourceSettings read_numbers(const FileReading& r) {
  const Scenario& s = r.resolving.scenario;
  SourceSettings says;
  if (const auto scale = r.own_number({"scale", "scaling", "softmax_scale"})) {
    says.scale = positive(r, *scale);
    r.assume("scale", s.scale ? shortest(*s.scale) + " as set, where the file says " + shortest(*says.scale)
                              : shortest(*says.scale) + " (" + scale->name + ")");
  }
  if (const auto cap = r.own_number({"softcap", "soft_cap", "softcapping", "logit_softcap", "logits_soft_cap",
                                     "logit_softcapping", "attn_logit_softcapping"});
      cap && cap->value != 0) {
    if (!(cap->value > 0))
      r.fail(in_quotes(cap->name) + " is " + shortest(static_cast<float>(cap->value)), "expected more than 0");
    says.softcap = positive(r, *cap);
    r.assume("soft-cap", s.softcap ? shortest(*s.softcap) + " as set, where the file says " + shortest(*says.softcap)
                                   : shortest(*says.softcap) + " (" + cap->name + ")");
  }
  for (const char* name : {"add_zero_attn", "add_bias_kv"}) {
    const auto flag = r.own_number({name});
    if (flag && flag->value != 0) {
      r.fail(in_quotes(flag->name) + " is true, which adds a key that no input has",
             "expected an attention without it");
    }
  }
  for (const char* name : {"dropout_p", "dropout", "attn_dropout", "attention_dropout"}) {
    const auto p = r.own_number({name});
    if (p && p->value != 0)
      r.assume("dropout", p->name + " = " + shortest(static_cast<float>(p->value)) + " is not taken: as after eval()");
  }
  if (const auto base = r.own_number({"rope_theta", "rope_base"})) {
    says.rope_base = positive(r, *base);
    if (!(says.rope_base > 0))
      r.fail(in_quotes(base->name) + " is " + shortest(says.rope_base), "expected more than 0");
    says.rope = Rope::half;
    r.assume("positions", "RoPE by halves of base " + shortest(says.rope_base) + " (" + base->name + ")");
  }
  return says;
}

/// Sizes that numbers in a file may repeat.
void check_sizes(const FileReading& r, const Dims& d) {
  const auto check = [&](std::initializer_list<const char*> names, std::initializer_list<Index> may_be) {
    const auto number = r.own_number(names);
    if (!number) return;
    const bool known =
        std::ranges::any_of(may_be, [&](Index size) { return number->value == static_cast<double>(size); });
    if (!known) {
      r.fail(in_quotes(number->name) + " is " + shortest(static_cast<float>(number->value)) +
                 ", where the weights make d_head " + std::to_string(d.d_head) + " and d_model " +
                 std::to_string(d.d_model),
             "expected numbers that fit the weights");
    }
  };
  check({"head_dim", "d_head", "d_k", "dim_head", "dim_per_head"}, {d.d_head, d.d_model});
  check({"embed_dim", "d_model", "hidden_size", "n_embd", "embed_size", "embedding_dim"},
        {d.d_model, d.d_query, d.d_out});
}

}  // namespace

FileRules read_settings(const FileReading& r, const Dims& dims) {
  const SourceSettings numbers = read_numbers(r);
  check_sizes(r, dims);
  return read_config_settings(r, dims, numbers);
}

void note_untaken_numbers(const FileReading& r) {
  constexpr std::size_t most = 8;
  std::vector<std::string> left;
  const auto add = [&](const std::string& name) {
    const bool near =
        (!r.keys.prefix.empty() && name.starts_with(r.keys.prefix)) || name.find('.') == std::string::npos;
    if (near && !r.asked->contains(name)) left.push_back(name);
  };
  for (const ArrayEntry& entry : r.file.arrays().entries()) {
    if (element_count(entry.shape) == 1 && !r.file.was_loaded(entry.name)) add(entry.name);
  }
  for (const auto& [name, value] : r.file.arrays().numbers()) add(name);
  for (const auto& [name, text] : r.file.arrays().texts()) {
    if (r.file.arrays().number(name)) add(name);
  }
  std::string list;
  for (std::size_t i = 0; i < std::min(left.size(), most); ++i) list += (i ? ", " : "") + in_quotes(left[i]);
  if (left.size() > most) list += " and " + std::to_string(left.size() - most) + " more";
  if (!list.empty()) r.assume("numbers not taken", list);
}

}  // namespace headlight
