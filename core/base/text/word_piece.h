// The mark by which WordPiece says that a piece continues the word before it: "##ation".
#pragma once

#include <string>
#include <string_view>

namespace headlight {

inline bool continues_word(std::string_view piece) { return piece.size() > 2 && piece.starts_with("##"); }

/// The piece without the mark: "ation".
inline std::string without_mark(std::string piece) { return continues_word(piece) ? piece.substr(2) : piece; }

}  // namespace headlight
