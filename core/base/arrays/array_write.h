// Tensors as files for NumPy and others; `array_formats` lists the formats. Files are written atomically.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor/tensor.h"

namespace headlight {

struct NamedArray {
  std::string name;
  Tensor values;
  bool boolean = false;  ///< store as bool (true where not 0) instead of float32
  std::string axes{};    ///< what the axes are, "H,q,k", as --axes says it; empty: what the name says
};

// All throw FileError "PATH: cannot be written: …".

/// Like numpy.savez, uncompressed; equal arrays give equal bytes. The first array's `axes` become a text of this name,
/// so that saved attention is read again without a question.
void write_npz(const std::filesystem::path& path, std::span<const NamedArray> arrays);
void write_npy(const std::filesystem::path& path, const Tensor& values, bool boolean = false);
/// https://huggingface.co/docs/safetensors, format 1.0; float32, in the given order.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedArray> arrays);
/// One line per row. Each number has the fewest digits that give the same float32; nan, inf and -inf as numpy.loadtxt
/// reads them: numpy.loadtxt(path, delimiter=",", dtype="float32").
void write_csv(const std::filesystem::path& path, const MatrixView& matrix);
/// The text that write_csv writes.
std::string csv_text(const MatrixView& matrix);
/// {"weights": {"dtype": "float32", "shape": [2, 3], "values": [[…], […]]}, …}: values as nested lists, booleans as
/// booleans, and "axes" if they are known. NaN and infinities, which JSON does not have, are "nan", "inf", "-inf",
/// which numpy.array(values, dtype=float) reads.
void write_json(const std::filesystem::path& path, std::span<const NamedArray> arrays);

/// How much a file can hold, in ascending order.
enum class Capacity : std::uint8_t { one_matrix, one_array, arrays };

struct ArrayFormat {
  using Path = std::filesystem::path;
  using Arrays = std::span<const NamedArray>;

  const char* ending;  ///< file name extension
  Capacity capacity;
  void (*write)(const Path& path, Arrays arrays);  ///< `arrays`: at most what the file can hold
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

/// Null if there is no format with this extension.
const ArrayFormat* array_format(std::string_view ending);
/// The extensions of the formats that can hold this much.
std::vector<const char*> number_endings(Capacity needed = Capacity::one_matrix);

}  // namespace headlight
