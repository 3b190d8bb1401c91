// A file with one attention, for tests of reading it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/arrays/array_write.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/sampler.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/core/files/samples.h"

namespace headlight::sample_files {

inline constexpr Index B = 2, H = 4, n_q = 3, n_k = 5, d = 8;

inline Tensor drawn(const std::string& name, Shape shape) { return Sampler(5, name).normal(std::move(shape)); }

/// Builds a file of tensors.
class Sample {
 public:
  Sample& add(const std::string& name, const Tensor& tensor, bool boolean = false) {
    arrays_.push_back({name, tensor, boolean});
    return *this;
  }
  Sample& number(const std::string& name, float value) { return add(name, Tensor::full({}, value)); }
  /// Linear layers with d inputs, d outputs and biases. Their numbers are those of W_q, W_k, W_v and W_o under any
  /// names.
  Sample& linears(const std::string& q, const std::string& k, const std::string& v, const std::string& o) {
    linear(q, "q");
    linear(k, "k");
    linear(v, "v");
    return o.empty() ? *this : linear(o, "o");
  }
  Sample& linear(const std::string& name, const std::string& letter) {
    add(name + ".weight", drawn("W_" + letter, {d, d}));
    return add(name + ".bias", drawn("b_" + letter, {d}));
  }
  Sample& heads() { return number("num_heads", H); }
  Sample& self_input() { return add("x", drawn("x", {B, n_q, d})); }
  Sample& cross_inputs() {
    add("query", drawn("query", {B, n_q, d}));
    add("key", drawn("key", {B, n_k, d}));
    return add("value", drawn("value", {B, n_k, d}));
  }

  Inputs resolved(Scenario scenario = {}) {
    scenario.source = Source::file;
    const samples::TempFolder folder;
    scenario.file = (folder / "a.npz").string();
    write_npz(folder / "a.npz", arrays_);
    return resolve(scenario);
  }
  std::string error(const Scenario& scenario = {}) {
    try {
      resolved(scenario);
    } catch (const InputError& error) { return error.what(); }
    return "no error";
  }

 private:
  std::vector<NamedArray> arrays_;
};

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Whether an assumption about `what` contains `part`.
inline bool is_said(const Inputs& in, const std::string& what, const std::string& part) {
  return std::ranges::any_of(in.assumptions, [&](const Assumption& each) {
    return each.what == what && contains(each.taken_for.english(), part);
  });
}

}  // namespace headlight::sample_files
