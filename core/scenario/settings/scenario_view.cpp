#include "core/scenario/settings/scenario_view.h"

#include <algorithm>
#include <span>

#include "core/base/tensor/error.h"
#include "core/base/tensor/message.h"
#include "core/base/text/texts.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {
namespace {

constexpr auto view_names = [] {
  std::array<std::string_view, view_rows.size()> names;
  std::ranges::transform(view_rows, names.begin(), &ViewRow::name);
  return names;
}();

bool is_one_of(std::span<const std::string_view> names, std::string_view text) {
  return std::ranges::find(names, text) != names.end();
}

}  // namespace

std::optional<std::string_view> field_of(std::string_view fields, std::string_view name) {
  for (const std::string_view part : Split(fields, ';')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    if (equals < part.size() && part.substr(0, equals) == name) return part.substr(equals + 1);
  }
  return {};
}

void add_field(ViewFields& fields, std::string_view name, std::string_view text) {
  fields.append(fields.empty() ? "" : ";").append(name).append("=").append(text);
}

ViewFields parse_measure(std::string_view option, std::string_view text) {
  if (!is_one_of(measure_names, text))
    throw SettingError(std::string(option), Message("\"{0}\" is no measure", std::string(text)),
                       "expected weight, arrives or share");
  ViewFields fields;
  add_field(fields, "measure", text);
  return fields;
}

ViewFields parse_view(std::string_view option, std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto row = std::ranges::find(view_rows, text.substr(0, colon), &ViewRow::name);
  const bool has_part = colon != std::string_view::npos;
  if (row == view_rows.end() || (has_part && row->part.empty()))
    throw SettingError(std::string(option), Message("\"{0}\" is not a view", std::string(text)),
                       Message("expected {0}", alternatives(view_names)));
  const std::string_view part = has_part ? text.substr(colon + 1) : std::string_view();
  const auto kind = static_cast<ViewKind>(row - view_rows.begin());
  if (kind == ViewKind::map && has_part) return parse_map(option, part);
  ViewFields fields;
  add_field(fields, "kind", row->name);
  if (kind != ViewKind::mask) return fields;
  if (has_part && !is_one_of(tab_names, part))
    throw SettingError(std::string(option), Message("\"{0}\" is not a sheet of the mask view", std::string(part)),
                       Message("expected {0}", alternatives(tab_names)));
  add_field(fields, "tab", has_part ? part : name(MaskTab::patterns));
  return fields;
}

std::string view_text(std::string_view fields) {
  std::string text(field_of(fields, "kind").value_or(name(ViewKind::pipeline)));
  if (text == name(ViewKind::map) && field_of(fields, "map")) return text + ":" + map_text(fields);
  const auto tab = text == name(ViewKind::mask) ? field_of(fields, "tab") : std::nullopt;
  return tab && *tab != name(MaskTab::patterns) ? text + ":" + std::string(*tab) : text;
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

ViewFields parse_level(std::string_view option, std::string_view text) {
  const std::string setting(option), whole(text);
  const std::size_t colon = text.find(':');
  const std::string_view level = text.substr(0, colon);
  if (!is_one_of(level_names, level))
    throw SettingError(setting, Message("\"{0}\" is not a level", whole),
                       "expected sentence, pipeline or operation:STAGE");
  const std::string part(colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1));
  if (colon != std::string_view::npos && level != name(Level::operation))
    throw SettingError(setting, Message("\"{0}\" names a stage", whole),
                       Message("expected operation:STAGE; {0} has none", std::string(level)));
  const bool facet = part != name(Facet::step) && is_one_of(facet_names, part);
  ViewFields fields;
  add_field(fields, "level", level);
  add_field(fields, "facet", facet ? std::string_view(part) : name(Facet::step));
  if (facet || colon == std::string_view::npos) return fields;
  const std::optional<Stage> stage = stage_named(part);
  if (!stage || is_parameter(*stage))
    throw SettingError(setting, Message("\"{0}\" is not a stage", part),
                       "see headlight list stages; besides, there are journey, geometry, next and why");
  add_field(fields, "stage", part);
  return fields;
}

std::string level_text(std::string_view fields) {
  std::string text(field_of(fields, "level").value_or(name(Level::pipeline)));
  if (text != name(Level::operation)) return text;
  const auto facet = field_of(fields, "facet"), stage = field_of(fields, "stage");
  if (facet && *facet != name(Facet::step)) return text + ":" + std::string(*facet);
  return stage ? text + ":" + std::string(*stage) : text;
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

ViewFields parse_map(std::string_view option, std::string_view text) {
  const auto wrong = [&] {
    return SettingError(std::string(option), Message("\"{0}\" is no place on the map", std::string(text)),
                        "expected STAGE or STAGE:Q0:Q1,K0:K1, such as weights:4096:8192,0:4096");
  };
  const std::size_t colon = text.find(':');
  const std::optional<Stage> stage = stage_named(text.substr(0, colon));
  if (!stage || info(*stage).rows != Axis::query || info(*stage).cols != Axis::key) throw wrong();
  ViewFields fields;
  add_field(fields, "kind", name(ViewKind::map));
  add_field(fields, "map", name(*stage));
  add_field(fields, "region", colon == std::string_view::npos ? "-" : text.substr(colon + 1));
  if (colon == std::string_view::npos) return fields;
  std::string_view rest = text.substr(colon + 1);
  constexpr std::string_view after = ":,:";
  std::array<Index, 4> ends{};  // q0, q1, k0, k1
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::size_t end = i < after.size() ? rest.find(after[i]) : rest.size();
    if (end == std::string_view::npos) throw wrong();
    ends[i] = parse_whole(option, rest.substr(0, end), 0, Index{1} << 40);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (ends[0] >= ends[1] || ends[2] >= ends[3]) throw wrong();
  return fields;
}

std::string map_text(std::string_view fields) {
  std::string text(field_of(fields, "map").value_or(name(Stage::weights)));
  const auto region = field_of(fields, "region");
  return region && *region != "-" ? text + ":" + std::string(*region) : text;
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
