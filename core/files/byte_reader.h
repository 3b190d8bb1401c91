// Reads bytes in order: from a part of a file, or from an entry of a ZIP archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/files/error_place.h"

struct zip;

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

struct ZipEntry {
  std::string name;
  std::uint64_t size = 0;
  std::uint64_t packed_size = 0;
  bool stored = false;  ///< as it is, not packed
};

/// What to check when an entry is read.
enum class ZipCheck : bool {
  none,   ///< a part of it is read; PyTorch can be told to write no checksums
  whole,  ///< ByteReader::finish checks that the entry ends there and has the right checksum
};

/// Closes an archive of libzip without writing what was changed.
struct DiscardZip {
  void operator()(zip* archive) const;
};

/// Read one entry at a time. Only byte_reader.cpp uses libzip.
class ZipArchive {
 public:
  /// Throws FileError where there is no whole ZIP directory in it, or where a stored entry cannot lie in the file.
  ZipArchive(const std::filesystem::path& path, const ErrorPlace& place);

  /// In the order of the directory; folders are left out.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  /// Refuses an entry that would unpack to far more than it looks (a "zip bomb"). Locks the archive until it is
  /// destroyed, so one thread must not hold two at once.
  std::unique_ptr<ByteReader> reader(std::size_t entry, ZipCheck check, ErrorPlace place) const;

 private:
  void list(std::uint64_t file_size, const ErrorPlace& place);

  std::unique_ptr<zip, DiscardZip> archive_;
  std::vector<ZipEntry> entries_;
  std::vector<std::uint64_t> positions_;  ///< of entries_ in the archive's directory
  mutable std::mutex mutex_;
};

/// Packs the files of `folder` and of the folders in it, by name, under `inside`/ in the archive; the same files give
/// the same bytes. The archive appears whole or not at all. Throws FileError.
void write_zip(const std::filesystem::path& target, const std::filesystem::path& folder, const std::string& inside);

}  // namespace headlight
