// Math markup: "s_{2,3} = \frac{\in{Q_heads}{q_{2}}·\in{K_heads}{k_{3}}}{\sqrt{d_{head}}}".
//
// _{...} is a subscript, ^{...} a superscript (both on one letter are stacked), \frac{over}{under}, \sqrt{...};
// \in{stage}{...} marks numbers of a stage. All other text is literal. Marks can be nested; any text is valid.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace headlight {

/// The content of the braces that `text` starts with, or its first word or character; and the rest.
std::pair<std::string_view, std::string_view> markup_argument(std::string_view text);

/// As a line of plain text, for terminals: "s[2,3] = q_2·k_3 / √d_head". Numbered subscripts go into brackets, other
/// scripts keep their mark ("W^q"), fractions and roots get the parentheses they need.
std::string plain_math(std::string_view markup);

/// The markup with every \in{stage}{x} replaced by x.
std::string without_stages(std::string_view markup);

}  // namespace headlight
