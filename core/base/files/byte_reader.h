// Reads bytes in order: from a part of a file, or from an entry of a ZIP archive. Writes ZIP archives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/base/files/descriptor.h"
#include "core/base/files/error_place.h"

struct zip;
struct zip_source;

namespace headlight {

class ByteReader {
 public:
  virtual ~ByteReader() = default;
  virtual void skip(std::uint64_t count) = 0;
  /// Fills `out`; throws FileError if there are not enough bytes.
  virtual void read(std::span<std::byte> out) = 0;
  /// Call after everything was read: checks that nothing is left, and the checksum if there is one.
  virtual void finish() {}
};

/// A file that is opened once for everything that is read from it. It can be replaced and removed meanwhile.
/// Thread-safe: each read says from where.
class OpenFile {
 public:
  /// Throws FileError about `place` if it cannot be opened.
  OpenFile(std::filesystem::path path, const ErrorPlace& place);

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// The bytes from `at` on; returns how many there were.
  std::size_t read(std::uint64_t at, std::span<std::byte> out) const;

 private:
  std::filesystem::path path_;
  std::uint64_t size_ = 0;
  Descriptor file_;
};
using SharedFile = std::shared_ptr<const OpenFile>;

/// A file from a given byte on. Large reads are split among all threads.
class FileReader final : public ByteReader {
 public:
  FileReader(SharedFile file, std::uint64_t first_byte, ErrorPlace place);
  void skip(std::uint64_t count) override;
  void read(std::span<std::byte> out) override;

 private:
  std::size_t read_in_stretches(std::span<std::byte> out) const;

  SharedFile file_;
  std::uint64_t at_;
  ErrorPlace place_;
};

/// Bytes in memory. Throws FileError about `place` if more are requested than there are.
std::unique_ptr<ByteReader> memory_reader(std::shared_ptr<const std::string> bytes, ErrorPlace place);

struct ZipEntry {
  std::string name;
  std::uint64_t size = 0;
  std::uint64_t packed_size = 0;
  bool stored = false;  ///< uncompressed
};

/// What to check when an entry is read.
enum class ZipCheck : bool {
  none,   ///< only a part of it is read; PyTorch can be told to write no checksums
  whole,  ///< ByteReader::finish checks that the entry ends there and that its checksum is right
};

/// Closes an archive of libzip without writing changes.
struct DiscardZip {
  void operator()(zip* archive) const;
};

/// One entry can be read at a time. Only byte_reader.cpp uses libzip.
class ZipArchive {
 public:
  /// Throws FileError if the ZIP directory is incomplete, or if a stored entry cannot be inside the file.
  ZipArchive(SharedFile file, const ErrorPlace& place);

  /// In the order of the directory, without folders.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  /// Refuses an entry that would unpack to a suspiciously large size (a "zip bomb"). Locks the archive until the reader
  /// is destroyed, so a thread must not hold two readers at once.
  std::unique_ptr<ByteReader> reader(std::size_t entry, ZipCheck check, ErrorPlace place) const;

 private:
  void list(std::uint64_t file_size, const ErrorPlace& place);

  std::unique_ptr<zip, DiscardZip> archive_;
  std::vector<ZipEntry> entries_;
  std::vector<std::uint64_t> positions_;  ///< of entries_ in the archive's directory
  mutable std::mutex mutex_;
};

/// The bytes of an entry, generated in parts while they are written.
class EntryBytes {
 public:
  virtual ~EntryBytes() = default;
  virtual std::uint64_t size() const = 0;
  virtual void rewind() = 0;
  /// Fills `out` with the next bytes; returns their number.
  virtual std::size_t read(std::span<std::byte> out) = 0;
};

/// Writes a new archive at `path`; equal entries give equal bytes. Throws FileError "TARGET: cannot be written".
class ZipWriter {
 public:
  /// `target` must outlive the writer.
  ZipWriter(const std::filesystem::path& path, const std::filesystem::path& target);
  /// Uncompressed.
  void add(const std::string& name, std::unique_ptr<EntryBytes> bytes);
  /// Compressed.
  void add(const std::string& name, const std::filesystem::path& file);
  /// Reads and writes all entries.
  void close();

 private:
  [[noreturn]] void fail() const;
  std::uint64_t add(const std::string& name, zip_source* source);

  const std::filesystem::path& target_;
  std::vector<std::unique_ptr<EntryBytes>> bytes_;  ///< must outlive the archive, which reads them when it is closed
  std::unique_ptr<zip, DiscardZip> archive_;
};

/// Compresses the files of `folder` and its subfolders, sorted by name, under `inside`/ in the archive; equal files
/// give equal bytes. The archive is written atomically. Throws FileError.
void write_zip(const std::filesystem::path& target, const std::filesystem::path& folder, const std::string& inside);

}  // namespace headlight
