// headlight render: one stage as a picture or as numbers.
#include <algorithm>

#include "app/commands/commands.h"
#include "app/commands/settings_table.h"
#include "app/commands/view_options.h"
#include "core/attention/pipeline.h"
#include "core/figure/figure.h"
#include "core/files/array_write.h"
#include "core/files/whole_file.h"
#include "core/scenario/tensor_file.h"

namespace headlight {
namespace {

/// What is to be drawn: a stage of a trace, at one batch entry, for some heads.
struct Cut {
  const Trace& trace;
  Stage stage;
  Index batch = 0;
  std::vector<Index> heads;  ///< {0} for a stage without a head axis
  bool all_heads = false;

  const Tensor& tensor() const { return trace[stage]; }
};

std::string stage_names(const Trace& trace) {
  std::string names;
  for (const Stage stage : trace.stages()) names.append(names.empty() ? "" : ", ").append(name(stage));
  return names;
}

Stage stage_of(const CommandLine& line, const Trace& trace) {
  const std::string wanted = line["--stage"];
  const std::optional<Stage> stage = stage_named(wanted);
  if (!stage) throw SettingError("--stage", "\"" + wanted + "\" is no stage", "expected one of " + stage_names(trace));
  if (!trace.has(*stage)) {
    throw SettingError("--stage", wanted + " is not part of this computation", "expected one of " + stage_names(trace));
  }
  return *stage;
}

Cut cut_of(const CommandLine& line, const Trace& trace) {
  Cut cut{trace, stage_of(line, trace), 0, {0}, false};
  const bool parameter = is_parameter(cut.stage);
  const Index batches = parameter ? 1 : trace.dims().batch;
  const Index heads = has_head_axis(cut.stage) ? cut.tensor().size(1) : 1;
  if (line.has("--batch")) cut.batch = parse_whole("--batch", line["--batch"], 0, batches - 1);
  if (line["--head"] == "all") {
    cut.all_heads = has_head_axis(cut.stage);
    cut.heads.resize(static_cast<std::size_t>(heads));
    for (Index h = 0; h < heads; ++h) cut.heads[static_cast<std::size_t>(h)] = h;
  } else if (line.has("--head")) {
    cut.heads = {parse_whole("--head", line["--head"], 0, heads - 1)};
  }
  return cut;
}

/// Masked and dropped cells, on the stages from the mask on.
CellMasks masks_of(const Cut& cut, Index head) {
  CellMasks masks;
  const bool after_mask =
      cut.stage == Stage::masked_scores || cut.stage == Stage::weights || cut.stage == Stage::dropped_weights;
  if (after_mask && cut.trace.has(Stage::mask)) masks.allowed = cut.trace[Stage::mask].matrix(cut.batch, head);
  if (cut.stage == Stage::dropped_weights) masks.kept = cut.trace.dropout_keep.matrix(cut.batch, head);
  masks.show_leaks = cut.stage != Stage::masked_scores;
  return masks;
}

std::string label(Axis axis) {
  if (axis == Axis::query) return "query";
  if (axis == Axis::key) return "key";
  return std::string(symbol(axis));
}

std::vector<std::string> ticks(const Cut& cut, Axis axis) {
  const Inputs& inputs = cut.trace.inputs;
  const auto& tokens = axis == Axis::query ? inputs.query_tokens : inputs.key_tokens;
  if ((axis != Axis::query && axis != Axis::key) || tokens.empty()) return {};
  return tokens[static_cast<std::size_t>(cut.batch)];
}

/// "[n_q 5 × d_head 16]"
std::string shape_text(const Cut& cut) {
  const StageInfo& about = info(cut.stage);
  const MatrixView matrix = cut.tensor().matrix(cut.batch, 0);
  const auto part = [](Axis axis, Index size) {
    const std::string letters(symbol(axis));
    return letters + (letters.empty() ? "" : " ") + std::to_string(size);
  };
  if (about.rows == Axis::none) return "[" + part(about.cols, matrix.cols) + "]";
  return "[" + part(about.rows, matrix.rows) + " × " + part(about.cols, matrix.cols) + "]";
}

/// Over every batch entry and head of the stage.
ValueRange whole_range(const Cut& cut, ColormapKind kind) {
  Extent extent;
  const Index batches = is_parameter(cut.stage) ? 1 : cut.trace.dims().batch;
  const Index heads = has_head_axis(cut.stage) ? cut.tensor().size(1) : 1;
  for (Index b = 0; b < batches; ++b) {
    for (Index h = 0; h < heads; ++h) {
      Cut one = cut;
      one.batch = b;
      extent.add(cut.tensor().matrix(b, h), masks_of(one, h));
    }
  }
  return extent.range(kind);
}

void set_range(const CommandLine& line, const Cut& cut, FigureSpec& spec) {
  const RangeSetting setting = line.has("--range") ? parse_range(line["--range"]) : RangeSetting{};
  spec.range_mode = setting.mode;
  if (setting.mode == RangeMode::fixed) spec.range = setting.fixed;
  if (setting.mode != RangeMode::stage || spec.palette == Palette::boolean) return;
  const std::string map = spec.colormap.empty() ? std::string(default_colormap(spec.palette)) : spec.colormap;
  spec.range = whole_range(cut, colormap(map, spec.theme).kind());
}

FigureSpec figure_of(const CommandLine& line, const Cut& cut) {
  const StageInfo& about = info(cut.stage);
  FigureSpec spec;
  spec.title = about.name;
  spec.shape = shape_text(cut);
  spec.subtitle = about.formula;
  if (!cut.all_heads && has_head_axis(cut.stage)) spec.title += " · head " + std::to_string(cut.heads.front());
  spec.row_label = label(about.rows);
  spec.col_label = label(about.cols);
  spec.row_ticks = ticks(cut, about.rows);
  spec.col_ticks = ticks(cut, about.cols);
  spec.palette = about.palette;
  spec.colormap = line["--colormap"];
  if (line.has("--theme")) spec.theme = parse_theme(line["--theme"]);
  spec.values = line.has("--values");
  spec.bare = line.has("--bare");
  if (line.has("--cell")) spec.cell = parse_number("--cell", line["--cell"]);
  if (line.has("--size")) {
    const PixelSize size = parse_size("--size", line["--size"]);
    spec.size = FigureSize{static_cast<float>(size.width), static_cast<float>(size.height)};
  }
  for (const Index h : cut.heads) {
    FigurePanel panel{cut.tensor().matrix(cut.batch, h), masks_of(cut, h), "", {}};
    if (cut.all_heads) panel.title = "head " + std::to_string(h);
    const auto& hues = colours(spec.theme).heads;
    if (has_head_axis(cut.stage) && !spec.bare) panel.hue = hues[static_cast<std::size_t>(h) % hues.size()];
    spec.panels.push_back(std::move(panel));
  }
  set_range(line, cut, spec);
  return spec;
}

/// [rows, cols], or [H, rows, cols] for all heads.
Tensor numbers_of(const Cut& cut) {
  const Tensor& whole = cut.tensor();
  if (is_parameter(cut.stage)) return whole;
  Tensor entry = whole.slice(0, cut.batch, 1);
  if (has_head_axis(cut.stage) && !cut.all_heads) entry = entry.slice(1, cut.heads.front(), 1);
  Shape shape(entry.shape().begin() + 1, entry.shape().end());
  if (shape.size() == 3 && !cut.all_heads) shape.erase(shape.begin());
  return entry.view(shape);
}

void write(const CommandLine& line, const Cut& cut, const std::string& out) {
  const std::string extension = extension_of(out);
  const std::filesystem::path path = path_from(out);
  if (extension == ".npy") {
    write_npy(path, numbers_of(cut), info(cut.stage).palette == Palette::boolean);
  } else if (extension == ".csv") {
    if (cut.all_heads && cut.heads.size() > 1) {
      throw SettingError("--head", "all cannot be written as .csv, which holds one matrix",
                         "expected one head, or .npy");
    }
    write_csv(path, cut.tensor().matrix(cut.batch, cut.heads.front()));
  } else if (extension == ".svg") {
    const std::string svg = render_svg(figure_of(line, cut));
    write_whole_file(path, std::as_bytes(std::span(svg)));
  } else {
    const std::vector<std::uint8_t> png = render_png(figure_of(line, cut));
    write_whole_file(path, std::as_bytes(std::span(png)));
  }
}

}  // namespace

int render_command(const CommandLine& line) {
  const std::string out = line["-o"];
  if (out.empty()) throw UsageError("render needs -o OUT.png (or .svg, .csv, .npy)");
  if (!line.has("--stage")) throw UsageError("render needs --stage STAGE");
  const std::string extension = extension_of(out);
  if (extension != ".png" && extension != ".svg" && extension != ".csv" && extension != ".npy") {
    throw FileError(out, "render cannot write this kind of file",
                    "expected a name that ends in .png, .svg, .csv or .npy");
  }
  Run run;
  run.threads = line.threads();
  const auto trace = compute(scenario_of(line), nullptr, run);
  write(line, cut_of(line, *trace), out);
  return 0;
}

}  // namespace headlight
