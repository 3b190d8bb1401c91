#include "core/mask/picture_grid.h"

#include <charconv>

#include "core/tensor/error.h"

namespace headlight {

PictureGrid picture_grid(std::string_view text, Index tokens) {
  PictureGrid grid;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](Index least, Index& value) {
    const auto read = std::from_chars(at, end, value);
    at = read.ptr;
    return read.ec == std::errc() && value >= least && value <= 1 << 20;
  };
  const auto sign = [&](char wanted) { return at != end && *at++ == wanted; };
  bool right = number(1, grid.rows) && sign('x') && number(1, grid.columns);
  if (right) grid.first = tokens - grid.rows * grid.columns;
  if (right && at != end) right = sign('@') && number(0, grid.first) && at == end;
  if (!right)
    throw SettingError("--grid", Message("\"{0}\" is no grid", std::string(text)),
                       "expected ROWSxCOLUMNS of patches, such as 14x14, or 24x24@5 if token 5 is the first patch");
  if (grid.first < 0 || grid.first + grid.rows * grid.columns > tokens)
    throw SettingError("--grid", Message("{0} has {1} patches", std::string(text), grid.rows * grid.columns),
                       Message("expected no more than the {0} keys", tokens));
  return grid;
}

}  // namespace headlight
