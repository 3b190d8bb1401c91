// The script in the making: what reproduce_script.cpp and scores_script.cpp write together.
#pragma once

#include <initializer_list>
#include <string>

#include "core/export/reproduce_script.h"

namespace headlight {

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
