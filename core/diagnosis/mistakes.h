// The known mistakes, each as another way of making some stages.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/diagnosis/own_stages.h"
#include "core/run/trace.h"

namespace headlight {

/// Makes one stage wrongly, from the stages before it as they came out in this run; `usual()` makes it rightly.
using Rule = std::function<Tensor(const Trace& so_far, const std::function<Tensor()>& usual)>;

/// One way of making a mistake: all that differs from the right computation.
struct Variant {
  std::string explanation;                    ///< a sentence or two, with the PyTorch line to write instead
  std::function<void(Scenario&)> settings{};  ///< what a scenario can say; may be empty
  std::map<Stage, Rule> rules{};
  /// What was saved under the stage's name, where that is not what the run went on with.
  std::map<Stage, std::function<Tensor(const Tensor&)>> saved{};
  bool harmless = false;  ///< no weight of a row that has keys is another
  bool rare = false;      ///< said only where no other mistake gives the same numbers
};

/// What a mistake is looked for in: a run with a mask stage wherever keys are masked, and somebody's stages.
struct Suspect {
  const Trace& run;
  const OwnStages& own;
};

struct Mistake {
  const char* id;
  /// None where the mistake cannot be made in this run. Those that are made most often come first.
  std::vector<Variant> (*variants)(const Suspect&);
};

/// Every mistake of the manual, those that are made most often first.
std::span<const Mistake> all_mistakes();

}  // namespace headlight
