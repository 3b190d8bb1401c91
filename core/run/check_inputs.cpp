#include "core/run/stage_steps.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

[[noreturn]] void fail(std::string_view tensor, const Tensor& is, const Message& expected) {
  throw InputError(std::string(tensor), is.defined() ? Message("is {0}", to_string(is.shape())) : Message("is missing"),
                   Message("expected {0}", expected));
}

void must_be(std::string_view tensor, const Tensor& is, const Shape& expected) {
  if (!is.defined() || is.shape() != expected) fail(tensor, is, to_string(expected));
}

void may_be(std::string_view tensor, const Tensor& is, const Shape& expected) {
  if (is.defined()) must_be(tensor, is, expected);
}

void must_broadcast(std::string_view tensor, const Tensor& is, const Dims& d) {
  const Shape scores{d.batch, d.heads, d.n_q, d.n_k};
  if (is.defined() && !broadcastable(is.shape(), scores))
    fail(tensor, is, Message("what broadcasts to {0}", to_string(scores)));
}

/// x [.., in] projected to `out` channels; without a weight x is its own projection.
void check_projection(const Inputs& in, Stage projected, Index width, Index out) {
  const StageSources& sources = info(projected).sources;
  const Stage weight = sources[1].stage, bias = sources[2].stage;
  may_be(name(weight), in.matrix(weight), {out, width});
  may_be(name(bias), in.matrix(bias), {out});
  if (!in.matrix(weight).defined() && width != out)
    fail(name(weight), {}, Message("{0}, since the sizes differ", to_string({out, width})));
}

/// Of a value head: d_head, or a size of their own, as in latent attention.
Index value_channels(const Inputs& in) {
  const Dims& d = in.dims;
  if (in.V_heads.defined()) return in.V_heads.rank() == 4 ? in.V_heads.size(3) : d.d_head;
  const bool own = in.W_v.defined() && in.W_v.rank() == 2 && in.W_v.size(0) > 0 && in.W_v.size(0) % d.kv_heads == 0;
  return own ? in.W_v.size(0) / d.kv_heads : d.d_head;
}

void check_keys(const Inputs& in) {
  const Dims& d = in.dims;
  must_be("K_heads", in.K_heads, {d.batch, d.kv_heads, d.n_k, d.d_head});
  if (!in.V_heads.defined()) return;
  const Index own = in.V_heads.rank() == 4 ? in.V_heads.size(3) : d.d_head;  // a size of its own is its own affair
  must_be("V_heads", in.V_heads, {d.batch, d.kv_heads, d.n_k, own});
}

void check_projections(const Inputs& in) {
  const Dims& d = in.dims;
  must_be("query", in.query, {d.batch, d.n_q, d.d_query});
  check_projection(in, Stage::Q, d.d_query, d.heads * d.d_head);
  if (in.K_heads.defined()) {  // the queries alone are projected
    check_keys(in);
  } else {
    must_be("key", in.key, {d.batch, d.n_k, d.d_key});
    must_be("value", in.value, {d.batch, d.n_k, d.d_value});
    check_projection(in, Stage::K, d.d_key, d.kv_heads * d.d_head);
    check_projection(in, Stage::V, d.d_value, d.kv_heads * value_channels(in));
  }
  if (in.W_o.defined()) check_projection(in, Stage::output, d.heads * value_channels(in), d.d_out);
}

void check_heads(const Inputs& in) {
  must_be("Q_heads", in.Q_heads, {in.dims.batch, in.dims.heads, in.dims.n_q, in.dims.d_head});
  check_keys(in);
}

void check_names(const char* what, const std::vector<std::vector<std::string>>& names, Index batch, Index count) {
  if (names.empty()) return;
  bool fit = static_cast<Index>(names.size()) == batch;
  for (const auto& entry : names) fit &= static_cast<Index>(entry.size()) == count;
  if (!fit)
    throw InputError(what, "do not name every row",
                     Message("expected {0} for each of {1} batch entries", count, batch));
}

}  // namespace

void check_inputs(const Scenario& scenario, const Inputs& in) {
  const Dims& d = in.dims;
  for (const auto& [size, what] : {std::pair{d.batch, "batch"},
                                   {d.heads, "heads"},
                                   {d.kv_heads, "kv_heads"},
                                   {d.n_q, "n_q"},
                                   {d.n_k, "n_k"},
                                   {d.d_head, "d_head"}}) {
    if (size < 1) throw InputError(what, Message("is {0}", size), "expected at least 1");
  }
  if (d.heads % d.kv_heads != 0)
    throw InputError("kv_heads", Message("{0} does not divide heads {1}", d.kv_heads, d.heads), "expected a divisor");
  switch (in.first_stage()) {
    case Stage::weights: must_be("weights", in.weights, {d.batch, d.heads, d.n_q, d.n_k}); break;
    case Stage::Q_heads: check_heads(in); break;
    default: check_projections(in);
  }
  must_broadcast("file_mask", in.file_mask, d);
  must_broadcast("bias", in.bias, d);
  if (in.valid_lens.defined() && in.valid_lens.shape() != Shape{d.batch} &&
      in.valid_lens.shape() != Shape{d.batch, d.n_q}) {
    fail("valid_lens", in.valid_lens, Message("{0} or {1}", to_string({d.batch}), to_string({d.batch, d.n_q})));
  }
  check_names("query_tokens", in.query_tokens, d.batch, d.n_q);
  check_names("key_tokens", in.key_tokens, d.batch, d.n_k);
  if (scenario.rope == Rope::none) return;
  const Index turned = scenario.rotary_dim.value_or(d.d_head);
  if (turned % 2 != 0 || turned > d.d_head) {
    throw SettingError("--rotary-dim", Message("{0} is no even part of d_head {1}", turned, d.d_head),
                       Message("expected an even number up to {0}", d.d_head));
  }
}

}  // namespace headlight
