// Headlight as a library: multi-head attention in steps, every stage of it as numbers, and where each number comes
// from.
//
//   headlight::Scenario scenario;            // what decides the numbers: text, seed, sizes, mask, scale, RoPE …
//   scenario.text = "the cat sat";
//   const auto trace = headlight::compute(scenario);                     // every stage, computed
//   const headlight::Tensor& weights = (*trace)[headlight::Stage::weights];  // [B, H, n_q, n_k]
//   const auto why = headlight::explain(*trace, {headlight::Stage::weights, 0, 0, 2, 1});
//
// Tensors of your own: fill in `Inputs` (core/scenario/inputs/inputs.h) and give them to compute(). A file of tensors
// or a scenario as the command line reads them: Scenario::source = Source::file with Scenario::file, or
// read_scenario().
//
// Everything is a value; what is computed is immutable and may be read from any thread. What a caller gets wrong is an
// InputError with one readable sentence (core/base/tensor/error.h). Stages, settings, files and the mask language are
// described in docs/reference.md.
//
// With CMake: find_package(headlight) and target_link_libraries(yours PRIVATE headlight::core). Include
// <headlight/headlight.h>; the headers below are installed with it. examples/library is a whole program.
#pragma once

#include <headlight/version.h>

#include "core/base/arrays/array_file.h"   // tensors out of .npz, .npy, .safetensors, .pt
#include "core/base/arrays/array_write.h"  // tensors into files
#include "core/base/tensor/error.h"
#include "core/base/tensor/tensor.h"
#include "core/compute/run/difference.h"            // two runs, cell by cell
#include "core/compute/run/pipeline.h"              // compute()
#include "core/rules/mask/expression.h"             // the mask language
#include "core/rules/stage/stage.h"                 // the table of stages
#include "core/scenario/documents/scenario_json.h"  // scenarios as files
#include "core/teaching/diagnosis/diagnosis.h"      // compare(): which known mistake gives these numbers
#include "core/teaching/explain/explain.h"          // explain(), dependants()
