#include "core/figures/export/matrix_export.h"

#include <array>
#include <cassert>

#include "core/base/arrays/array_write.h"
#include "core/base/files/whole_file.h"
#include "core/base/image/png_image.h"
#include "core/rules/mask/code.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {
namespace {

const char* extension(MatrixFormat format) {
  constexpr const char* names[] = {".png", ".svg", ".csv", ".npy"};
  return names[static_cast<std::size_t>(format)];
}

/// "weights_b0_h2": the stage, with batch entry and head if it has them.
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
    case MatrixFormat::png: write_whole_file(path, ArrangedFigure(stage_figure(cut, style)).png()); break;
    case MatrixFormat::svg: write_whole_file(path, ArrangedFigure(stage_figure(cut, style)).svg()); break;
    case MatrixFormat::csv: write_csv(path, cut.matrix(cut.heads.front())); break;
    case MatrixFormat::npy: {
      const NamedArray array = stage_array(cut);
      write_npy(path, array.values, array.boolean);
      break;
    }
  }
  return path;
}

namespace {

/// The mask without the first axes on which it does not depend.
Tensor whole_mask(const Trace& trace) {
  const Dims& dims = trace.dims();
  const Tensor& mask = trace[Stage::mask];
  if (!mask.defined()) return Tensor::full({dims.n_q, dims.n_k}, 1);
  const bool by_batch = dims.batch > 1 && mask.strides()[0] != 0, by_head = dims.heads > 1 && mask.strides()[1] != 0;
  if (by_batch) return by_head ? mask : mask.slice(1, 0, 1);
  const Tensor entry = mask.slice(0, 0, 1);
  if (by_head) return entry.view({dims.heads, dims.n_q, dims.n_k});
  return entry.slice(1, 0, 1).view({dims.n_q, dims.n_k});
}

Tensor one_matrix(const Trace& trace, Index batch, Index head) {
  const Dims& dims = trace.dims();
  const Tensor& mask = trace[Stage::mask];
  if (!mask.defined()) return Tensor::full({dims.n_q, dims.n_k}, 1);
  return mask.slice(0, batch, 1).slice(1, head, 1).view({dims.n_q, dims.n_k});
}

void write_picture(const std::filesystem::path& path, const MatrixView& mask) {
  Image image(static_cast<int>(mask.cols), static_cast<int>(mask.rows), {0, 0, 0});
  for (Index q = 0; q < mask.rows; ++q) {
    for (Index k = 0; k < mask.cols; ++k) {
      if (mask(q, k) != 0) image.set(static_cast<int>(k), static_cast<int>(q), {255, 255, 255});
    }
  }
  write_whole_file(path, encode_png(image));
}

CodeTarget target_of(MaskFormat format) {
  if (format == MaskFormat::numpy) return CodeTarget::numpy;
  return format == MaskFormat::pytorch ? CodeTarget::pytorch : CodeTarget::flex_attention;
}

const char* extension(MaskFormat format) {
  constexpr const char* names[] = {".npy", ".npz", ".csv", ".png"};
  assert(!is_code(format));
  return names[static_cast<std::size_t>(format)];
}

}  // namespace

std::string mask_code(const Trace& trace, MaskFormat format) {
  assert(is_code(format));
  const MaskRule rule = mask_rule(trace.scenario, trace.inputs);
  const MaskContext context{.batch = rule.batch,
                            .heads = rule.heads,
                            .n_q = rule.n_q,
                            .n_k = rule.n_k,
                            .valid_lens = rule.valid_lens,
                            .doc_ids = rule.doc_ids,
                            .grid = rule.grid};
  return to_code(rule.expression, target_of(format), context, rule.painted);
}

std::filesystem::path export_mask(const Trace& trace, Index batch, Index head, MaskFormat format,
                                  const std::filesystem::path& folder) {
  const std::filesystem::path path = free_path(folder, "mask", extension(format));
  switch (format) {
    case MaskFormat::npy: write_npy(path, whole_mask(trace), true); break;
    case MaskFormat::npz: write_npz(path, std::array{NamedArray{"mask", whole_mask(trace), true}}); break;
    case MaskFormat::csv: write_csv(path, one_matrix(trace, batch, head).matrix()); break;
    default: write_picture(path, one_matrix(trace, batch, head).matrix()); break;
  }
  return path;
}

}  // namespace headlight
