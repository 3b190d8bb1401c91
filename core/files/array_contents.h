// The result of a format's reader, from which an ArrayFile is made.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/files/array_file.h"
#include "core/files/array_layout.h"
#include "core/files/zip_archive.h"

namespace headlight {

struct ArrayContents {
  std::vector<ArrayEntry> entries;
  std::vector<ArrayLayout> layouts;  ///< of the entries, in their order
  std::vector<SkippedArray> skipped;
  std::map<std::string, double, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> texts;
  std::map<std::string, std::function<ArrayWords()>, std::less<>> words;
  /// Where the bytes of an entry start; `none` where only a part of them is wanted. Called from any thread.
  std::function<std::unique_ptr<ByteReader>(std::size_t entry, ZipCheck check)> open;

  void add(std::string name, ArrayLayout layout) {
    entries.push_back({std::move(name), layout.dtype, layout.shape});
    layouts.push_back(std::move(layout));
  }
};

// One for each format; each throws FileError. The first bytes have been checked already.
ArrayContents open_npy(const std::filesystem::path& path, const ErrorPlace& place);
ArrayContents open_npz(std::shared_ptr<const ZipArchive> archive, const ErrorPlace& place);
/// Arrays of 8-bit floating point are skipped, and their bits are arrays of bytes whose names begin so.
inline constexpr std::string_view fp8_bits = "fp8 bits of ";
ArrayContents open_safetensors(const std::filesystem::path& path, const ErrorPlace& place);
ArrayContents open_torch(std::shared_ptr<const ZipArchive> archive, const std::filesystem::path& path,
                         const ErrorPlace& place);
/// Quantised tensors are float32 to whoever reads them; the text "gguf.formats" says what they are stored as. Keys and
/// values are texts, numbers, words and, for lists of numbers, arrays.
ArrayContents open_gguf(const std::filesystem::path& path, const ErrorPlace& place);
ArrayContents open_torch_legacy(const std::filesystem::path& path, const ErrorPlace& place);
/// Whether torch.save wrote the archive.
bool is_torch_archive(const ZipArchive& archive);
/// The name of a file's only array if the file has no name for it: the file's stem, or "x".
std::string name_of_only_array(const std::filesystem::path& path);

}  // namespace headlight
