// Files of named arrays: .npz and .npy (NumPy), .safetensors, .pt (torch.save's ZIP format), .gguf.
//
//   const auto file = open_arrays("a.npz");
//   if (file->find("x")) use(file->load("x"));
//
// Opening reads the headers only; an array's numbers are read when it is loaded, so that files of many gigabytes open
// at once. The meaning of names is not handled here (core/scenario). Nothing in a file is ever run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/arrays/file_watch.h"
#include "core/base/tensor/message.h"
#include "core/base/tensor/tensor.h"

namespace headlight {

enum class DType : std::uint8_t { f16, bf16, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64, boolean };
constexpr bool is_floating(DType dtype) { return dtype <= DType::f64; }

/// Bytes per element in a file.
std::size_t byte_size(DType dtype);
/// PyTorch's name: "float32", "bfloat16", "bool", …
std::string_view name(DType dtype);

/// Decodes `out.size()` elements. float64 and integers are rounded to the nearest float32; a boolean becomes 0 or 1.
void decode(DType dtype, bool big_endian, std::span<const std::byte> bytes, std::span<float> out);
/// Whether the bytes are float32 in this machine's byte order, so that they need no decoding.
bool is_native_float(DType dtype, bool big_endian);
/// One element without the rounding to float32.
double decode_number(DType dtype, bool big_endian, std::span<const std::byte> bytes);

/// How an array file was written, by the ending of its name. Opening a file depends on its content alone.
enum class ArrayKind : std::uint8_t { one_array, numpy, safetensors, torch };
/// Unset for other endings and for .gguf. Upper case is lower case.
std::optional<ArrayKind> array_kind(std::string_view file_name);

struct ArrayEntry {
  std::string name;  ///< in .pt, the keys of nested dictionaries joined by dots: "model.q_proj.weight"
  DType dtype;
  Shape shape;
  std::string_view computed_by{};  ///< "weight_norm" for a weight that its module computes; empty if it is stored
};

/// A name without the parts that wrappers put into it, anywhere in it and repeated: DataParallel's "module.", FSDP's
/// "_fsdp_wrapped_module.", "_checkpoint_wrapped_module.", torch.compile's "_orig_mod.", Lightning's
/// "_forward_module.".
std::string without_wrappers(std::string_view name);

/// `"x", "y"`: the first eight, followed by "…" if there are more.
std::string first_names(std::span<const ArrayEntry> entries);

/// An array that exists but cannot be read, such as text or complex numbers.
struct SkippedArray {
  std::string name;
  Message reason;  ///< "its elements are text (<U3)"
};

/// An array of strings.
struct ArrayWords {
  Shape shape;  ///< [n] or [B, n]
  std::vector<std::string> words;
};

struct ArrayContents;

/// An open file. All members are const and can be called from any thread.
class ArrayFile {
 public:
  /// Names lack the parts that wrappers put into them, unless two arrays would then share a name: a wrapped model
  /// beside another. Throws FileError if two arrays share a name. `opened`: the file's state when it was opened; if it
  /// has changed by the time an array is read, that is an error. See open_arrays.
  ArrayFile(std::string path, ArrayContents contents, std::optional<FileStamp> opened = {});
  ~ArrayFile();

  /// As the user wrote it.
  const std::string& path() const { return path_; }
  const std::optional<FileStamp>& opened() const { return opened_; }
  /// In the file's order.
  std::span<const ArrayEntry> entries() const;
  std::span<const SkippedArray> skipped() const;
  /// nullptr if there is no such array.
  const ArrayEntry* find(std::string_view name) const;
  /// Throws FileError with the reason if an array of that name exists but cannot be read.
  void refuse_if_skipped(std::string_view name) const;

  /// The numbers as float32: integers and float64 are rounded, booleans become 0 and 1. Throws FileError if there is no
  /// such array, if it was skipped (with the reason), or if its bytes are damaged.
  Tensor load(std::string_view name) const;
  /// The numbers in row-major order, not rounded to float32 (integers from 2^53 on are rounded to float64). Throws like
  /// load().
  std::vector<double> load_unrounded(std::string_view name) const;
  /// Rows of a matrix, in this order, as [rows, cols]; the rest is not read. They must exist. With more axes, a row
  /// is everything at one index of the first.
  Tensor load_rows(std::string_view name, std::span<const Index> rows) const;
  /// The value of an array with one element (unrounded), a number or bool in a .pt, or a numeric string in safetensors'
  /// `__metadata__`; unset if there is none of that name. Throws FileError like load().
  std::optional<double> number(std::string_view name) const;

  /// The strings under that name: an array of text (.npz), a list (.pt), or a JSON list in safetensors' `__metadata__`;
  /// unset if there are none. Throws FileError if they are damaged.
  std::optional<ArrayWords> words(std::string_view name) const;

  /// Numbers and bools that are not arrays (.pt).
  const std::map<std::string, double, std::less<>>& numbers() const;
  /// Strings: safetensors' `__metadata__`, strings in a .pt.
  const std::map<std::string, std::string, std::less<>>& texts() const;

 private:
  std::optional<std::size_t> position(std::string_view name) const;
  /// The same, but throws FileError if there is none.
  std::size_t existing(std::string_view name) const;
  void check_unchanged() const;
  void check_memory_for(std::string_view name, std::size_t entry) const;

  std::string path_;
  std::optional<FileStamp> opened_;
  std::unique_ptr<const ArrayContents> contents_;
  std::map<std::string, std::size_t, std::less<>> positions_;
};

/// Recognises the format by content, not by the file's name. Throws FileError (subject: `path`) if the file is missing,
/// damaged, or of another format.
std::shared_ptr<const ArrayFile> open_arrays(const std::filesystem::path& path);

/// A file that contains only a mask; also a black-and-white picture or a table of numbers.
/// PNG: an array "mask" of bool, one cell per pixel, true if it is closer to white than to black (transparent counts as
/// white). Other text: "mask" of float32, one row per line; cells are 0, 1, true, false or any number, separated by
/// commas, semicolons, tabs or spaces. Everything else as in open_arrays(). Throws FileError.
std::shared_ptr<const ArrayFile> open_mask_arrays(const std::filesystem::path& path);

/// Whether a file with that name can only be a mask: .png, .csv, .tsv, .txt.
bool is_mask_name(const std::filesystem::path& path);

}  // namespace headlight
