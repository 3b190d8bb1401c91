#include "core/scenario/settings/scenario_view.h"

#include <algorithm>
#include <span>

#include "core/base/tensor/error.h"
#include "core/base/tensor/message.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {
namespace {

constexpr auto view_names = [] {
  std::array<std::string_view, view_rows.size()> names;
  std::ranges::transform(view_rows, names.begin(), &ViewRow::name);
  return names;
}();

/// The choice whose name is `text`.
template <typename Choice>
std::optional<Choice> chosen(std::span<const std::string_view> names, std::string_view text) {
  const auto found = std::ranges::find(names, text);
  return found == names.end() ? std::nullopt : std::optional(static_cast<Choice>(found - names.begin()));
}

}  // namespace

HeadMeasure parse_measure(std::string_view option, std::string_view text) {
  const auto measure = chosen<HeadMeasure>(measure_names, text);
  if (!measure)
    throw SettingError(std::string(option), Message("\"{0}\" is no measure", std::string(text)),
                       "expected weight, arrives or share");
  return *measure;
}

ViewAddress parse_view(std::string_view option, std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto row = std::ranges::find(view_rows, text.substr(0, colon), &ViewRow::name);
  if (row == view_rows.end() || (colon != std::string_view::npos && row->part.empty()))
    throw SettingError(std::string(option), Message("\"{0}\" is not a view", std::string(text)),
                       Message("expected {0}", alternatives(view_names)));
  ViewAddress view{static_cast<ViewKind>(row - view_rows.begin()), MaskTab::patterns, {}};
  if (colon == std::string_view::npos) return view;
  const std::string_view part = text.substr(colon + 1);
  if (view.kind == ViewKind::map) {
    view.map = parse_map(option, part);
    return view;
  }
  const auto tab = chosen<MaskTab>(tab_names, part);
  if (!tab)
    throw SettingError(std::string(option), Message("\"{0}\" is not a sheet of the mask view", std::string(part)),
                       Message("expected {0}", alternatives(tab_names)));
  view.tab = *tab;
  return view;
}

std::string view_text(const ViewAddress& view) {
  std::string text(name(view.kind));
  if (view.kind == ViewKind::mask && view.tab != MaskTab::patterns) text += ":" + std::string(name(view.tab));
  if (view.kind == ViewKind::map && view.map) text += ":" + map_text(*view.map);
  return text;
}

std::string lesson_view_words() {
  std::string words;
  for (const ViewRow& row : view_rows) {
    if (!row.in_lessons) continue;
    words.append(words.empty() ? "" : ", ").append(row.name);
    if (!row.part.empty()) words.append(" or ").append(row.name).append(":").append(row.part);
  }
  return words;
}

std::string lesson_view_pattern() {
  std::string tabs;
  for (const std::string_view tab : tab_names) tabs.append(tabs.empty() ? "" : "|").append(tab);
  std::string pattern;
  for (const ViewRow& row : view_rows) {
    if (!row.in_lessons) continue;
    pattern.append(pattern.empty() ? "" : "|").append(row.name);
    if (!row.part.empty()) pattern += "(:" + (row.part == "SHEET" ? "(" + tabs + ")" : ".+") + ")?";
  }
  return "^(" + pattern + ")$";
}

LevelAddress parse_level(std::string_view option, std::string_view text) {
  const std::string setting(option), whole(text);
  const std::size_t colon = text.find(':');
  const auto level = chosen<Level>(level_names, text.substr(0, colon));
  if (!level)
    throw SettingError(setting, Message("\"{0}\" is not a level", whole),
                       "expected sentence, pipeline or operation:STAGE");
  LevelAddress address{*level, {}, Facet::step};
  if (colon == std::string_view::npos) return address;
  if (address.level != Level::operation)
    throw SettingError(setting, Message("\"{0}\" names a stage", whole),
                       Message("expected operation:STAGE; {0} has none", std::string(name(address.level))));
  const std::string part(text.substr(colon + 1));
  if (const auto facet = chosen<Facet>(facet_names, part); facet && *facet != Facet::step) {
    address.facet = *facet;
    return address;
  }
  address.stage = stage_named(part);
  if (!address.stage || is_parameter(*address.stage))
    throw SettingError(setting, Message("\"{0}\" is not a stage", part),
                       "see headlight list stages; besides, there are journey, geometry, next and why");
  return address;
}

std::string level_text(const LevelAddress& level) {
  std::string text(name(level.level));
  if (level.level != Level::operation) return text;
  if (level.facet != Facet::step) return text + ":" + std::string(name(level.facet));
  return level.stage ? text + ":" + std::string(name(*level.stage)) : text;
}

Cell parse_cell(std::string_view option, std::string_view text) {
  constexpr const char* expected = "expected STAGE:b,h,row,col, such as weights:0,2,3,1";
  const auto wrong = [&] {
    return SettingError(std::string(option), Message("\"{0}\" names no cell", std::string(text)), expected);
  };
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

MapAddress parse_map(std::string_view option, std::string_view text) {
  const auto wrong = [&] {
    return SettingError(std::string(option), Message("\"{0}\" is no place on the map", std::string(text)),
                        "expected STAGE or STAGE:Q0:Q1,K0:K1, such as weights:4096:8192,0:4096");
  };
  const std::size_t colon = text.find(':');
  const std::optional<Stage> stage = stage_named(text.substr(0, colon));
  if (!stage || info(*stage).rows != Axis::query || info(*stage).cols != Axis::key) throw wrong();
  MapAddress map{*stage, {}};
  if (colon == std::string_view::npos) return map;
  MapAddress::Region& region =
      *(map.region = MapAddress::Region());  // Clang 14 cannot emplace() a nested type with default values
  std::string_view rest = text.substr(colon + 1);
  constexpr std::string_view after = ":,:";
  Index* const parts[] = {&region.q0, &region.q1, &region.k0, &region.k1};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t end = i < 3 ? rest.find(after[i]) : rest.size();
    if (end == std::string_view::npos) throw wrong();
    *parts[i] = parse_whole(option, rest.substr(0, end), 0, Index{1} << 40);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (region.q0 >= region.q1 || region.k0 >= region.k1) throw wrong();
  return map;
}

std::string map_text(const MapAddress& map) {
  std::string text(name(map.stage));
  if (!map.region) return text;
  const auto span = [](Index first, Index end) { return std::to_string(first) + ":" + std::to_string(end); };
  return text + ":" + span(map.region->q0, map.region->q1) + "," + span(map.region->k0, map.region->k1);
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
