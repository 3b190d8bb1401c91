// The requested scenario, as opposed to the shown trace, which may be of an earlier one; differences between scenarios.
#pragma once

#include <string>

#include "core/scenario/settings/scenario.h"
#include "ui/base/document/document.h"
#include "ui/base/document/view_choices.h"

namespace headlight {

/// The sizes that the scenario requests. Sizes that only the source knows (a file's, the number of words of a text) are
/// those of `shown`, the newest trace.
Dims wanted_dims(const Scenario& scenario, const Trace& shown);
/// The same for the document, which must have a trace.
Dims wanted_dims(const Document& document);

/// The document's scenario with another source. Drops settings that this source does not have, or that depend on the
/// number of tokens.
Scenario with_source(const Document& document, Source source);

/// The JSON merge patch that turns `from` into `to`, and its application. patched() throws FileError.
std::string scenario_patch(const Scenario& from, const Scenario& to);
Scenario patched(const Scenario& scenario, const std::string& patch);

/// The scenario with absolute paths of its files: the current folder may change, and a file has several relative names.
Scenario with_whole_paths(Scenario scenario);

/// The expression of B: the typed one, otherwise a causal mask, or a narrower one if the current mask is causal.
const std::string& second_mask(const MaskLab& lab, const Scenario& scenario);

}  // namespace headlight
