#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/assets/assets.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/base/text/text_template.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"
#include "core/figures/figure/figure.h"
#include "core/figures/figure/figure_layout.h"
#include "core/figures/figure/typesetter.h"

namespace headlight {
namespace {

using Json = nlohmann::ordered_json;

/// Indices as in TeX, "n_{q}", or plainly, "n_q".
std::string indices(const std::string& text, const char* begin, const char* end) {
  return replaced(replaced(text, {&index_begins, 1}, begin), {&index_ends, 1}, end);
}

Json theme_colours(Theme theme) {
  const ThemeColours& c = colours(theme);
  const auto pair = [](Rgba ground, Rgba line) { return Json::array({to_hex(ground), to_hex(line)}); };
  const Json marked = pair(c.mark_ground, c.mark_line), masked = pair(c.hatch_ground, c.hatch_line);
  return {{"ink", to_hex(c.ink)},
          {"muted", to_hex(c.muted)},
          {"accent", to_hex(c.after)},
          {"kinds", Json::array({nullptr, masked, masked, marked, marked, pair(c.crossed_ground, c.crossed_line)})}};
}

std::string table_of(const Colormap& map) {
  std::vector<std::uint8_t> bytes;
  for (const Rgba colour : map.table()) bytes.insert(bytes.end(), {colour.r, colour.g, colour.b});
  return base64(bytes);
}

/// The cells of all panels: numbers as int16 times a scale, and the kind of the other cells.
struct Cells {
  float scale = 1;
  bool whole = true;  ///< all values are whole numbers that fit int16
  std::vector<std::uint8_t> numbers;
  bool kept_only = false;          ///< `numbers` leaves out cells that are not values in the shown figure
  std::vector<std::string> kinds;  ///< distinct kinds of panels, each once
  std::vector<int> kinds_of;       ///< for each panel an index into `kinds`; -1: all cells are values
};

void choose_scale(const FigureSpec& spec, Cells& cells) {
  float most = 0;
  for (const FigurePanel& panel : spec.panels) {
    each_cell(spec, panel, [&](Index row, Index col, CellKind kind) {
      if (kind != CellKind::value) return;
      const float value = panel.matrix(row, col);
      most = std::max(most, std::fabs(value));
      cells.whole = cells.whole && value == std::round(value);
    });
  }
  constexpr float largest = 32767;
  cells.whole = cells.whole && most <= largest;
  cells.scale = cells.whole || most == 0 ? 1 : most / largest;
}

Index cell_count(const FigureSpec& spec) {
  const MatrixView& first = spec.panels.front().matrix;
  return first.rows * first.cols * static_cast<Index>(spec.panels.size());
}

/// `shown`: the figure whose cells decide which numbers are kept.
Cells cells_of(const FigureSpec& spec, const FigureSpec& shown) {
  Cells cells;
  cells.kept_only = cell_count(spec) > most_whole_cells;
  choose_scale(spec, cells);
  for (std::size_t i = 0; i < spec.panels.size(); ++i) {
    const FigurePanel &panel = spec.panels[i], &shown_panel = shown.panels[i];
    const CellMasks shown_masks = effective_masks(shown, shown_panel);
    std::vector<std::uint8_t> kinds;
    bool any = false;
    each_cell(spec, panel, [&](Index row, Index col, CellKind kind) {
      const bool number = kind == CellKind::value;
      if (!cells.kept_only || classify(shown_panel.matrix, shown_masks, row, col) == CellKind::value) {
        const auto bits = static_cast<std::uint16_t>(number ? std::lround(panel.matrix(row, col) / cells.scale) : 0);
        cells.numbers.push_back(static_cast<std::uint8_t>(bits & 0xFF));
        cells.numbers.push_back(static_cast<std::uint8_t>(bits >> 8));
      }
      kinds.push_back(static_cast<std::uint8_t>(kind));
      any = any || !number;
    });
    const std::string text = any ? base64(kinds) : "";
    const auto known = std::find(cells.kinds.begin(), cells.kinds.end(), text);
    cells.kinds_of.push_back(any ? static_cast<int>(known - cells.kinds.begin()) : -1);
    if (any && known == cells.kinds.end()) cells.kinds.push_back(text);
  }
  return cells;
}

/// The colour of a head in both themes. A colour that the user chose is the same in both.
Json hue_of(const FigurePanel& panel) {
  if (!panel.hue) return nullptr;
  const auto &light = colours(Theme::light).heads, &dark = colours(Theme::dark).heads;
  for (std::size_t h = 0; h < light.size(); ++h) {
    if (*panel.hue == light[h] || *panel.hue == dark[h])
      return {{"light", to_hex(light[h])}, {"dark", to_hex(dark[h])}};
  }
  return {{"light", to_hex(*panel.hue)}, {"dark", to_hex(*panel.hue)}};
}

Json panels_of(const FigureSpec& spec, const Cells& cells, ColormapKind kind) {
  const std::vector<ValueRange> ranges = panel_ranges(spec, kind);
  Json panels = Json::array();
  for (std::size_t i = 0; i < spec.panels.size(); ++i) {
    const FigurePanel& panel = spec.panels[i];
    panels.push_back({{"title", panel.title},
                      {"hue", hue_of(panel)},
                      {"lo", ranges[i].lo},
                      {"hi", ranges[i].hi},
                      {"kinds", cells.kinds_of[i]}});
  }
  return panels;
}

Json contributions_json(const FigureSpec* spec, const FigureSpec& shown) {
  if (spec == nullptr) return nullptr;
  const Cells cells = cells_of(*spec, shown);
  Json ranges = Json::array();
  for (const ValueRange& range : panel_ranges(*spec, colormap_of(*spec, Theme::light).kind()))
    ranges.push_back({range.lo, range.hi});
  return {{"stage", name(Stage::contribution_norms)},
          {"scale", cells.scale},
          {"whole", cells.whole},
          {"ranges", std::move(ranges)},
          {"values", base64(cells.numbers)}};
}

/// The picture under the cells.
Json picture_of(const FigureSpec& spec) {
  const FigurePanel& panel = spec.panels.front();
  if (!panel.under) return nullptr;
  Json picture{{"image", "data:image/png;base64," + base64(encode_png(*panel.under))}, {"opacity", panel.opacity}};
  if (!spec.highlights.empty())
    picture["asks"] = {{"row", spec.highlights.front().first_row}, {"col", spec.highlights.front().first_col}};
  return picture;
}

Json data_of(const FigureSpec& spec, const std::string& stage, const FigureSpec* contributions) {
  const Colormap light = colormap_of(spec, Theme::light), dark = colormap_of(spec, Theme::dark);
  const bool diverging = light.kind() == ColormapKind::diverging, boolean = spec.palette == Palette::boolean;
  const MatrixView& first = spec.panels.front().matrix;
  const Cells cells = cells_of(spec, spec);
  const auto is_words = [](const std::string& label) { return label == "query" || label == "key"; };
  const FigureWords& words = spec.words;
  return {{"stage", stage},
          {"heads", spec.panels.size()},
          {"rows", first.rows},
          {"cols", first.cols},
          {"tokens", spec.row_ticks},
          {"key_tokens", spec.col_ticks},
          {"spelled", spec.row_spelled},
          {"key_spelled", spec.col_spelled},
          {"categories", spec.categories},
          {"scale", cells.scale},
          {"values", base64(cells.numbers)},
          {"kept_only", cells.kept_only},
          {"picture", picture_of(spec)},
          {"arrives", contributions_json(contributions, spec)},
          {"title", indices(spec.title, "_{", "}")},
          {"shape", indices(spec.shape, "_{", "}")},
          {"subtitle", indices(spec.subtitle, "_{", "}")},
          {"kind", spec.kind == FigureKind::arcs ? "arcs" : "heatmap"},
          {"row_label", indices(spec.row_label, "_", "")},
          {"col_label", indices(spec.col_label, "_", "")},
          {"first_row", spec.first_row},
          {"first_col", spec.first_col},
          {"words_both", is_words(spec.row_label) && is_words(spec.col_label)},
          {"palette", boolean     ? "boolean"
                      : diverging ? "diverging"
                                  : "sequential"},
          {"map_kind", diverging ? "diverging" : "sequential"},
          {"norm", norm_words[static_cast<std::size_t>(spec.norm)]},
          {"range", range_words[static_cast<std::size_t>(spec.range_mode)]},
          {"whole", cells.whole},
          {"kinds", cells.kinds},
          {"panels", panels_of(spec, cells, light.kind())},
          {"columns", spec.columns.value_or(0)},
          {"line_names", spec.line_names},
          {"column_names", spec.column_names},
          {"words",
           {{"1", words.masked},
            {"2", "−∞"},
            {"3", "∞"},
            {"4", "NaN"},
            {"5", words.dropped},
            {"allowed", words.may_attend}}},
          {"maps", {{"light", table_of(light)}, {"dark", table_of(dark)}}},
          {"themes", {{"light", theme_colours(Theme::light)}, {"dark", theme_colours(Theme::dark)}}}};
}

}  // namespace

Index html_numbers(const FigureSpec& spec) {
  const Index all = cell_count(spec);
  if (all <= most_whole_cells) return all;
  Index numbers = 0;
  for (const FigurePanel& panel : spec.panels) {
    each_cell(spec, panel, [&](Index, Index, CellKind kind) { numbers += kind == CellKind::value ? 1 : 0; });
  }
  return numbers;
}

std::string html_figure(const FigureSpec& spec, const std::string& stage, const FigureSpec* arrives) {
  const Index cells = cell_count(spec);
  if (cells > most_html_cells) {
    throw SettingError("-o", Message("a page of {0} numbers is too large to open", cells),
                       "expected at most 4000000: a part (--rows, --cols), fewer heads, or a .png");
  }
  const auto text_of = [](const char* name) { return whole_text(utf8_from(asset(name)), 1'000'000); };
  const std::string title = replaced(replaced(indices(spec.title, "_", ""), "&", "&amp;"), "<", "&lt;");
  const std::string data = data_of(spec, stage, arrives).dump(-1, ' ', false, Json::error_handler_t::replace);
  return fill_template(text_of("figure/figure.html"),
                       {{"{{title}}", title},
                        {"{{style}}", text_of("figure/figure.css")},
                        {"{{script}}", text_of("figure/figure.js")},
                        {"{{data}}", replaced(data, "<", "\\u003c")}});  // JSON must not end its <script> element
}

}  // namespace headlight
