// A user's stages, for tests of their comparison.
#pragma once

#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/base/arrays/array_write.h"
#include "core/compute/run/pipeline.h"
#include "core/teaching/diagnosis/diagnosis.h"

namespace headlight {

/// The stages that are read from an .npz with these arrays.
inline OwnStages own_stages(const Trace& trace, const std::vector<NamedArray>& arrays) {
  const auto path =
      std::filesystem::temp_directory_path() / ("headlight-own-" + std::to_string(std::random_device{}()) + ".npz");
  write_npz(path, arrays);
  struct Removed {
    std::filesystem::path path;
    ~Removed() { std::filesystem::remove(path); }
  } removed{path};
  return read_own_stages(path.string(), trace);
}

/// compare() without its limit of time: under sanitizers or on a busy machine a search takes longer than usual.
inline Comparison compared(const std::shared_ptr<const Trace>& trace, const OwnStages& own) {
  constexpr double seconds = 3600;
  return compare(trace, own, {}, seconds);
}

/// The tensor with `change` applied to each number.
template <typename Change>
Tensor each(const Tensor& tensor, Change change) {
  const Tensor packed = tensor.contiguous();
  Buffer values;
  for (const float v : packed.values()) values.push_back(change(v));
  return Tensor(tensor.shape(), std::move(values));
}

}  // namespace headlight
