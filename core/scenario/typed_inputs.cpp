#include "core/scenario/typed_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/scenario/scenario_rules.h"
#include "core/tensor/error.h"

namespace headlight {

bool GivenMatrix::operator==(const GivenMatrix& other) const {
  if (identical(numbers, other.numbers)) return true;
  if (!numbers.defined() || !other.numbers.defined() || numbers.shape() != other.numbers.shape()) return false;
  return std::memcmp(numbers.values().data(), other.numbers.values().data(), numbers.values().size_bytes()) == 0;
}

Scenario sized_by_input(const Scenario& scenario) {
  if (!scenario.x) return scenario;
  const char* why = "since the given input x fixes it";
  must_be_unset(scenario.batch_size, "--batch-size", why);
  must_be_unset(scenario.queries, "--queries", why);
  must_be_unset(scenario.keys, "--keys", why);
  must_be_unset(scenario.d_query, "--d-query", why);
  must_be_unset(scenario.d_key, "--d-key", why);
  must_be_unset(scenario.d_value, "--d-value", why);
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

}  // namespace headlight
