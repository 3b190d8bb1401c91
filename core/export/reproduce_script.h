// A run of attention as a short Python script that computes the same numbers, step by step, and checks them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/export/export_options.h"
#include "core/files/array_write.h"
#include "core/run/trace.h"

namespace headlight {

enum class ScriptLibrary : std::uint8_t { pytorch, numpy };

/// The script. It reads inputs.npz (script_inputs) and trace.npz (every stage, by its name) beside it, prints a line a
/// stage, and exits with 1 where one differs by more than 1e-5 + 1e-4·|b|. Only what this run uses is in it.
std::string reproduce_script(const Trace& trace, ScriptLibrary library);

/// What the script starts from: the inputs, the parameters, and what of mask, bias, dropout and sink the run has.
/// Self-attention has one input, `x`.
std::vector<NamedArray> script_inputs(const Trace& trace);

/// Every stage under its name; with `parameters` also W_q … b_o, dropout_keep, sink_logits, t5_table where there are
/// any.
std::vector<NamedArray> trace_arrays(const Trace& trace, bool parameters);

/// The script of a bundle of rollout or flow. It reads means.npz ("layers.N" for each of `layers`, first to last) and
/// data.npy beside it, and exits with 1 if they differ by more than 1e-5 + 1e-4·|b|. Needs only NumPy.
std::string layers_script(const ExportOptions& options, const std::vector<std::string>& layers);

}  // namespace headlight
