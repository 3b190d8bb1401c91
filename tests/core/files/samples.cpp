#include "tests/core/files/samples.h"

#include <fstream>
#include <iterator>
#include <random>

#include "core/base/text/utf8_path.h"
#include "tests/places.h"

namespace headlight::samples {

TempFolder::TempFolder() {
  path_ = std::filesystem::temp_directory_path() / ("headlight-test-" + std::to_string(std::random_device{}()));
  std::filesystem::create_directory(path_);
}

TempFolder::~TempFolder() {
  std::error_code ignored;
#ifdef _WIN32
  // Where a file that the program has open keeps its name until it is closed, as under Wine, remove_all() waits for
  // that.
  std::vector<std::filesystem::path> found{path_};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path_, ignored)) found.push_back(entry.path());
  for (; !found.empty(); found.pop_back()) std::filesystem::remove(found.back(), ignored);
#else
  std::filesystem::remove_all(path_, ignored);
#endif
}

std::filesystem::path fixture(const std::string& name) { return std::filesystem::path(places::fixtures()) / name; }

std::string rooted(const std::string& path) {
  return utf8_from(std::filesystem::absolute(path_from(path)).lexically_normal());
}

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_text(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string little_endian(std::uint64_t value, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

std::string ones(std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += little_endian(0x3f800000, 4);
  return bytes;
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

std::string zip(const std::vector<ZipItem>& items) {
  std::string file, directory;
  for (const ZipItem& item : items) {
    const auto or_else = [](std::int64_t chosen, std::uint64_t right) {
      return chosen < 0 ? right : static_cast<std::uint64_t>(chosen);
    };
    const std::string facts = little_endian(0, 2) + little_endian(item.method, 2) + little_endian(0x00210000, 4) +
                              little_endian(or_else(item.checksum, crc32(item.bytes)), 4) +
                              little_endian(or_else(item.packed_size, item.bytes.size()), 4) +
                              little_endian(or_else(item.size, item.bytes.size()), 4) +
                              little_endian(item.name.size(), 2) + little_endian(0, 2);
    directory += "PK\x01\x02" + little_endian(20, 2) + little_endian(20, 2) + facts + std::string(10, '\0') +
                 little_endian(or_else(item.offset, file.size()), 4) + item.name;
    file += "PK\x03\x04" + little_endian(20, 2) + facts + item.name + item.bytes;
  }
  return file + directory + "PK\x05\x06" + std::string(4, '\0') + little_endian(items.size(), 2) +
         little_endian(items.size(), 2) + little_endian(directory.size(), 4) + little_endian(file.size(), 4) +
         std::string(2, '\0');
}

std::string deflated(const std::string& bytes) {
  return "\x01" + little_endian(bytes.size(), 2) + little_endian(~bytes.size(), 2) + bytes;
}

std::string deflated_zeros(std::size_t count) {
  std::string bytes;
  unsigned buffer = 0, filled = 0;
  const auto put = [&](unsigned code, unsigned bits) {  // Huffman codes go highest bit first (RFC 1951, 3.1.1)
    for (unsigned i = bits; i-- > 0;) {
      buffer |= (code >> i & 1) << filled;
      if (++filled == 8) {
        bytes += static_cast<char>(buffer);
        buffer = filled = 0;
      }
    }
  };
  put(0b110, 3);  // the last block, of the fixed code (01, lowest bit first)
  put(0x30, 8);   // the byte 0
  std::size_t made = 1;
  for (; made + 258 <= count; made += 258) put(0b11000101, 8), put(0, 5);  // repeats the last byte 258 times
  for (; made < count; ++made) put(0x30, 8);
  put(0, 7);  // end of block
  put(0, 7);
  return bytes;
}

std::string npy(const std::string& dictionary, const std::string& data, char version) {
  const std::string text = dictionary + "\n";
  return "\x93NUMPY" + std::string{version, '\0'} + little_endian(text.size(), version == 1 ? 2 : 4) + text + data;
}

std::string npz(const std::string& dictionary, const std::string& data) {
  return zip({{"x.npy", npy(dictionary, data)}});
}

std::string safetensors(const std::string& header, const std::string& data) {
  return little_endian(header.size(), 8) + header + data;
}

std::string torch_zip(const std::string& pickle, std::size_t storage_count) {
  return zip({{"a/data.pkl", "\x80\x02" + pickle + "."}, {"a/data/0", ones(storage_count)}, {"a/version", "3\n"}});
}

std::string pickled_string(std::string_view text) { return "X" + little_endian(text.size(), 4) + std::string(text); }

std::string pickled_integer(std::int64_t value) {
  return std::string("\x8a\x08") + little_endian(static_cast<std::uint64_t>(value), 8);
}

std::string pickled_tuple(const std::vector<std::int64_t>& values) {
  std::string bytes = "(";
  for (const std::int64_t value : values) bytes += pickled_integer(value);
  return bytes + "t";
}

std::string pickled(const PickledTensor& tensor) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + pickled_string("storage") + "ctorch\n" + tensor.storage + "\n" +
         pickled_string(tensor.key) + pickled_string("cpu") + pickled_integer(tensor.count) + "tQ" +
         pickled_integer(tensor.offset) + pickled_tuple(tensor.shape) + pickled_tuple(tensor.strides) +
         "\x89"
         "ccollections\nOrderedDict\n)RtR";
}

std::string pickled_dict(const std::string& value) { return "}" + pickled_string("x") + value + "s"; }

}  // namespace headlight::samples
