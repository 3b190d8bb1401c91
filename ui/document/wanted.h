// The scenario that is wanted, as opposed to the trace that is shown and may still be of an earlier one; differences
// between scenarios.
#pragma once

#include <string>

#include "core/scenario/scenario.h"
#include "ui/document/document.h"
#include "ui/document/view_choices.h"

namespace headlight {

/// The sizes that the scenario asks for. What only the source knows (a file's sizes, the number of words of a text) is
/// taken from `shown`, the newest trace.
Dims wanted_dims(const Scenario& scenario, const Trace& shown);
/// The same for the document, which must have a trace.
Dims wanted_dims(const Document& document);

/// The document's scenario with another source. Settings that this source does not have, or that fit another number of
/// tokens only, are dropped.
Scenario with_source(const Document& document, Source source);

/// The JSON merge patch that turns `from` into `to`, and its application. patched() throws FileError.
std::string scenario_patch(const Scenario& from, const Scenario& to);
Scenario patched(const Scenario& scenario, const std::string& patch);

/// What stands for B: what is typed, else a causal mask, or a narrower one where the mask in force is causal itself.
const std::string& second_mask(const MaskLab& lab, const Scenario& scenario);

}  // namespace headlight
