// Writing tensors for NumPy: .npz, .npy; .csv and .json for everything else. Files appear whole or not at all.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "core/tensor/tensor.h"

namespace headlight {

struct NamedArray {
  std::string name;
  Tensor values;
  bool boolean = false;  ///< store as bool (true where not 0) instead of float32
};

// All throw FileError "PATH: cannot be written: …".

/// As numpy.savez does, unpacked; the same arrays give the same bytes.
void write_npz(const std::filesystem::path& path, std::span<const NamedArray> arrays);
void write_npy(const std::filesystem::path& path, const Tensor& values, bool boolean = false);
/// A line for each row; each number in the fewest digits that give the same float32 back; nan, inf and -inf as
/// numpy.loadtxt reads them: numpy.loadtxt(path, delimiter=",", dtype="float32").
void write_csv(const std::filesystem::path& path, const MatrixView& matrix);
/// What write_csv writes.
std::string csv_text(const MatrixView& matrix);
/// {"weights": {"dtype": "float32", "shape": [2, 3], "values": [[…], […]]}, …}: values as nested lists, booleans as
/// such; NaN and the infinities, which JSON has no numbers for, as "nan", "inf", "-inf", which numpy.array(values,
/// dtype=float) reads.
void write_json(const std::filesystem::path& path, std::span<const NamedArray> arrays);

}  // namespace headlight
