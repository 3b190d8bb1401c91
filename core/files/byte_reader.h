// Reads bytes in order: from a part of a file, or from an entry of a ZIP archive. Writes ZIP archives.
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
struct zip_source;

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

/// Bytes in memory. Throws FileError about `place` where more are asked for than there are.
std::unique_ptr<ByteReader> memory_reader(std::shared_ptr<const std::string> bytes, ErrorPlace place);

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

/// The bytes of an entry, made in parts while they are written.
class EntryBytes {
 public:
  virtual ~EntryBytes() = default;
  virtual std::uint64_t size() const = 0;
  virtual void rewind() = 0;
  /// Fills `out` with the next bytes; returns how many there were.
  virtual std::size_t read(std::span<std::byte> out) = 0;
};

/// Writes a new archive at `path`; the same entries give the same bytes. Throws FileError "TARGET: cannot be written".
class ZipWriter {
 public:
  /// `target` outlives the writer.
  ZipWriter(const std::filesystem::path& path, const std::filesystem::path& target);
  /// Stored as they are.
  void add(const std::string& name, std::unique_ptr<EntryBytes> bytes);
  /// Packed.
  void add(const std::string& name, const std::filesystem::path& file);
  /// Reads the entries and writes them all.
  void close();

 private:
  [[noreturn]] void fail() const;
  std::uint64_t add(const std::string& name, zip_source* source);

  const std::filesystem::path& target_;
  std::vector<std::unique_ptr<EntryBytes>> bytes_;  ///< outlive the archive, which reads them when it is closed
  std::unique_ptr<zip, DiscardZip> archive_;
};

/// Packs the files of `folder` and of the folders in it, by name, under `inside`/ in the archive; the same files give
/// the same bytes. The archive appears whole or not at all. Throws FileError.
void write_zip(const std::filesystem::path& target, const std::filesystem::path& folder, const std::string& inside);

}  // namespace headlight
