#include "core/run/work_estimate.h"

namespace headlight {
namespace {

double product_work(Index rows, Index inner, Index cols) {
  return 2.0 * static_cast<double>(rows) * static_cast<double>(inner) * static_cast<double>(cols);
}

// In floating-point operations; a number read and written counts as a few, an exponential as some tens.
double stage_work(Stage stage, const Scenario& s, const Inputs& in) {
  const Dims& d = in.dims;
  const double cells = static_cast<double>(d.batch * d.heads) * static_cast<double>(d.n_q) * static_cast<double>(d.n_k);
  if (stage < in.first_stage()) return 0;
  const Index channels = d.heads * d.d_head, kv_channels = d.kv_heads * d.d_head;
  switch (stage) {
    case Stage::Q:
      return product_work(d.batch * d.n_q, d.d_query, channels);
    case Stage::K:
      return product_work(d.batch * d.n_k, d.d_key, kv_channels);
    case Stage::V:
      return product_work(d.batch * d.n_k, d.d_value, kv_channels);
    case Stage::scores:
    case Stage::head_outputs:
      return 2 * cells * static_cast<double>(d.d_head);
    case Stage::scaled_scores:
      return 4 * cells;
    case Stage::capped_scores:
      return s.softcap ? 60 * cells : 0;
    case Stage::biased_scores:
      return s.alibi || s.t5_bias || in.bias.defined() ? 6 * cells : 0;
    case Stage::mask:
    case Stage::masked_scores:
      return 6 * cells;
    case Stage::weights:
      return 40 * cells;
    case Stage::dropped_weights:
      return s.training && s.dropout > 0 ? 20 * cells : 0;
    case Stage::output:
      return product_work(d.batch * d.n_q, channels, in.W_o.defined() ? d.d_out : 0);
    default:
      return 0;
  }
}

}  // namespace

WorkEstimate::WorkEstimate(const Scenario& scenario, const Inputs& inputs) {
  for (const Stage stage : all_stages()) {
    const auto i = static_cast<std::size_t>(stage);
    before_[i] = whole_;
    work_[i] = stage_work(stage, scenario, inputs);
    whole_ += work_[i];
  }
}

double WorkEstimate::share(Stage stage, double part) const {
  const auto i = static_cast<std::size_t>(stage);
  return whole_ > 0 ? (before_[i] + part * work_[i]) / whole_ : 1;
}

}  // namespace headlight
