// The tables that kernels() chooses from; each is compiled with its own instruction set.
#pragma once

#include "core/attention/kernels/kernels.h"

namespace headlight {

const Kernels& baseline_kernels();
#ifdef HEADLIGHT_X86_KERNELS
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
#endif

}  // namespace headlight
