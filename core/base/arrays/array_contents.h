// Shared parts of the format readers: their result, from which an ArrayFile is made, and the layout of elements in a
// file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/arrays/array_file.h"
#include "core/base/files/byte_reader.h"
#include "core/base/tensor/message.h"
#include "core/base/tensor/tensor.h"

namespace headlight {

/// The name of an element type in each format; empty if the format does not have it.
struct DTypeNames {
  std::string_view pytorch;
  std::string_view numpy;  ///< without the mark for the byte order
  std::string_view safetensors;
  std::string_view storage;  ///< for its tensors in a .pt
};
/// The type with this name in the format; unset for types that cannot be read.
std::optional<DType> dtype_called(std::string_view name, std::string_view DTypeNames::*format);

struct ArrayLayout {
  DType dtype = DType::f32;
  Shape shape;
  std::vector<Index> strides;  ///< in elements, not negative
  std::uint64_t offset = 0;    ///< of the first element, in bytes from the start of the array's reader
  bool big_endian = false;
};

/// The number of elements; nothing if a size is negative, if the axes are more than 64, or if the bytes of that many
/// elements would not fit 63 bits. Unlike element_count, safe on any numbers from a file.
std::optional<Index> checked_count(const Shape& shape);
/// Row-major and column-major strides of a shape that checked_count accepts.
std::vector<Index> row_major_strides(const Shape& shape);
std::vector<Index> column_major_strides(const Shape& shape);
/// Number of elements from the first to the last one in memory; unset on overflow or a negative stride.
std::optional<Index> checked_extent(const Shape& shape, const std::vector<Index>& strides);

/// The array as float32 in row-major order. The layout must have passed both checks above.
Tensor read_array(const ArrayLayout& layout, ByteReader& reader);
/// Rows of a matrix, or the parts at indices of the first axis, in the given order, as [rows, cols]. `reader` is read
/// once, up to the last of them.
Tensor read_rows(const ArrayLayout& layout, std::span<const Index> rows, ByteReader& reader);
/// The numbers of an array in row-major order, unrounded.
std::vector<double> read_unrounded(const ArrayLayout& layout, ByteReader& reader);
/// The only number of an array of one element, unrounded.
double read_number(const ArrayLayout& layout, ByteReader& reader);

struct ArrayContents {
  std::vector<ArrayEntry> entries;
  std::vector<ArrayLayout> layouts;  ///< of the entries, in their order
  std::vector<SkippedArray> skipped;
  std::map<std::string, double, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> texts;
  std::map<std::string, std::function<ArrayWords()>, std::less<>> words;
  /// Opens the bytes of an entry; `none` if only a part of them is wanted. Called from any thread.
  std::function<std::unique_ptr<ByteReader>(std::size_t entry, ZipCheck check)> open;

  void add(std::string name, ArrayLayout layout) {
    entries.push_back({std::move(name), layout.dtype, layout.shape});
    layouts.push_back(std::move(layout));
  }
};

// One function for each format; each throws FileError. The first bytes have already been checked.
ArrayContents open_npy(const SharedFile& file, const ErrorPlace& place);
ArrayContents open_npz(std::shared_ptr<const ZipArchive> archive, const ErrorPlace& place);
/// Arrays of 8-bit floating point are skipped; their bits become arrays of bytes whose names begin with this.
inline constexpr std::string_view fp8_bits = "fp8 bits of ";
ArrayContents open_safetensors(const SharedFile& file, const ErrorPlace& place);
ArrayContents open_torch(std::shared_ptr<const ZipArchive> archive, const std::filesystem::path& path,
                         const ErrorPlace& place);
/// Quantised tensors are read as float32; the text "gguf.formats" lists their stored formats. Keys and values are
/// texts, numbers, words and, for lists of numbers, arrays.
ArrayContents open_gguf(const SharedFile& file, const ErrorPlace& place);
/// A pickle of arrays of NumPy, or of dictionaries of them.
ArrayContents open_pickle(const SharedFile& file, const ErrorPlace& place);
ArrayContents open_torch_legacy(const SharedFile& file, const ErrorPlace& place);
/// Whether torch.save wrote the archive.
bool is_torch_archive(const ZipArchive& archive);
/// The name of a file's only array if the file has no name for it: the file's stem, or "x".
std::string name_of_only_array(const std::filesystem::path& path);

// NumPy's .npy header, versions 1 to 3: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

struct NpyHeader {
  /// strides and offset filled in; the offset counts from the start of the .npy
  ArrayLayout layout;
  /// Why the elements cannot be used ("its elements are text (<U3)"); empty if they are numbers.
  Message unusable;
  /// For text: bytes per element, and whether its characters have four bytes each (U) or one (S); 0 for other types.
  std::uint64_t text_bytes = 0;
  bool wide = false;
  bool objects = false;  ///< its elements are pickled Python objects
};

/// The words of a .npy of text in row-major order, at most a million and 64 MB. `reader` is at the start of the .npy.
std::vector<std::string> read_words(ByteReader& reader, const NpyHeader& header, const ErrorPlace& place);

/// The header of a row-major `<f4` or `|b1` array, version 1, padded so that the numbers start at a multiple of 64.
std::string npy_header(const Shape& shape, const std::string& type);

// Weights as ggml stores them: a row is divided into blocks of 32 or 256 numbers, each with its own scales.
// https://github.com/ggml-org/ggml; blocks are decoded in float32, as in ggml's reference.

struct BlockFormat {
  std::uint32_t id;                                       ///< ggml's number of the type
  std::string_view name;                                  ///< "Q4_K"
  std::size_t numbers;                                    ///< numbers per block
  std::size_t bytes;                                      ///< bytes per block
  void (*decode)(const std::uint8_t* block, float* out);  ///< null: plain numbers of type `plain`
  DType plain = DType::f32;
};

/// Null for an unknown type.
const BlockFormat* block_format(std::uint32_t id);

/// Decodes blocks to float32 in this machine's byte order.
std::unique_ptr<ByteReader> block_reader(std::unique_ptr<ByteReader> blocks, const BlockFormat& format);

}  // namespace headlight
