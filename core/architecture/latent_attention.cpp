// Multi-head latent attention (DeepSeek-V2 2024) under the names of its config.json and tensors.
#include "core/architecture/llama_family.h"
#include "core/tensor/message.h"

namespace headlight {
namespace {

/// Of each head the rows that are rotated, then the others, which stand before them in the file.
std::vector<std::pair<Index, Index>> rotated_first(Index heads, Index plain, Index rotated) {
  std::vector<std::pair<Index, Index>> rows;
  for (Index h = 0; h < heads; ++h) {
    rows.emplace_back(h * (plain + rotated) + plain, rotated);
    rows.emplace_back(h * (plain + rotated), plain);
  }
  return rows;
}

/// With YaRN scores grow by the square of its gain at mscale_all_dim.
double yarn_growth(const Config& c) {
  const nlohmann::json* scaling = c.find({"rope_scaling", "rope_parameters"});
  if (!scaling || !scaling->is_object()) return 1;
  const auto of = [&](const char* name) {
    return scaling->contains(name) && (*scaling)[name].is_number() ? (*scaling)[name].get<double>() : 0.0;
  };
  const double factor = of("factor"), all = of("mscale_all_dim");
  return factor > 1 && all != 0 ? 0.1 * all * std::log(factor) + 1 : 1;
}

}  // namespace

void add_latent_attention(const NetworkBuilder& b, const std::string& at, Index d, AttentionSpec& a) {
  const Config& c = b.config;
  LatentSpec latent;
  latent.rank = c.whole({"kv_lora_rank"});
  latent.rotated = c.whole({"qk_rope_head_dim"});
  latent.plain = c.whole({"qk_nope_head_dim"});
  latent.value = c.whole({"v_head_dim"});
  c.find({"qk_head_dim", "head_dim"});
  if (latent.rank == 0 || latent.value == 0 || latent.plain + latent.rotated == 0)
    c.fail(Message("its latent attention has a kv_lora_rank of {0}, a v_head_dim of {1} and queries of {2}",
                   latent.rank, latent.value, latent.plain + latent.rotated),
           "expected more than 0");
  constexpr double epsilon = 1e-6;  // of these norms; no field says it
  const Index query_rank = c.whole({"q_lora_rank"}, 0), width = a.heads * (latent.plain + latent.rotated);
  if (query_rank > 0) {
    latent.q_down = b.linear(at + "q_a_proj", query_rank, d);
    latent.q_norm = b.norm(at + "q_a_layernorm", NormKind::rms, query_rank, epsilon);
    a.q = b.linear(at + "q_b_proj", width, query_rank);
  } else {
    a.q = b.linear(at + "q_proj", width, d);
  }
  a.q.rows = rotated_first(a.heads, latent.plain, latent.rotated);
  latent.kv_down = b.linear(at + "kv_a_proj_with_mqa", latent.kept(), d);
  latent.kv_norm = b.norm(at + "kv_a_layernorm", NormKind::rms, latent.rank, epsilon);
  const std::string why = "as " + c.path() + " says";
  if (b.has(at + "k_b_proj.weight")) {
    latent.key_up = b.array(at + "k_b_proj.weight", {a.heads, latent.rank, latent.plain}, why);
    latent.value_up = b.array(at + "v_b_proj.weight", {a.heads, latent.value, latent.rank}, why);
  } else {
    latent.kv_up = b.linear(at + "kv_b_proj", a.heads * (latent.plain + latent.value), latent.rank);
  }
  a.o = b.linear(at + "o_proj", d, a.heads * latent.value);
  const double growth = yarn_growth(c);
  a.scale *= growth * growth;
  a.kv_heads = a.heads;
  a.latent = std::move(latent);
}

}  // namespace headlight
