#include "core/figures/export/export_options.h"

#include <algorithm>
#include <iterator>

#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/compute/network/logit_parts.h"
#include "core/compute/training/stage_book.h"
#include "core/scenario/inputs/scenario_rules.h"
#include "core/scenario/inputs/tensor_file.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {

namespace {

using Text = std::string_view;
using Written = std::optional<std::string>;

[[noreturn]] void fail(Text option, Text text, const Message& wrong, const Message& expected) {
  throw SettingError(std::string(option), Message("\"{0}\" {1}", std::string(text), wrong),
                     Message("expected {0}", expected));
}

std::string stage_names() {
  return comma_list(all_stages(), [](Stage stage) { return name(stage); }) + ", " +
         std::string(name(Stage::contribution_norms));
}

void stage(ExportOptions& o, Text option, Text text) {
  const std::optional<Stage> slope = gradient_named(text);
  const std::optional<Stage> named = slope ? slope : stage_named(std::string(text));
  if (!named) fail(option, text, "is no stage", Message("one of {0}", stage_names()));
  o.stage = *named;
  o.gradient = slope.has_value();
}
Written stage_text(const ExportOptions& o) { return o.gradient ? gradient_name(o.stage) : std::string(name(o.stage)); }

void loss(ExportOptions& o, Text option, Text text) {
  if (text.empty()) fail(option, text, "is empty", "a word");
  o.loss = text;
}
Written loss_text(const ExportOptions& o) { return o.loss.empty() ? Written() : o.loss; }

/// What is drawn for weights: the weights, contribution_norms or their shares.
void measure(ExportOptions& o, Text option, Text text) {
  if (text != "weight" && text != "arrives" && text != "share")
    fail(option, text, "is no measure", "weight, arrives or share");
  if (o.stage != Stage::weights && o.stage != Stage::contribution_norms)
    fail(option, text, Message("is of weights, not of {0}", std::string(name(o.stage))), "--stage weights");
  o.stage = text == "weight" ? Stage::weights : Stage::contribution_norms;
  o.shares = text == "share";
}
Written measure_text(const ExportOptions& o) { return o.shares ? Written("share") : Written(); }

void batch(ExportOptions& o, Text option, Text text) { o.batch = parse_whole(option, text, 0, Index{1} << 40); }
Written batch_text(const ExportOptions& o) { return o.batch == 0 ? Written() : std::to_string(o.batch); }

/// "2", "0,2,3", "all", "mean" or "max"
void head(ExportOptions& o, Text option, Text text) {
  o.all_heads = text == "all";
  o.pool = text == "mean" ? HeadPool::mean : text == "max" ? HeadPool::max : HeadPool::none;
  o.said_heads = !o.all_heads && o.pool == HeadPool::none;
  if (!o.said_heads) return;
  o.heads.clear();
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    const Text number = text.substr(from, to - from);
    if (number.empty() || number.find_first_not_of("0123456789") != Text::npos)
      fail(option, text, "names no heads", "a head, several as in 3,4,5, or all, mean, max");
    o.heads.push_back(parse_whole(option, number, 0, Index{1} << 40));
    from = to + 1;
  }
}
Written head_text(const ExportOptions& o) {
  if (o.pool != HeadPool::none) return o.pool == HeadPool::mean ? "mean" : "max";
  if (o.all_heads) return "all";
  std::string text;
  for (const Index h : o.heads) text += (text.empty() ? "" : ",") + std::to_string(h);
  const bool usual = text == "0" && (o.layers.empty() || !o.said_heads);
  return usual ? Written() : text;
}

void range(ExportOptions& o, Text, Text text) {
  o.style.range = parse_range(text);
  o.style.own_range = true;
}
Written range_text(const ExportOptions& o) {
  const RangeSetting& range = o.style.range;
  const char* sign = range.percent ? "%" : "";
  if (range.mode == RangeMode::fixed) return shortest(range.fixed.lo) + sign + ":" + shortest(range.fixed.hi) + sign;
  return range.mode == RangeMode::head && !o.style.own_range ? Written() : range_words[static_cast<int>(range.mode)];
}

void theme(ExportOptions& o, Text, Text text) { o.style.theme = parse_theme(std::string(text)); }
Written theme_text(const ExportOptions& o) { return o.style.theme == Theme::dark ? Written("dark") : Written(); }

/// The field of the options or of their style.
template <auto member>
auto& field(auto& options) {
  if constexpr (requires { options.*member; }) return options.*member;
  else return options.style.*member;
}

/// Resets a field to its default.
template <auto member>
void reset(ExportOptions& o) {
  const ExportOptions usual;
  field<member>(o) = field<member>(usual);
}

/// The value of a text, which is unset if it is empty, or of an optional text.
template <auto member>
Written text_of_field(const ExportOptions& o) {
  const auto& text = field<member>(o);
  if constexpr (std::is_same_v<std::decay_t<decltype(text)>, Written>) return text;
  else return text.empty() ? Written() : text;
}
/// The row of a text.
template <auto member>
constexpr ExportOption text_option(Text option, Text operand, Text help) {
  constexpr auto set = [](ExportOptions& o, Text, Text text) { field<member>(o) = std::string(text); };
  return {option, operand, help, set, text_of_field<member>, reset<member>};
}

/// A number that may be unset.
template <auto member>
Written number_text(const ExportOptions& o) {
  const auto& number = field<member>(o);
  if (!number) return {};
  if constexpr (std::is_floating_point_v<std::decay_t<decltype(*number)>>) return shortest(*number);
  else return std::to_string(*number);
}
/// The row of a count, which is unset by default.
template <auto member>
constexpr ExportOption count_option(Text option, Text operand, Text help) {
  constexpr auto set = [](ExportOptions& o, Text name, Text text) {
    field<member>(o) = parse_whole(name, text, 1, 1 << 20);
  };
  return {option, operand, help, set, number_text<member>, reset<member>};
}

/// The row of a switch that sets the field to `on`.
template <auto member, bool on>
constexpr ExportOption switch_option(Text option, Text help) {
  constexpr auto set = [](ExportOptions& o, Text name, Text text) {
    field<member>(o) = parse_switch(name, text) == on;
  };
  constexpr auto written = [](const ExportOptions& o) { return field<member>(o) == on ? Written("true") : Written(); };
  return {option, "", help, set, written};
}

void cell(ExportOptions& o, Text option, Text text) { o.style.cell = parse_number(option, text); }

void size(ExportOptions& o, Text option, Text text) {
  o.size = parse_wanted_size(std::string(option), std::string(text));
}
Written size_text(const ExportOptions& o) { return o.size ? Written(to_text(*o.size)) : Written(); }

void dpi(ExportOptions& o, Text option, Text text) { o.dpi = static_cast<int>(parse_whole(option, text, 10, 2400)); }

void svg_text(ExportOptions& o, Text option, Text text) {
  if (text != "text" && text != "outlines") fail(option, text, "is no way to write text", "text or outlines");
  o.svg_text = text == "text" ? SvgText::text : SvgText::outlines;
}
Written svg_text_text(const ExportOptions& o) {
  return o.svg_text == SvgText::outlines ? Written("outlines") : Written();
}

/// "3:9", "3:", ":9"
IndexSlice parse_slice(Text option, Text text) {
  const std::size_t colon = text.find(':');
  if (colon == Text::npos) fail(option, text, "is no part", "A:B, such as 0:16");
  constexpr Index most = Index{1} << 40;
  const auto end = [&](Text number) {
    return number.empty() ? std::nullopt : std::optional(parse_whole(option, number, -most, most));
  };
  return {end(text.substr(0, colon)), end(text.substr(colon + 1))};
}
/// The row of --rows and --cols.
template <auto member>
constexpr ExportOption part_option(Text option, Text help) {
  constexpr auto set = [](ExportOptions& o, Text name, Text text) { o.*member = parse_slice(name, text); };
  constexpr auto written = [](const ExportOptions& o) {
    return o.*member == IndexSlice{} ? Written() : python_slice(o.*member);
  };
  return {option, "A:B", help, set, written, reset<member>};
}

template <typename Value, std::size_t count>
Value one_of(Text option, Text text, const char* const (&names)[count], const char* what) {
  for (std::size_t i = 0; i < count; ++i) {
    if (text == names[i]) return static_cast<Value>(i);
  }
  fail(option, text, what, alternatives(names));
}

constexpr const char* together_words[] = {"mean", "sum", "max", "min"};

/// "rows,heads"
void over(ExportOptions& o, Text option, Text text) {
  constexpr Text axes[] = {"rows", "cols", "heads", "layers"};
  for (const Text axis : Split(text, ',')) {
    if (std::ranges::find(axes, axis) == std::end(axes))
      fail(option, text, "names no axes", "rows, cols, heads, layers, or several as in heads,layers");
  }
  o.over = text;
}
void by(ExportOptions& o, Text option, Text text) {
  o.by = one_of<TakeTogether>(option, text, together_words, "is no way to take numbers together");
}
Written by_text(const ExportOptions& o) {
  return o.by == TakeTogether::mean ? Written() : together_words[static_cast<int>(o.by)];
}
void fuse(ExportOptions& o, Text option, Text text) {
  if (text != "mean" && text != "max" && text != "min")
    fail(option, text, "is no way to fuse heads", "mean, max or min");
  o.fuse = one_of<TakeTogether>(option, text, together_words, "is no way to fuse heads");
}
Written fuse_text(const ExportOptions& o) {
  return o.fuse == TakeTogether::mean ? Written() : together_words[static_cast<int>(o.fuse)];
}
void discard(ExportOptions& o, Text option, Text text) {
  o.discard = parse_number(option, text);
  if (!(*o.discard >= 0 && *o.discard < 1))
    fail(option, text, "is no share of the weights", "0 or more and less than 1");
}
void mass(ExportOptions& o, Text option, Text text) {
  const Text number = text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
  o.style.mass = parse_number(option, number) / 100;
  if (!(*o.style.mass > 0 && *o.style.mass < 1)) fail(option, text, "is no share in percent", "such as 60%");
}
Written mass_text(const ExportOptions& o) {
  return o.style.mass ? Written(shortest(100 * *o.style.mass) + "%") : Written();
}

constexpr const char* layer_words[] = {"all", "encoder", "decoder", "cross", "rollout", "flow", "experts", "kept"};
void layers(ExportOptions& o, Text option, Text text) {
  const Text word = text.substr(0, text.find(':'));
  const bool has_last_layer = word == "rollout" || word == "flow";  // "rollout:3": up to that layer
  o.layers =
      layer_words[one_of<std::size_t>(option, has_last_layer ? word : text, layer_words, "is no way to take layers")];
  if (has_last_layer) o.layers = std::string(text);
}

void norm(ExportOptions& o, Text option, Text text) {
  o.style.norm = one_of<Norm>(option, text, norm_words, "is no norm");
  o.style.own_norm = true;
}
Written norm_text(const ExportOptions& o) {
  return !o.style.own_norm && o.style.norm == Norm::linear ? Written() : norm_words[static_cast<int>(o.style.norm)];
}

constexpr const char* kinds[] = {"heatmap",      "arcs", "difference", "reach", "blocks",
                                 "side-by-side", "lens", "overlay",    "why",   "patch"};
void kind(ExportOptions& o, Text option, Text text) {
  o.style.kind = one_of<PictureKind>(option, text, kinds, "is no kind of picture");
}
Written kind_text(const ExportOptions& o) {
  return o.style.kind == PictureKind::heatmap ? Written() : kinds[static_cast<int>(o.style.kind)];
}

void font_size(ExportOptions& o, Text option, Text text) {
  const float points = parse_number(option, text);
  if (!(points >= 6 && points <= 72)) fail(option, text, "is no size of text in points", "6 to 72");
  o.style.font_size = points;
}

void set_state(ExportOptions& o, Text, Text text) { o.what = name(state_named(text)); }

void opacity(ExportOptions& o, Text option, Text text) {
  o.style.opacity = parse_number(option, text);
  if (!(o.style.opacity >= 0.05F && o.style.opacity <= 1)) fail(option, text, "is no opacity", "0.05 to 1");
}
Written opacity_text(const ExportOptions& o) {
  return o.style.opacity == StageFigureStyle().opacity ? Written() : shortest(o.style.opacity);
}

/// "Q0:Q1,K0:K1", with "=label" for a label; several are on separate lines.
void highlight(ExportOptions& o, Text option, Text text) {
  o.style.highlights.clear();
  for (const Text line : Split(text, '\n')) {
    const std::size_t equals = std::min(line.find('='), line.size()), comma = line.substr(0, equals).find(',');
    if (comma == Text::npos) fail(option, line, "is no part of a matrix", "Q0:Q1,K0:K1, such as 2:4,0:3");
    const IndexSlice rows = parse_slice(option, line.substr(0, comma)),
                     cols = parse_slice(option, line.substr(comma + 1, equals - comma - 1));
    if (!rows.first || !rows.last || !cols.first || !cols.last || *rows.first < 0 || *rows.first >= *rows.last ||
        *cols.first < 0 || *cols.first >= *cols.last) {
      fail(option, line, "is no part of a matrix", "Q0:Q1,K0:K1 with Q0 < Q1 and K0 < K1");
    }
    o.style.highlights.push_back({*rows.first, *rows.last, *cols.first, *cols.last,
                                  std::string(equals < line.size() ? line.substr(equals + 1) : "")});
  }
}
Written highlight_text(const ExportOptions& o) {
  std::string text;
  for (const Highlight& mark : o.style.highlights) {
    const auto span = [](Index a, Index b) { return std::to_string(a) + ":" + std::to_string(b); };
    (text += text.empty() ? "" : "\n") +=
        span(mark.first_row, mark.last_row) + "," + span(mark.first_col, mark.last_col);
    if (!mark.label.empty()) text += "=" + mark.label;
  }
  return text.empty() ? Written() : text;
}

/// A named style, or a file of options, which other options on the command line override.
void style_named(ExportOptions& o, Text, Text text) {
  if (text == "light" || text == "dark") {
    o.style.theme = text == "dark" ? Theme::dark : Theme::light;
  } else if (text == "print") {
    o.style.print = true;
  } else {
    apply_style_file(o, std::string(text));
  }
}
Written style_text(const ExportOptions& o) { return o.style.print ? Written("print") : Written(); }

using Style = StageFigureStyle;
constexpr ExportOption table[] = {
    {"--stage", "STAGE", "what is taken: see `headlight list stages`", stage, stage_text},
    {"--measure", "weight|arrives|share",
     "of weights: themselves, how much each brings (contribution_norms), its share", measure, measure_text},
    {"--batch", "I", "the batch entry", batch, batch_text},
    {"--head", "I|I,J,...|all|mean|max", "one head, several in a grid, or their mean or largest", head, head_text},
    {"--layers", "all|encoder|decoder|cross|rollout[:N]|flow[:N]|experts|kept",
     "of a network: layers by heads, what they give together up to layer N, the experts that words chose, what is kept "
     "of words",
     layers, text_of_field<&ExportOptions::layers>, reset<&ExportOptions::layers>},
    part_option<&ExportOptions::rows>("--rows", "a part of the rows, as Python counts"),
    part_option<&ExportOptions::cols>("--cols", "a part of the columns"),
    {"--over", "rows|cols|heads|layers,...",
     "these taken together, as one row, column or matrix; all of them: one number", over,
     text_of_field<&ExportOptions::over>, reset<&ExportOptions::over>},
    {"--by", "mean|sum|max|min", "how --over takes numbers together; mean unless set", by, by_text,
     reset<&ExportOptions::by>},
    {"--fuse", "mean|max|min", "of rollout and flow: how a layer's heads become one; mean unless set", fuse, fuse_text,
     reset<&ExportOptions::fuse>},
    {"--discard", "X", "of rollout and flow: the share of each layer's smallest weights that become 0, as 0.9", discard,
     number_text<&ExportOptions::discard>, reset<&ExportOptions::discard>},
    {"--kind", "heatmap|arcs|difference|...",
     "or reach, blocks, side-by-side (of masks); difference: of two heads or files; lens, why, patch: of what a "
     "network predicts; overlay: over its picture",
     kind, kind_text},
    text_option<&ExportOptions::query>("--query", "ROW,COL|cls",
                                       "the patch whose row an overlay shows; cls unless set"),
    {"--opacity", "X", "of an overlay's colours, 0.05 to 1; 0.6 unless set", opacity, opacity_text,
     reset<&Style::opacity>},
    text_option<&ExportOptions::word>("--word", "WORD[,OTHER]",
                                      "whose logit why and patch are of; the most likely next one unset"),
    text_option<&ExportOptions::from>("--from", "TEXT", "the text whose states patch puts into this one"),
    {"--loss", "WORD", "the word whose −log p the gradients d_STAGE are of; a trained document's own loss unset", loss,
     loss_text, reset<&ExportOptions::loss>},
    {"--what", "residual|heads|mlp", "which of them; residual unless set", set_state,
     text_of_field<&ExportOptions::what>, reset<&ExportOptions::what>},
    text_option<&Style::other_mask>("--other-mask", "EXPR", "the second mask of side-by-side"),
    text_option<&Style::other_file>("--other-file", "FILE",
                                    "the second file of difference: stages, or a computation of its own"),
    count_option<&Style::block>("--block", "N", "the side of a block, for blocks"),
    {"--style", "light|dark|print|FILE", "print: readable in greys; FILE: JSON, {\"font-size\": 7, \"norm\": \"log\"}",
     style_named, style_text},
    text_option<&Style::colormap>("--colormap", "NAME", "see `headlight list colormaps`"),
    {"--range", "row|head|stage|LO:HI|LO%:HI%", "what the colours span; stage: one scale for all heads", range,
     range_text},
    {"--norm", "linear|sqrt|log",
     "how values spread over the colours; log unless set for weights of which few are large", norm, norm_text},
    {"--theme", "light|dark", "ink on paper, or the other way round", theme, theme_text},
    text_option<&Style::title>("--title", "TEXT", "in place of the stage's name; \"\" for none"),
    text_option<&Style::row_label>("--row-label", "TEXT", "what the rows are; \"\" for none"),
    text_option<&Style::col_label>("--col-label", "TEXT", "what the columns are; \"\" for none"),
    switch_option<&Style::tokens, false>("--no-tokens", "indices in place of the tokens"),
    switch_option<&Style::bar, false>("--no-bar", "without a colour bar"),
    switch_option<&Style::values, true>("--values", "numbers in the cells, where they fit"),
    switch_option<&Style::bare, true>("--bare", "the cells alone"),
    switch_option<&Style::transparent, true>("--transparent", "nothing behind the figure"),
    {"--cell", "PIXELS", "the width and height of a cell", cell, number_text<&Style::cell>},
    count_option<&Style::columns>("--columns", "N", "of the grid of heads"),
    switch_option<&Style::letters, true>("--letters", "(a), (b), ... before the heads' names"),
    {"--highlight", "Q0:Q1,K0:K1[=LABEL]", "a frame around these cells; may be repeated", highlight, highlight_text,
     reset<&Style::highlights>, true},
    {"--mass", "P%", "a frame around the largest cells of a row, or of an overlay, that hold P percent of it", mass,
     mass_text, reset<&Style::mass>},
    {"--size", "WxH|W|column|page", "of the figure: 640x480 pixels, 8x6cm, 80mm wide, 3.5x2.5in, a column (3.5in)",
     size, size_text},
    {"--font-size", "PT", "points, 6 or more; 8 on paper unless set", font_size, number_text<&Style::font_size>,
     reset<&Style::font_size>},
    text_option<&Style::font>("--font", "FAMILY", "of labels and titles"),
    {"--dpi", "N", "pixels to an inch: 96 for pixels, 300 for lengths unless set", dpi,
     number_text<&ExportOptions::dpi>},
    {"--svg-text", "text|outlines", "letters that can be edited, or shapes that look the same everywhere", svg_text,
     svg_text_text},
};

}  // namespace

std::span<const ExportOption> all_export_options() { return table; }

namespace {

template <typename Keeps>
std::vector<std::string> words_of_options(const ExportOptions& options, Keeps keeps) {
  std::vector<std::string> words;
  for (const ExportOption& option : table) {
    const Written text = option.text(options);
    if (!text || !keeps(option.option)) continue;
    for (std::size_t from = 0; from <= text->size();) {
      const std::size_t to = option.repeats ? std::min(text->find('\n', from), text->size()) : text->size();
      append_option(words, std::string(option.option), option.operand.empty(), text->substr(from, to - from));
      from = to + 1;
    }
  }
  return words;
}

}  // namespace

std::vector<std::string> export_words(const ExportOptions& options) {
  return words_of_options(options, [](std::string_view) { return true; });
}

std::vector<std::string> meaningful_words(const ExportOptions& options) {
  return words_of_options(options, [&](std::string_view option) { return means_something(options, option); });
}

std::string measure_name(const ExportOptions& options) {
  const PictureKind kind = options.style.kind;
  if (kind == PictureKind::reach || kind == PictureKind::blocks || kind == PictureKind::side_by_side)
    return replaced(kinds[static_cast<int>(kind)], "-", "_");
  const std::string of = options.shares     ? "contribution_shares"
                         : options.gradient ? gradient_name(options.stage)
                                            : std::string(name(options.stage));
  return kind == PictureKind::difference ? of + "_difference" : of;
}

StageFigureStyle style_of(const ExportOptions& options) {
  StageFigureStyle style = options.style;
  const std::optional<float> dpi = options.dpi ? std::optional(static_cast<float>(*options.dpi)) : std::nullopt;
  if (options.size) {
    const PrintSize size = print_size(*options.size, dpi);
    style.size = FigureSize{size.width, size.height};
    style.on_paper = options.size->unit != LengthUnit::px;
    style.scale = size.scale;
  } else if (dpi) {
    style.scale = *dpi / units_per_inch;
  }
  return style;
}

}  // namespace headlight
