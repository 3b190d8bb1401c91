// Files made byte by byte, right or wrong in a chosen place, for the tests of core/files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/error.h"

namespace headlight::samples {

/// A folder that is gone with its owner.
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
void write_text(const std::filesystem::path& path, std::string_view bytes);

/// What the error says; "no error" if there is none.
template <typename Attempt>
std::string sentence_of(Attempt attempt) {
  try {
    attempt();
  } catch (const InputError& error) { return error.what(); }
  return "no error";
}
inline bool has(const std::string& sentence, std::string_view part) { return sentence.find(part) != std::string::npos; }

/// `count` bytes of an integer, lowest first.
std::string little_endian(std::uint64_t value, std::size_t count);
/// So many float32, all of them 1.
std::string ones(std::size_t count);

/// What an entry's headers say; the fields that are nothing say what is right.
struct ZipItem {
  std::string name;
  std::string bytes;  ///< as they lie in the archive
  unsigned method = 0;
  std::int64_t size = -1;
  std::int64_t packed_size = -1;
  std::int64_t checksum = -1;
  std::int64_t offset = -1;
};
std::string zip(const std::vector<ZipItem>& items);
/// At most 65535 bytes in one block that deflate leaves as they are.
std::string deflated(const std::string& bytes);
/// `count` zeros, deflated by the fixed code to a hundred and fiftieth.
std::string deflated_zeros(std::size_t count);
std::uint32_t crc32(std::string_view bytes);

/// A .npy whose header is this dictionary, right or not.
std::string npy(const std::string& dictionary, const std::string& data, char version = 1);
std::string npz(const std::string& dictionary, const std::string& data);
std::string safetensors(const std::string& header, const std::string& data);

/// A .pt of this pickle (PROTO and STOP are added) and one storage "0" of float32.
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
