#include "core/mask/nearest.h"

#include <algorithm>
#include <vector>

namespace headlight {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The optimal string alignment distance (Damerau 1964), over the whole table: names are short.
std::size_t slips(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& best = table[i * width + j];
      if (i == 0 || j == 0) {
        best = i + j;
        continue;
      }
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      best = std::min({table[(i - 1) * width + j] + 1, table[i * width + j - 1] + 1,
                       table[(i - 1) * width + j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) best = std::min(best, table[(i - 2) * width + j - 2] + 1);
    }
  }
  return table.back();
}

}  // namespace

std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names) {
  constexpr std::size_t longest = 40;  // no name is longer, and the table stays small
  if (typed.size() > longest) return {};
  std::string_view nearest;
  std::size_t fewest = longest;
  for (const std::string_view name : names) {
    const std::size_t distance = slips(typed, name);
    if (distance < fewest && distance * 3 <= name.size()) {
      fewest = distance;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace headlight
