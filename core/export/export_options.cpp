#include "core/export/export_options.h"

#include <algorithm>

#include "core/scenario/settings.h"
#include "core/scenario/settings_table.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

using Text = std::string_view;
using Written = std::optional<std::string>;

[[noreturn]] void fail(Text option, Text text, const std::string& wrong, const std::string& expected) {
  throw SettingError(std::string(option), "\"" + std::string(text) + "\" " + wrong, "expected " + expected);
}

std::string stage_names() {
  std::string names;
  for (const Stage stage : all_stages()) names.append(names.empty() ? "" : ", ").append(name(stage));
  return names;
}

void stage(ExportOptions& o, Text option, Text text) {
  const std::optional<Stage> named = stage_named(std::string(text));
  if (!named) fail(option, text, "is no stage", "one of " + stage_names());
  o.stage = *named;
}
Written stage_text(const ExportOptions& o) {
  return std::string(name(o.stage));
}

void batch(ExportOptions& o, Text option, Text text) {
  o.batch = parse_whole(option, text, 0, Index{1} << 40);
}
Written batch_text(const ExportOptions& o) {
  return o.batch == 0 ? Written() : std::to_string(o.batch);
}

/// "2", "0,2,3" or "all"
void head(ExportOptions& o, Text option, Text text) {
  o.all_heads = text == "all";
  if (o.all_heads) return;
  o.heads.clear();
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    o.heads.push_back(parse_whole(option, text.substr(from, to - from), 0, Index{1} << 40));
    from = to + 1;
  }
}
Written head_text(const ExportOptions& o) {
  if (o.all_heads) return "all";
  std::string text;
  for (const Index h : o.heads) text += (text.empty() ? "" : ",") + std::to_string(h);
  return text == "0" ? Written() : text;
}

void range(ExportOptions& o, Text, Text text) {
  o.style.range = parse_range(text);
}
Written range_text(const ExportOptions& o) {
  constexpr const char* words[] = {"row", "head", "stage"};
  const RangeSetting& range = o.style.range;
  if (range.mode == RangeMode::fixed) return shortest(range.fixed.lo) + ":" + shortest(range.fixed.hi);
  return range.mode == RangeMode::head ? Written() : words[static_cast<int>(range.mode)];
}

void theme(ExportOptions& o, Text, Text text) {
  o.style.theme = parse_theme(std::string(text));
}
Written theme_text(const ExportOptions& o) {
  return o.style.theme == Theme::dark ? Written("dark") : Written();
}

void colormap_name(ExportOptions& o, Text, Text text) {
  o.style.colormap = std::string(text);
}
Written colormap_text(const ExportOptions& o) {
  return o.style.colormap.empty() ? Written() : o.style.colormap;
}

template <std::optional<std::string> StageFigureStyle::*member>
void words(ExportOptions& o, Text, Text text) {
  o.style.*member = std::string(text);
}
template <std::optional<std::string> StageFigureStyle::*member>
Written words_text(const ExportOptions& o) {
  return o.style.*member;
}

/// A switch that makes it `on`.
template <bool StageFigureStyle::*member, bool on>
void turn(ExportOptions& o, Text option, Text text) {
  o.style.*member = parse_switch(option, text) == on;
}
template <bool StageFigureStyle::*member, bool on>
Written turned(const ExportOptions& o) {
  return o.style.*member == on ? Written("true") : Written();
}

void cell(ExportOptions& o, Text option, Text text) {
  o.style.cell = parse_number(option, text);
}
Written cell_text(const ExportOptions& o) {
  return o.style.cell ? Written(shortest(*o.style.cell)) : Written();
}

void size(ExportOptions& o, Text option, Text text) {
  o.size = parse_wanted_size(std::string(option), std::string(text));
}
Written size_text(const ExportOptions& o) {
  return o.size ? Written(to_text(*o.size)) : Written();
}

void dpi(ExportOptions& o, Text option, Text text) {
  o.dpi = static_cast<int>(parse_whole(option, text, 10, 2400));
}
Written dpi_text(const ExportOptions& o) {
  return o.dpi ? Written(std::to_string(*o.dpi)) : Written();
}

void svg_text(ExportOptions& o, Text option, Text text) {
  if (text != "text" && text != "outlines") fail(option, text, "is no way to write text", "text or outlines");
  o.svg_text = text == "text" ? SvgText::text : SvgText::outlines;
}
Written svg_text_text(const ExportOptions& o) {
  return o.svg_text == SvgText::outlines ? Written("outlines") : Written();
}

using Style = StageFigureStyle;
constexpr ExportOption table[] = {
    {"--stage", "STAGE", "what is taken: see `headlight list stages`", stage, stage_text},
    {"--batch", "I", "the batch entry", batch, batch_text},
    {"--head", "I|I,J,...|all", "one head, or several in a grid", head, head_text},
    {"--colormap", "NAME", "see `headlight list colormaps`", colormap_name, colormap_text},
    {"--range", "row|head|stage|LO:HI", "what the colours span; stage: one scale for all heads", range, range_text},
    {"--theme", "light|dark", "ink on paper, or the other way round", theme, theme_text},
    {"--title", "TEXT", "in place of the stage's name; \"\" for none", words<&Style::title>, words_text<&Style::title>},
    {"--row-label", "TEXT", "what the rows are; \"\" for none", words<&Style::row_label>, words_text<&Style::row_label>},
    {"--col-label", "TEXT", "what the columns are; \"\" for none", words<&Style::col_label>,
     words_text<&Style::col_label>},
    {"--no-tokens", "", "indices in place of the tokens", turn<&Style::tokens, false>, turned<&Style::tokens, false>},
    {"--no-bar", "", "without a colour bar", turn<&Style::bar, false>, turned<&Style::bar, false>},
    {"--values", "", "numbers in the cells, where they fit", turn<&Style::values, true>, turned<&Style::values, true>},
    {"--bare", "", "the cells alone", turn<&Style::bare, true>, turned<&Style::bare, true>},
    {"--transparent", "", "nothing behind the figure", turn<&Style::transparent, true>,
     turned<&Style::transparent, true>},
    {"--cell", "PIXELS", "the width and height of a cell", cell, cell_text},
    {"--size", "WxH", "of the figure: 640x480 pixels, 8x6cm, 80x60mm or 3.5x2.5in", size, size_text},
    {"--dpi", "N", "pixels to an inch: 96 for pixels, 300 for lengths unless set", dpi, dpi_text},
    {"--svg-text", "text|outlines", "letters that can be edited, or shapes that look the same everywhere", svg_text,
     svg_text_text},
};

}  // namespace

std::span<const ExportOption> all_export_options() {
  return table;
}

std::vector<std::string> export_words(const ExportOptions& options) {
  std::vector<std::string> words;
  for (const ExportOption& option : table) {
    const Written text = option.text(options);
    if (text) append_option(words, std::string(option.option), option.operand.empty(), *text);
  }
  return words;
}

StageFigureStyle style_of(const ExportOptions& options) {
  StageFigureStyle style = options.style;
  const std::optional<float> dpi = options.dpi ? std::optional(static_cast<float>(*options.dpi)) : std::nullopt;
  if (options.size) {
    const PrintSize size = print_size(*options.size, dpi);
    style.size = FigureSize{size.width, size.height};
    style.scale = size.scale;
  } else if (dpi) {
    style.scale = *dpi / units_per_inch;
  }
  return style;
}

}  // namespace headlight
