// The search for known mistakes that give a user's own stages.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/base/parallel/worker.h"
#include "core/teaching/diagnosis/diagnosis.h"
#include "core/teaching/diagnosis/reproduction.h"

namespace headlight {

/// Is told the id of each mistake before it is tried.
using Trying = std::function<void(std::string_view)>;

/// Adds to `wrongs` the stages that differ from `base`, and the mistakes that explain them, as far as it finds them
/// within the time limit; once one explains every stage, it looks for others only briefly. `run` must stop when the
/// limit is reached. Returns whether all known mistakes were tried.
bool find_mistakes(Base base, const OwnStages& own, const Evidence& evidence, const Run& run, const TimeLimit& limit,
                   const Trying& trying, std::vector<Wrong>& wrongs);

}  // namespace headlight
