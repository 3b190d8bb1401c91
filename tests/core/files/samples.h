// Files built byte by byte, valid or with a chosen error, for the tests of core/files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor/error.h"

namespace headlight::samples {

/// A folder that is deleted with its owner.
class TempFolder {
 public:
  TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::filesystem::path fixture(const std::string& name);
std::string read_bytes(const std::filesystem::path& path);
/// A path from the root as this system writes it: "/a/b", on Windows "C:\\a\\b".
std::string rooted(const std::string& path);
void write_text(const std::filesystem::path& path, std::string_view bytes);

/// The error's message; "no error" if there is none.
template <typename Attempt>
std::string sentence_of(Attempt attempt) {
  try {
    attempt();
  } catch (const InputError& error) { return error.what(); }
  return "no error";
}
inline bool has(const std::string& sentence, std::string_view part) { return sentence.find(part) != std::string::npos; }

/// The integer as `count` bytes, lowest first.
std::string little_endian(std::uint64_t value, std::size_t count);
/// `count` float32 numbers, all 1.
std::string ones(std::size_t count);

/// The header of an entry; unset fields get their correct values.
struct ZipItem {
  std::string name;
  std::string bytes;  ///< as stored in the archive
  unsigned method = 0;
  std::int64_t size = -1;
  std::int64_t packed_size = -1;
  std::int64_t checksum = -1;
  std::int64_t offset = -1;
};
std::string zip(const std::vector<ZipItem>& items);
/// At most 65535 bytes in one uncompressed deflate block.
std::string deflated(const std::string& bytes);
/// `count` zeros, compressed with the fixed Huffman code to 1/150 of their size.
std::string deflated_zeros(std::size_t count);
std::uint32_t crc32(std::string_view bytes);

/// A .npy with this dictionary as its header, valid or not.
std::string npy(const std::string& dictionary, const std::string& data, char version = 1);
std::string npz(const std::string& dictionary, const std::string& data);
std::string safetensors(const std::string& header, const std::string& data);

/// A .pt with this pickle (PROTO and STOP are added) and one storage "0" of float32.
std::string torch_zip(const std::string& pickle, std::size_t storage_count = 4);
std::string pickled_string(std::string_view text);
std::string pickled_integer(std::int64_t value);
std::string pickled_tuple(const std::vector<std::int64_t>& values);
struct PickledTensor {
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape{4};
  std::vector<std::int64_t> strides{1};
  std::string key = "0";
  std::int64_t count = 4;
  std::string storage = "FloatStorage";
};
std::string pickled(const PickledTensor& tensor);
/// {"x": value}
std::string pickled_dict(const std::string& value);

}  // namespace headlight::samples
