// headlight render: one stage as a picture or as numbers.
#include <algorithm>
#include <array>

#include "app/commands/commands.h"
#include "app/commands/figure_options.h"
#include "app/commands/settings_table.h"
#include "app/commands/view_options.h"
#include "core/attention/pipeline.h"
#include "core/figure/stage_figure.h"
#include "core/files/array_write.h"
#include "core/files/whole_file.h"
#include "core/scenario/tensor_file.h"

namespace headlight {
namespace {

std::string stage_names(const Trace& trace) {
  std::string names;
  for (const Stage stage : trace.stages()) names.append(names.empty() ? "" : ", ").append(name(stage));
  return names;
}

/// "0,2,3"
std::vector<Index> parse_heads(const std::string& text, Index count) {
  std::vector<Index> heads;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    heads.push_back(parse_whole("--head", text.substr(from, to - from), 0, count - 1));
    from = to + 1;
  }
  return heads;
}

void set_lengths(const CommandLine& line, StageFigureStyle& style) {
  if (line.has("--cell")) style.cell = parse_number("--cell", line["--cell"]);
  std::optional<float> dpi;
  if (line.has("--dpi")) dpi = static_cast<float>(parse_whole("--dpi", line["--dpi"], 10, 2400));
  if (line.has("--size")) {
    const PrintSize size = parse_print_size("--size", line["--size"], dpi);
    style.size = FigureSize{size.width, size.height};
    style.scale = size.scale;
  } else if (dpi) {
    style.scale = *dpi / units_per_inch;
  }
}

StageFigureStyle style_of(const CommandLine& line) {
  StageFigureStyle style;
  style.colormap = line["--colormap"];
  if (line.has("--theme")) style.theme = parse_theme(line["--theme"]);
  if (line.has("--range")) style.range = parse_range(line["--range"]);
  if (line.has("--title")) style.title = line["--title"];
  style.values = line.has("--values");
  style.bare = line.has("--bare");
  style.transparent = line.has("--transparent");
  set_lengths(line, style);
  return style;
}

SvgText svg_text_of(const CommandLine& line) {
  const std::string text = line["--svg-text"];
  if (text.empty() || text == "text") return SvgText::text;
  if (text == "outlines") return SvgText::outlines;
  throw SettingError("--svg-text", "\"" + text + "\" is no way to write text", "expected text or outlines");
}

void write(const CommandLine& line, const StageCut& cut, const std::string& out) {
  const std::string extension = extension_of(out);
  const std::filesystem::path path = path_from(out);
  if (extension == ".npy") {
    const NamedArray array = stage_array(cut);
    write_npy(path, array.values, array.boolean);
  } else if (extension == ".json") {
    write_json(path, std::array{stage_array(cut)});
  } else if (extension == ".csv") {
    if (cut.heads.size() > 1) {
      throw SettingError("--head", "several heads cannot be written as .csv, which holds one matrix",
                         "expected one head, or .npy");
    }
    write_csv(path, cut.tensor().matrix(cut.batch, cut.heads.front()));
  } else if (extension == ".svg") {
    const SvgText text = svg_text_of(line);
    const std::string svg = render_svg(stage_figure(cut, style_of(line)), text);
    write_whole_file(path, std::as_bytes(std::span(svg)));
  } else {
    const std::vector<std::uint8_t> png = render_png(stage_figure(cut, style_of(line)));
    write_whole_file(path, std::as_bytes(std::span(png)));
  }
}

}  // namespace

Stage stage_of(const std::string& wanted, const Trace& trace) {
  const std::optional<Stage> stage = stage_named(wanted);
  if (!stage) throw SettingError("--stage", "\"" + wanted + "\" is no stage", "expected one of " + stage_names(trace));
  if (!trace.has(*stage)) {
    throw SettingError("--stage", wanted + " is not part of this computation", "expected one of " + stage_names(trace));
  }
  return *stage;
}

StageCut cut_of(const CommandLine& line, const Trace& trace, Stage stage) {
  const Index batches = is_parameter(stage) ? 1 : trace.dims().batch;
  const Index batch = line.has("--batch") ? parse_whole("--batch", line["--batch"], 0, batches - 1) : 0;
  if (line["--head"] == "all") return all_heads(trace, stage, batch);
  StageCut cut{trace, stage, batch};
  if (line.has("--head")) cut.heads = parse_heads(line["--head"], has_head_axis(stage) ? trace[stage].size(1) : 1);
  cut.grid = cut.heads.size() > 1;
  return cut;
}

int render_command(const CommandLine& line) {
  const std::string out = line["-o"];
  if (out.empty()) throw UsageError("render needs -o OUT.png (or .svg, .csv, .npy, .json)");
  if (!line.has("--stage")) throw UsageError("render needs --stage STAGE");
  const std::string extension = extension_of(out);
  if (extension != ".png" && extension != ".svg" && extension != ".csv" && extension != ".npy" &&
      extension != ".json") {
    throw FileError(out, "render cannot write this kind of file",
                    "expected a name that ends in .png, .svg, .csv, .npy or .json");
  }
  Run run;
  run.threads = line.threads();
  const auto trace = compute(scenario_of(line), nullptr, run);
  write(line, cut_of(line, *trace, stage_of(line["--stage"], *trace)), out);
  return 0;
}

}  // namespace headlight
