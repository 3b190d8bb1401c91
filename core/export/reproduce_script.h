// A run of attention as a short Python script that computes the same numbers, step by step, and checks them.
#pragma once

#include <initializer_list>
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

/// Writes the script of reproduce_script() top to bottom, for reproduce_script.cpp and scores_script.cpp alone; each
/// part adds lines, and says nothing where the run does not have it.
class Script {
 public:
  Script(const Trace& trace, ScriptLibrary library)
      : trace_(trace), scenario_(trace.scenario), torch_(library == ScriptLibrary::pytorch) {}

  std::string text();

 private:
  /// The first for PyTorch, the second for NumPy.
  std::string either(const std::string& torch, const std::string& numpy) const { return torch_ ? torch : numpy; }
  void line(const std::string& text = {}) { text_ += text + "\n"; }
  void check(Stage stage) { line("check(\"" + std::string(name(stage)) + "\", " + std::string(name(stage)) + ")"); }
  void step(Stage stage, const std::string& expression) {
    line(std::string(name(stage)) + " = " + expression);
    check(stage);
  }

  /// The name of what stands for one of the stage's sources.
  std::string source(Stage stage, std::size_t which = 0) const {
    return std::string(name(trace_.standing_for(info(stage).sources[which].stage).value()));
  }

  void header();
  void checker();
  void sizes();
  void footer();

  // One a kind of stage; the table in reproduce_script.cpp says which.
  void input(Stage stage);
  void known(Stage stage);
  void projection(Stage stage);
  void split(Stage stage);
  void norm(Stage stage);
  void rotation(Stage stage);
  void scores(Stage stage);
  void scale(Stage stage);
  void cap(Stage stage);
  void biases(Stage stage);
  void mask(Stage stage);
  void masking(Stage stage);
  void softmax(Stage stage);
  void dropout(Stage stage);
  void head_outputs(Stage stage);
  void concat(Stage stage);

  void define_norm();
  void define_rotation();
  void alibi_slopes();
  void t5_table();
  void dead_rows();

  const Trace& trace_;
  const Scenario& scenario_;
  bool torch_;
  std::string text_;
};

}  // namespace headlight
