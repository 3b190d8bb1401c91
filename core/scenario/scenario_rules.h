// The rules that a scenario's settings keep, whatever its source, and the sizes they add up to.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/inputs.h"
#include "core/scenario/scenario.h"
#include "core/tensor/message.h"
#include "core/text/number_text.h"

namespace headlight {

/// Throws SettingError for a value that no source could make sense of: a dropout of 2, a size of 0, a NaN fill.
void check_settings(const Scenario& scenario);

/// The sizes of a text or random scenario: what is set, else the defaults (d_model 16, the widths d_model, heads the
/// largest divisor of d_model up to 4). n_q, n_k and batch are 1, 6 and 6 unless set; text overrides them later.
/// Throws SettingError where they do not go together.
Dims seeded_dims(const Scenario& scenario);

/// Settles dims.d_head and checks what holds for every source: heads divide d_model, key/value heads divide heads, RoPE
/// turns pairs, tensors fit in memory. Needs the other sizes. Throws SettingError.
void settle_heads(const Scenario& scenario, Dims& dims);

/// Throws SettingError where `value` is set, unless to what is known: for a size that the source already fixes, and
/// why.
void must_be_unset(const std::optional<Index>& value, const char* setting, const Message& why,
                   std::optional<Index> known = {});

/// The same of settings without a known value, by their keys.
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
