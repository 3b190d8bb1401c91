// The known mistakes, each as a different computation of some stages.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/diagnosis/own_stages.h"
#include "core/run/trace.h"

namespace headlight {

/// Computes one stage wrongly from the stages before it, as they are in this run; `usual()` computes it correctly.
using Rule = std::function<Tensor(const Trace& so_far, const std::function<Tensor()>& usual)>;

/// A variant of a mistake: everything that differs from the right computation.
struct Variant {
  std::string explanation;                    ///< one or two sentences, with the PyTorch line to write instead
  std::function<void(Scenario&)> settings{};  ///< the part that a scenario can express; may be empty
  std::map<Stage, Rule> rules{};
  /// What is saved under the stage's name, if it is not what the run continues with.
  std::map<Stage, std::function<Tensor(const Tensor&)>> saved{};
  bool harmless = false;  ///< no weight of a row that has keys changes
  bool rare = false;      ///< reported only if no other mistake produces the same numbers
};

/// What a mistake is searched in: a run that has a mask stage if keys are masked, and the user's stages.
struct Suspect {
  const Trace& run;
  const OwnStages& own;
};

struct Mistake {
  const char* id;
  /// Empty if the mistake cannot be made in this run. The most common ones come first.
  std::vector<Variant> (*variants)(const Suspect&);
};

/// All mistakes, the most common ones first.
std::span<const Mistake> all_mistakes();

}  // namespace headlight
