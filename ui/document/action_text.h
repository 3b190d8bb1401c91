// Actions as lines of text, for bug reports and replay: `open ["a.npz",false]`, `scenario ["{\"heads\":2}", "heads"]`,
// `view ["head=1"]`.
#pragma once

#include <string>

#include "ui/document/action.h"

namespace headlight {

/// The line for an action that changed a document with this scenario and view into `after`; a function is written as
/// its result. "" if nothing changed, and for pointer movements.
std::string action_text(const Action& action, const Scenario& scenario, const View& view, const Document& after);
/// Parses such a line. Throws InputError.
Action read_action(const std::string& line);

}  // namespace headlight
