// The script in the making: what reproduce_script.cpp and scores_script.cpp write together.
#pragma once

#include <initializer_list>
#include <string>

#include "core/export/reproduce_script.h"

namespace headlight {

/// Whether the script makes the mask itself, as a line that everybody knows, and reads none.
bool makes_own_mask(const Scenario& scenario);

/// Writes the script top to bottom; each part adds lines, and says nothing where the run does not have it.
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

  void header();
  void checker();
  void sizes();
  /// Stages that the document begins with, as the script's inputs.
  void given(std::initializer_list<Stage> stages);
  void inputs();
  void projections();
  void projection(Stage stage, const std::string& x, Stage weight, Stage bias);
  void split();
  void norm_and_rotation();
  void scores();
  void biases();
  void alibi_slopes();
  void t5_table();
  void masking();
  void softmax();
  void dead_rows();
  void dropout();
  void outputs();
  void footer();

  const Trace& trace_;
  const Scenario& scenario_;
  bool torch_;
  std::string text_;
  std::string current_;  ///< the name of the newest scores
};

}  // namespace headlight
