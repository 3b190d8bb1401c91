#include "core/export/matrix_export.h"

#include <cassert>

#include "core/files/whole_file.h"

namespace headlight {
namespace {

const char* extension(MatrixFormat format) {
  switch (format) {
    case MatrixFormat::png: return ".png";
    case MatrixFormat::svg: return ".svg";
    case MatrixFormat::csv: return ".csv";
    case MatrixFormat::npy: return ".npy";
  }
  return "";
}

/// "weights_b0_h2": the stage, with batch entry and head where it has them.
std::string matrix_name(const StageCut& cut) {
  std::string text(name(cut.stage));
  if (cut.tensor().rank() >= 3) text += "_b" + std::to_string(cut.batch);
  if (has_head_axis(cut.stage)) text += "_h" + std::to_string(cut.heads.front());
  return text;
}

}  // namespace

std::filesystem::path export_matrix(const StageCut& cut, MatrixFormat format, const StageFigureStyle& style,
                                    const std::filesystem::path& folder) {
  assert(cut.heads.size() == 1 && !cut.grid);
  const std::filesystem::path path = free_path(folder, matrix_name(cut), extension(format));
  switch (format) {
    case MatrixFormat::png: {
      const std::vector<std::uint8_t> png = render_png(stage_figure(cut, style));
      write_whole_file(path, std::as_bytes(std::span(png)));
      break;
    }
    case MatrixFormat::svg: {
      const std::string svg = render_svg(stage_figure(cut, style));
      write_whole_file(path, std::as_bytes(std::span(svg)));
      break;
    }
    case MatrixFormat::csv: write_csv(path, cut.matrix(cut.heads.front())); break;
    case MatrixFormat::npy: {
      const NamedArray array = stage_array(cut);
      write_npy(path, array.values, array.boolean);
      break;
    }
  }
  return path;
}

}  // namespace headlight
