// What is wanted, where the numbers that are shown may still be of an earlier scenario; and scenarios as differences.
#pragma once

#include <string>

#include "core/scenario/scenario.h"
#include "ui/document/document.h"
#include "ui/document/view_choices.h"

namespace headlight {

/// The sizes that the scenario asks for. What only its source knows (a file's, how many words a text has) is as in
/// `shown`, the newest trace.
Dims wanted_dims(const Scenario& scenario, const Trace& shown);
/// What the document's scenario asks for; it has a trace.
Dims wanted_dims(const Document& document);

/// The document's scenario with another source: settings that this one does not have, or that were made for another
/// number of tokens, are dropped.
Scenario with_source(const Document& document, Source source);

/// What makes `to` of `from`, as a JSON merge patch, and the scenario that it makes. patched() throws FileError.
std::string scenario_patch(const Scenario& from, const Scenario& to);
Scenario patched(const Scenario& scenario, const std::string& patch);

/// What stands for B: what is typed, else a causal mask, or a narrower one where the mask in force is causal itself.
const std::string& second_mask(const MaskLab& lab, const Scenario& scenario);

}  // namespace headlight
