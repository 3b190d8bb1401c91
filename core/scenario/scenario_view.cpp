#include "core/scenario/scenario_view.h"

#include <algorithm>
#include <array>

#include "core/scenario/settings_table.h"
#include "core/tensor/error.h"

namespace headlight {

LevelAddress parse_level(std::string_view option, std::string_view text) {
  const std::string setting(option), whole(text);
  const std::size_t colon = text.find(':');
  LevelAddress address{std::string(text.substr(0, colon)), {}, {}};
  constexpr std::array names{"sentence", "pipeline", "operation"};
  if (std::ranges::find(names, address.name) == names.end()) throw SettingError(setting, "\"" + whole + "\" is not a level", "expected sentence, pipeline or operation:STAGE");
  if (colon == std::string_view::npos) return address;
  if (address.name != "operation") throw SettingError(setting, "\"" + whole + "\" names a stage", "expected operation:STAGE; " + address.name + " has none");
  const std::string part(text.substr(colon + 1));
  if (part == "journey" || part == "geometry") {
    address.facet = part;
    return address;
  }
  address.stage = stage_named(part);
  if (!address.stage || is_parameter(*address.stage)) throw SettingError(setting, "\"" + part + "\" is not a stage", "see headlight list stages; besides, there are journey and geometry");
  return address;
}

Cell parse_cell(std::string_view option, std::string_view text) {
  constexpr const char* expected = "expected STAGE:b,h,row,col, such as weights:0,2,3,1";
  const auto wrong = [&] { return SettingError(std::string(option), "\"" + std::string(text) + "\" names no cell", expected); };
  const std::size_t colon = text.find(':');
  const auto stage = stage_named(text.substr(0, colon));
  if (colon == std::string_view::npos || !stage) throw wrong();
  Cell cell{*stage};
  std::string_view rest = text.substr(colon + 1);
  Index* const parts[] = {&cell.batch, &cell.head, &cell.row, &cell.col};
  for (int i = 0; i < 4; ++i) {
    const std::size_t comma = rest.find(',');
    if ((comma == std::string_view::npos) != (i == 3)) throw wrong();
    *parts[i] = parse_whole(option, rest.substr(0, comma), 0, Index{1} << 40);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return cell;
}

std::string cell_text(const Cell& cell) {
  std::string text(name(cell.stage));
  char before = ':';
  for (const Index part : {cell.batch, cell.head, cell.row, cell.col}) {
    text += before + std::to_string(part);
    before = ',';
  }
  return text;
}

}  // namespace headlight
