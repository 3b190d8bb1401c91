// The rules for a scenario's settings that hold for every source, and the sizes that follow from them.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/base/text/number_text.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/settings/scenario.h"

namespace headlight {

/// Throws SettingError for a value that is invalid for every source: a dropout of 2, a size of 0, a NaN fill.
void check_settings(const Scenario& scenario);

/// The sizes of a text or random scenario: the set ones, and defaults for the others (d_model 16, all widths d_model,
/// heads the largest divisor of d_model up to 4). Defaults are 1 for batch, 6 for n_q and n_q for n_k; text overrides
/// them later. Throws SettingError if they contradict each other.
Dims seeded_dims(const Scenario& scenario);

/// Sets dims.d_head and checks the rules that hold for every source: heads divide d_model, key/value heads divide
/// heads, RoPE rotates pairs, tensors fit in memory. Needs the other sizes. Throws SettingError.
void set_head_size(const Scenario& scenario, Dims& dims);

/// For a size that the source fixes. Throws SettingError, with `why`, if `value` is set to anything but the known size.
void must_be_unset(const std::optional<Index>& value, const char* setting, const Message& why,
                   std::optional<Index> known = {});

/// The same for settings without a known value, by key.
void must_be_unset(const Scenario& scenario, std::initializer_list<std::string_view> keys, const Message& why);

/// "1, 2, 4 or 8"
Message divisors(Index n);

struct StageNeed {
  Stage stage;
  double bytes = 0;  ///< double, so that it cannot overflow
};

/// Throws SettingError, which names the largest stages, if the machine has too little memory left.
void check_memory(const Scenario& scenario, const Dims& dims);

}  // namespace headlight
