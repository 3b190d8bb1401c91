// An attention run as a short Python script that computes the same numbers step by step and checks them.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "core/base/arrays/array_write.h"
#include "core/compute/run/trace.h"
#include "core/figures/export/export_options.h"

namespace headlight {

enum class ScriptLibrary : std::uint8_t { pytorch, numpy };

/// The script reads inputs.npz (script_inputs) and trace.npz (every stage, by name) from its folder, prints one line
/// per stage, and exits with 1 if one differs by more than 1e-5 + 1e-4·|b|. It contains only the steps of this run.
std::string reproduce_script(const Trace& trace, ScriptLibrary library);

/// The inputs of the script: the run's inputs and parameters, and its mask, bias, dropout and sink. Self-attention has
/// one input, `x`.
std::vector<NamedArray> script_inputs(const Trace& trace);

/// Every stage under its name; with `parameters` also W_q … b_o, dropout_keep, sink_logits, t5_table, if they exist.
std::vector<NamedArray> trace_arrays(const Trace& trace, bool parameters);

/// The script of a bundle with rollout or flow. It reads means.npz ("layers.N" for each of `layers`, first to last) and
/// data.npy from its folder, and exits with 1 if they differ by more than 1e-5 + 1e-4·|b|. Needs only NumPy.
std::string layers_script(const ExportOptions& options, const std::vector<std::string>& layers);

/// Writes the script of reproduce_script() from top to bottom; used only by reproduce_script.cpp and scores_script.cpp.
/// Each part adds lines, or none if the run does not have it.
class Script {
 public:
  Script(const Trace& trace, ScriptLibrary library)
      : trace_(trace), scenario_(trace.scenario), torch_(library == ScriptLibrary::pytorch) {}

  std::string text();

 private:
  /// The first text for PyTorch, the second for NumPy.
  std::string either(const std::string& torch, const std::string& numpy) const { return torch_ ? torch : numpy; }
  void line(const std::string& text = {}) { text_ += text + "\n"; }
  void check(Stage stage) { line("check(\"" + std::string(name(stage)) + "\", " + std::string(name(stage)) + ")"); }
  void step(Stage stage, const std::string& expression) {
    line(std::string(name(stage)) + " = " + expression);
    check(stage);
  }

  /// The variable of one of the stage's sources, or of its replacement.
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
  void dead_rows();

  const Trace& trace_;
  const Scenario& scenario_;
  bool torch_;
  std::string text_;
};

}  // namespace headlight
