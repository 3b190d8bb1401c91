// The door to libzip: ZIP archives, read one entry at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/files/byte_reader.h"

struct zip;

namespace headlight {

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

}  // namespace headlight

namespace headlight {

/// Packs the files of `folder` and of the folders in it, by name, under `inside`/ in the archive; the same files give
/// the same bytes. The archive appears whole or not at all. Throws FileError.
void write_zip(const std::filesystem::path& target, const std::filesystem::path& folder, const std::string& inside);

}  // namespace headlight
