// Tensors as files for NumPy and others; `array_formats` lists the formats. Files appear whole or not at all.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// How much a file can hold, the least first.
enum class Capacity : std::uint8_t { one_matrix, one_array, arrays };

struct ArrayFormat {
  using Path = std::filesystem::path;
  using Arrays = std::span<const NamedArray>;

  const char* ending;  ///< of the file's name
  Capacity capacity;
  void (*write)(const Path& path, Arrays arrays);  ///< `arrays`: no more than the file can hold
};

/// In the order of the export dialog.
inline constexpr std::array array_formats{
    ArrayFormat{".csv", Capacity::one_matrix,
                [](const ArrayFormat::Path& path, ArrayFormat::Arrays a) { write_csv(path, a[0].values.matrix()); }},
    ArrayFormat{
        ".npy", Capacity::one_array,
        [](const ArrayFormat::Path& path, ArrayFormat::Arrays a) { write_npy(path, a[0].values, a[0].boolean); }},
    ArrayFormat{".npz", Capacity::arrays, write_npz},
    ArrayFormat{".json", Capacity::arrays, write_json},
};

/// Null if there is no format with this ending.
const ArrayFormat* array_format(std::string_view ending);
/// The endings of the formats that can hold so much.
std::vector<const char*> number_endings(Capacity needed = Capacity::one_matrix);

}  // namespace headlight
