// Which attention of a file is meant, and what is wrong with a file that holds none.
#include <algorithm>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/scenario/inputs/projection_names.h"

namespace headlight {
namespace {

Message listed(const std::vector<FoundAttention>& candidates) {
  constexpr std::size_t most = 60;
  std::vector<std::string> layers;
  for (std::size_t i = 0; i < std::min(candidates.size(), most); ++i) layers.push_back(candidates[i].layer());
  const Message list = first_in_quotes(layers, most);
  return candidates.size() > most ? Message("{0}, and {1} more", list, candidates.size() - most) : list;
}

/// The error message if one projection was found without the others.
Message half_found(const ArrayFile& file) {
  for (const ArrayEntry& entry : file.entries()) {
    for (const SeparateScheme& scheme : separate_schemes) {
      for (const std::string_view layer : {scheme.q, scheme.k, scheme.v}) {
        const std::optional<std::string> prefix = prefix_before(entry.name, joined(layer, ".weight"));
        if (!prefix) continue;
        for (const std::string_view other : {scheme.q, scheme.k, scheme.v}) {
          const std::string wanted = joined(*prefix, other, ".weight");
          file.refuse_if_skipped(wanted);
          if (!file.find(wanted)) return {"has {0} but no {1}", in_quotes(entry.name), in_quotes(wanted)};
        }
        if (entry.shape.size() != 2) return {"{0} has shape {1}", in_quotes(entry.name), to_string(entry.shape)};
      }
    }
  }
  return {};
}

void refuse_quantised(const ArrayFile& file) {
  for (const ArrayEntry& entry : file.entries()) {
    const std::string form = quantised_form(entry.name);
    if (!form.empty()) {
      throw FileError(file.path(), Message("stores its weights quantised: {0} is {1}", in_quotes(entry.name), form),
                      "expected weights in floating point, as they were before they were quantised");
    }
  }
}

[[noreturn]] void fail_without_weights(const ArrayFile& file) {
  constexpr const char* expected =
      "expected projections such as q_proj.weight, k_proj.weight and v_proj.weight, or in_proj_weight, or --names "
      "q=A,k=B,v=C,o=D that says which arrays they are, or --axes of saved attention";
  refuse_quantised(file);
  for (const ArrayEntry& entry : file.entries()) {
    if (entry.name.find(".lora_") != std::string::npos)
      throw FileError(file.path(), Message("holds {0}, an adapter that changes a weight", in_quotes(entry.name)),
                      "expected weights that adapters are merged into, as model.merge_and_unload() of peft gives them");
  }
  const Message half = half_found(file);
  if (!half.empty()) throw FileError(file.path(), half, expected);
  const std::string names = first_names(file.entries());
  throw FileError(file.path(),
                  names.empty() ? Message("holds no attention weights (no arrays at all)")
                                : Message("holds no attention weights (found {0})", names),
                  expected);
}

}  // namespace

std::string quantised_form(std::string_view name) {
  struct Form {
    std::string_view ending, is;
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
  if (name.find(".quant_state.") != std::string_view::npos) return "bitsandbytes' state";
  return {};
}

namespace {

/// The prefixes of the modules that hold this attention and no other, the innermost first.
std::vector<std::string> modules_around(const FoundAttention& attention, const std::vector<FoundAttention>& all) {
  std::vector<std::string> modules;
  std::string prefix = attention.prefix;
  while (!prefix.empty()) {
    const std::size_t dot = prefix.size() < 2 ? std::string::npos : prefix.rfind('.', prefix.size() - 2);
    prefix.resize(dot == std::string::npos ? 0 : dot + 1);
    const auto held = std::ranges::count_if(all, [&](const auto& each) { return each.prefix.starts_with(prefix); });
    if (held == 1) modules.push_back(prefix);
  }
  return modules;
}

FoundAttention choose_among(const std::vector<FoundAttention>& all, const ArrayFile& file, const std::string& layer) {
  if (all.empty()) fail_without_weights(file);
  std::string wanted = without_wrappers(dotted(layer));
  if (wanted.ends_with('.')) wanted.pop_back();
  std::vector<FoundAttention> matching;
  for (const FoundAttention& attention : all) {
    if (wanted.empty() || attention.layer() == wanted || attention.prefix.starts_with(wanted + ".") ||
        attention.q.weight.starts_with(wanted + ".")) {
      matching.push_back(attention);
    }
  }
  const auto exact = std::find_if(matching.begin(), matching.end(),
                                  [&](const FoundAttention& attention) { return attention.layer() == wanted; });
  if (!wanted.empty() && exact != matching.end()) return *exact;
  if (matching.empty() && !wanted.empty() && wanted.find_first_not_of("0123456789") == std::string::npos) {
    // "3": the attention with this number in its prefix.
    for (const FoundAttention& attention : all) {
      if (("." + attention.prefix).find("." + wanted + ".") != std::string::npos) matching.push_back(attention);
    }
  }
  if (matching.empty()) {
    const bool one_unnamed = all.size() == 1 && all.front().layer().empty();
    throw FileError(file.path(), Message("has no attention layer {0}", in_quotes(wanted)),
                    one_unnamed ? Message("expected no --layer, since it holds one attention alone")
                                : Message("expected one of {0}", listed(all)));
  }
  if (matching.size() > 1) {
    throw FileError(file.path(), Message("holds {0} attention layers", matching.size()),
                    Message("expected --layer with one of {0}", listed(matching)));
  }
  return matching.front();
}

}  // namespace

FoundAttention choose_attention(const ArrayFile& file, const std::vector<FoundAttention>& all,
                                const std::string& layer) {
  FoundAttention chosen = choose_among(all, file, layer);
  chosen.around = modules_around(chosen, all);
  return chosen;
}

}  // namespace headlight
