#include "core/compute/attention/kernels/kernels.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/tensor/error.h"

namespace headlight {
namespace {

std::vector<const Kernels*> found() {
  std::vector<const Kernels*> list{&baseline_kernels()};
#ifdef HEADLIGHT_X86_KERNELS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    list.push_back(&avx2_kernels());
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl")) {
      list.push_back(&avx512_kernels());
    }
  }
#endif
  return list;
}

const Kernels& chosen() {
  const char* wanted = std::getenv("HEADLIGHT_KERNELS");
  const auto list = available_kernels();
  if (!wanted || !*wanted) return *list.back();
  std::string names;
  for (const Kernels* kernels : list) {
    if (std::string_view(kernels->name) == wanted) return *kernels;
    names += (names.empty() ? "" : ", ") + std::string(kernels->name);
  }
  throw InputError("HEADLIGHT_KERNELS", Message("this processor has no kernels named \"{0}\"", std::string(wanted)),
                   Message("expected one of {0}", names));
}

}  // namespace

std::span<const Kernels* const> available_kernels() {
  static const std::vector<const Kernels*> list = found();
  return list;
}

const Kernels& kernels() {
  static const Kernels& best = chosen();
  return best;
}

}  // namespace headlight
