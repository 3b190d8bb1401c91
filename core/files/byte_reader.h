// Reads bytes in order: from a part of a file, or from an entry of a ZIP archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>

#include "core/files/error_place.h"

namespace headlight {

class ByteReader {
 public:
  virtual ~ByteReader() = default;
  virtual void skip(std::uint64_t count) = 0;
  /// Fills `out`; throws FileError if there are not enough bytes.
  virtual void read(std::span<std::byte> out) = 0;
  /// To be called once everything was read: checks that nothing is left over, and the checksum if there is
  /// one.
  virtual void finish() {}
};

/// A file from one of its bytes on. Large reads are split among all threads.
class FileReader final : public ByteReader {
 public:
  FileReader(const std::filesystem::path& path, std::uint64_t first_byte, ErrorPlace place);
  void skip(std::uint64_t count) override;
  void read(std::span<std::byte> out) override;

 private:
  bool read_in_stretches(std::span<std::byte> out);

  std::filesystem::path path_;
  std::ifstream stream_;
  ErrorPlace place_;
};

}  // namespace headlight
