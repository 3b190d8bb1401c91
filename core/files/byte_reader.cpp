#include "core/files/byte_reader.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace headlight {

FileReader::FileReader(const std::filesystem::path& path, std::uint64_t first_byte, Blame blame)
    : stream_(path, std::ios::binary), blame_(std::move(blame)) {
  if (!stream_) blame_.fail(std::string("cannot be opened: ") + std::strerror(errno));
  skip(first_byte);
}

void FileReader::skip(std::uint64_t count) {
  stream_.seekg(static_cast<std::streamoff>(count), std::ios::cur);
  if (!stream_) blame_.fail("ends early");
}

void FileReader::read(std::span<std::byte> out) {
  stream_.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  const auto got = static_cast<std::uint64_t>(stream_.gcount());
  if (got != out.size()) {
    blame_.fail("ends early: " + byte_count(out.size() - got) + " of " + byte_count(out.size()) + " are missing");
  }
}

}  // namespace headlight
