#include "core/scenario/seeded.h"

#include <utility>
#include <set>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/tensor/sampler.h"

namespace headlight {
namespace {

bool seeded_parameters(const Scenario& scenario) {
  return scenario.source != Source::file;
}

/// A matrix or a bias of a linear layer with `in` inputs.
Tensor drawn_parameter(const Resolving& r, Stage stage, const Shape& shape, Index in, Index last_in) {
  const Scenario& s = r.scenario;
  if (r.last && seeded_parameters(*r.last_scenario) && r.last_scenario->seed == s.seed &&
      r.last_scenario->weight_gain == s.weight_gain && r.last_scenario->packed == s.packed && last_in == in) {
    const Tensor& last = r.last->matrix(stage);
    if (last.defined() && last.shape() == shape) return last;
  }
  const float bound = s.weight_gain / std::sqrt(static_cast<float>(in));
  return Sampler(s.seed, name(stage)).uniform(shape, -bound, bound);
}

struct Linear {
  Stage weight, bias;
  Tensor Inputs::*weight_member;
  Tensor Inputs::*bias_member;
  Index out, in;
};

void draw_linear(const Resolving& r, const Linear& linear, Inputs& inputs) {
  const Index last_in = r.last && r.last->matrix(linear.weight).defined() ? r.last->matrix(linear.weight).size(1) : 0;
  inputs.*linear.weight_member = drawn_parameter(r, linear.weight, {linear.out, linear.in}, linear.in, last_in);
  if (r.scenario.bias.value_or(true)) {
    inputs.*linear.bias_member = drawn_parameter(r, linear.bias, {linear.out}, linear.in, last_in);
  }
}

/// One [d + 2·kv, in] matrix, and its slices as W_q, W_k and W_v.
void draw_packed(const Resolving& r, Inputs& inputs) {
  const Dims& dims = inputs.dims;
  const Index kv = dims.kv_heads * dims.d_head;
  const float bound = r.scenario.weight_gain / std::sqrt(static_cast<float>(dims.d_query));
  const Tensor weight = Sampler(r.scenario.seed, "W_qkv").uniform({dims.d_model + 2 * kv, dims.d_query}, -bound, bound);
  const auto last = [&](Stage stage) { return r.last ? r.last->matrix(stage) : Tensor(); };
  const auto part = [&](const Tensor& whole, Stage stage, Index first, Index length) {
    return keep_if_equal(whole.slice(0, first, length), last(stage));
  };
  inputs.W_q = part(weight, Stage::W_q, 0, dims.d_model);
  inputs.W_k = part(weight, Stage::W_k, dims.d_model, kv);
  inputs.W_v = part(weight, Stage::W_v, dims.d_model + kv, kv);
  inputs.packed = true;
  if (!r.scenario.bias.value_or(true)) return;
  const Tensor bias = Sampler(r.scenario.seed, "b_qkv").uniform({dims.d_model + 2 * kv}, -bound, bound);
  inputs.b_q = part(bias, Stage::b_q, 0, dims.d_model);
  inputs.b_k = part(bias, Stage::b_k, dims.d_model, kv);
  inputs.b_v = part(bias, Stage::b_v, dims.d_model + kv, kv);
}

/// [n, d]: sin(p / 10000^(2i/d)) in column 2i, cos of the same in column 2i + 1.
Tensor sinusoids(Index n, Index d) {
  Buffer values(static_cast<std::size_t>(n * d));
  for (Index position = 0; position < n; ++position) {
    for (Index column = 0; column < d; ++column) {
      const double exponent = static_cast<double>(column - column % 2) / static_cast<double>(d);
      const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
      values[static_cast<std::size_t>(position * d + column)] =
          static_cast<float>(column % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return Tensor({n, d}, std::move(values));
}

Tensor with_positions(const Tensor& x) {
  const Tensor positions = sinusoids(x.size(1), x.size(2));
  const Tensor packed = x.contiguous();
  Buffer values(packed.values().begin(), packed.values().end());
  const std::span<const float> added = positions.values();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += added[i % added.size()];
  return Tensor(x.shape(), std::move(values));
}

}  // namespace

Tensor keep_if_equal(Tensor made, const Tensor& last) {
  if (!made.defined() || !last.defined() || made.shape() != last.shape()) return made;
  const Tensor a = made.contiguous();
  const Tensor b = last.contiguous();
  const bool equal = std::memcmp(a.values().data(), b.values().data(), a.values().size_bytes()) == 0;
  return equal ? last : made;
}

void draw_inputs(const Scenario& scenario, Inputs& inputs) {
  const Dims& d = inputs.dims;
  const auto drawn = [&](Stage stage, Index n, Index width) {
    return Sampler(scenario.seed, name(stage)).normal({d.batch, n, width});
  };
  const bool self = d.n_k == d.n_q && d.d_key == d.d_query && d.d_value == d.d_query;
  inputs.query = drawn(Stage::query, d.n_q, d.d_query);
  inputs.key = self ? inputs.query : drawn(Stage::key, d.n_k, d.d_key);
  inputs.value = d.d_value == d.d_key ? inputs.key : drawn(Stage::value, d.n_k, d.d_value);
  inputs.random_inputs = true;
}

namespace {

/// Whether each of its cells is written by hand, so that nothing of what was drawn is left.
bool is_written(const Scenario& scenario, Stage stage, const Tensor& drawn) {
  if (!drawn.defined()) return true;
  std::set<std::pair<Index, Index>> cells;
  for (const CellEdit& edit : scenario.edits) {
    if (edit.stage == stage) cells.emplace(edit.row, edit.col);
  }
  return std::ssize(cells) == drawn.count();
}

}  // namespace

void draw_parameters(const Resolving& r, Inputs& inputs) {
  const Dims& d = inputs.dims;
  const Index kv = d.kv_heads * d.d_head;
  if (r.scenario.packed) {
    draw_packed(r, inputs);
  } else {
    draw_linear(r, {Stage::W_q, Stage::b_q, &Inputs::W_q, &Inputs::b_q, d.d_model, d.d_query}, inputs);
    draw_linear(r, {Stage::W_k, Stage::b_k, &Inputs::W_k, &Inputs::b_k, kv, d.d_key}, inputs);
    draw_linear(r, {Stage::W_v, Stage::b_v, &Inputs::W_v, &Inputs::b_v, kv, d.d_value}, inputs);
  }
  if (r.scenario.output_projection.value_or(true)) {
    draw_linear(r, {Stage::W_o, Stage::b_o, &Inputs::W_o, &Inputs::b_o, d.d_out, d.d_model}, inputs);
  }
  const std::pair<Stage, const Tensor*> drawn[] = {{Stage::W_q, &inputs.W_q}, {Stage::W_k, &inputs.W_k}, {Stage::W_v, &inputs.W_v}, {Stage::W_o, &inputs.W_o},
                                                   {Stage::b_q, &inputs.b_q}, {Stage::b_k, &inputs.b_k}, {Stage::b_v, &inputs.b_v}, {Stage::b_o, &inputs.b_o}};
  inputs.random_parameters = !std::ranges::all_of(drawn, [&](const auto& each) { return is_written(r.scenario, each.first, *each.second); });
}

void add_positions(const Scenario& scenario, Inputs& inputs) {
  if (scenario.positions == Positions::none) return;
  const bool key_is_query = identical(inputs.key, inputs.query);
  const bool value_is_key = identical(inputs.value, inputs.key);
  inputs.query = with_positions(inputs.query);
  inputs.key = key_is_query ? inputs.query : with_positions(inputs.key);
  inputs.value = value_is_key ? inputs.key : with_positions(inputs.value);
}

}  // namespace headlight
