// A command line as the query of a link: {"lesson:first-light", "--mask", "causal()"} is
// "?lesson=first-light&mask=causal()".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

/// Unset if the words name a user's file, which a link cannot hold. An option's value must not begin with
/// "--".
std::optional<std::string> query_of(const std::vector<std::string>& words);

struct LinkWords {
  std::vector<std::string> words;       ///< the command line
  std::optional<std::string> scenario;  ///< a scenario file's text, from the fragment
};
/// The other way: "?text=the+cat&alibi#scenario=…"; either part may be missing. `lesson`, `model` and `random` name
/// what is opened; `embed` is for the page and left out. Throws InputError if it is not valid text, and for `file`.
LinkWords words_of_link(std::string_view link);

/// As the value of a query or fragment.
std::string percent_encoded(std::string_view text);

}  // namespace headlight
