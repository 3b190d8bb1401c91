// Texts with names that are filled in, such as an HTML page.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace headlight {

/// The template with the values in place of their names, in one pass: what a value contains is never a name.
std::string fill_template(std::string_view text,
                          std::initializer_list<std::pair<std::string_view, std::string_view>> values);

}  // namespace headlight
