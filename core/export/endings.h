// The endings of the files that write_export() writes; the export dialog offers the same.
#pragma once

#include <array>

namespace headlight {

inline constexpr std::array figure_endings{".png", ".svg", ".pdf", ".html"};
inline constexpr std::array number_endings{".csv", ".npy", ".npz", ".json"};

}  // namespace headlight
