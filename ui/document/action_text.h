// Actions as lines of text, for bug reports and to be done again: `open ["a.npz",false]`, `scenario ["{\"heads\":2}",
// "heads"]`, `view ["head=1"]`.
#pragma once

#include <string>

#include "ui/document/action.h"

namespace headlight {

/// What the action did to a document that had this scenario and view, as a line: a change that is a function is said by
/// its outcome. "" where it changed nothing, and for a pointer that moves.
std::string action_text(const Action& action, const Scenario& scenario, const View& view, const Document& after);
/// The action of such a line. Throws InputError.
Action read_action(const std::string& line);

}  // namespace headlight
