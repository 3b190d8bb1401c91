#include <algorithm>

#include "core/files/error_place.h"
#include "core/scenario/projection_names.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

using std::string_view;

std::string listed(const std::vector<AttentionKeys>& candidates) {
  constexpr std::size_t most = 60;
  std::string list;
  for (std::size_t i = 0; i < std::min(candidates.size(), most); ++i) {
    list += (i ? ", " : "") + in_quotes(candidates[i].layer());
  }
  if (candidates.size() > most) list += ", and " + std::to_string(candidates.size() - most) + " more";
  return list;
}

/// Where one projection is there but not its fellows, that is what to say.
std::string half_found(const ArrayFile& file) {
  for (const ArrayEntry& entry : file.entries()) {
    for (const SeparateScheme& scheme : separate_schemes) {
      for (const string_view layer : {scheme.q, scheme.k, scheme.v}) {
        const std::optional<std::string> prefix = prefix_before(entry.name, joined(layer, ".weight"));
        if (!prefix) continue;
        for (const string_view other : {scheme.q, scheme.k, scheme.v}) {
          const std::string wanted = joined(*prefix, other, ".weight");
          file.refuse_if_skipped(wanted);
          if (!file.find(wanted)) return "has " + in_quotes(entry.name) + " but no " + in_quotes(wanted);
        }
        if (entry.shape.size() != 2) return in_quotes(entry.name) + " has shape " + to_string(entry.shape);
      }
    }
  }
  return {};
}

void refuse_quantised(const ArrayFile& file) {
  for (const ArrayEntry& entry : file.entries()) {
    const std::string form = quantised_form(entry.name);
    if (!form.empty()) {
      throw FileError(file.path(), "stores its weights quantised: " + in_quotes(entry.name) + " is " + form,
                      "expected weights in floating point, as they were before they were quantised");
    }
  }
}

[[noreturn]] void fail_without_weights(const ArrayFile& file) {
  constexpr const char* expected =
      "expected projections such as q_proj.weight, k_proj.weight and v_proj.weight, or in_proj_weight";
  refuse_quantised(file);
  const std::string half = half_found(file);
  if (!half.empty()) throw FileError(file.path(), half, expected);
  std::string names;
  const auto entries = file.entries();
  for (std::size_t i = 0; i < std::min<std::size_t>(entries.size(), 8); ++i) {
    names += (i ? ", " : "") + in_quotes(entries[i].name);
  }
  if (entries.size() > 8) names += ", …";
  throw FileError(file.path(),
                  "holds no attention weights (" + (names.empty() ? "no arrays at all" : "found " + names) + ")",
                  expected);
}

}  // namespace

std::string quantised_form(string_view name) {
  struct Form {
    string_view ending, is;
  };
  constexpr Form forms[] = {
      {".qweight", "GPTQ's or AWQ's packed integers"},
      {".qzeros", "GPTQ's zero points"},
      {".scales", "the scales of integers"},
      {".g_idx", "GPTQ's order of groups"},
      {".SCB", "the scale of bitsandbytes' 8-bit integers"},
      {".weight_format", "bitsandbytes' note on its 8-bit integers"},
      {".absmax", "the scale of bitsandbytes' 4-bit numbers"},
      {".quant_map", "bitsandbytes' table of 4-bit numbers"},
      {".quant_state", "bitsandbytes' state"},
      {".weight_scale", "the scale of fp8 or 8-bit integers"},
      {".weight_scale_inv", "the scale of fp8"},
      {".weight_zero_point", "the zero point of integers"},
      {".weight_packed", "packed integers"},
      {"._packed_params", "PyTorch's packed integers"},
  };
  for (const Form& form : forms) {
    if (name.ends_with(form.ending)) return std::string(form.is);
  }
  if (name.find(".quant_state.") != string_view::npos) return "bitsandbytes' state";
  return {};
}

AttentionKeys choose_attention(const ArrayFile& file, const std::string& layer) {
  const std::vector<AttentionKeys> all = find_attentions(file);
  if (all.empty()) fail_without_weights(file);
  const std::string wanted = layer.ends_with('.') ? layer.substr(0, layer.size() - 1) : layer;
  std::vector<AttentionKeys> matching;
  for (const AttentionKeys& keys : all) {
    if (wanted.empty() || keys.layer() == wanted || keys.prefix.starts_with(wanted + ".") ||
        keys.prefix.starts_with(wanted + "/") || keys.q.weight.starts_with(wanted + ".")) {
      matching.push_back(keys);
    }
  }
  const auto exact =
      std::find_if(matching.begin(), matching.end(), [&](const AttentionKeys& keys) { return keys.layer() == wanted; });
  if (!wanted.empty() && exact != matching.end()) return *exact;
  if (matching.empty() && !wanted.empty() && wanted.find_first_not_of("0123456789") == std::string::npos) {
    // "3": the one whose prefix has that number among its parts.
    for (const AttentionKeys& keys : all) {
      if (("." + keys.prefix).find("." + wanted + ".") != std::string::npos) matching.push_back(keys);
    }
  }
  if (matching.empty()) {
    throw FileError(file.path(), "has no attention layer " + in_quotes(wanted), "expected one of " + listed(all));
  }
  if (matching.size() > 1) {
    throw FileError(file.path(), "holds " + std::to_string(matching.size()) + " attention layers",
                    "expected --layer with one of " + listed(matching));
  }
  return matching.front();
}

}  // namespace headlight
