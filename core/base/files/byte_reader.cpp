#include "core/base/files/byte_reader.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include <zip.h>

#include "core/base/files/file_reading.h"
#include "core/base/files/whole_file.h"
#include "core/base/parallel/jobs.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/message.h"
#include "core/base/text/utf8_path.h"

namespace headlight {
namespace {

constexpr std::size_t stretch = std::size_t{2} << 20;

}  // namespace

OpenFile::OpenFile(std::filesystem::path path, const ErrorPlace& place)
    : path_(std::move(path)), file_(open_to_read(path_)) {
  if (!file_.open()) place.fail(Message("cannot be opened: {0}", std::strerror(errno)), "a file that can be read");
  size_ = std::filesystem::file_size(path_);
}

std::size_t OpenFile::read(std::uint64_t at, std::span<std::byte> out) const { return read_at(file_, at, out); }

FileReader::FileReader(SharedFile file, std::uint64_t first_byte, ErrorPlace place)
    : file_(std::move(file)), at_(first_byte), place_(std::move(place)) {}

void FileReader::skip(std::uint64_t count) { at_ += count; }

/// Reads on several threads; returns the number of bytes that there were.
std::size_t FileReader::read_in_stretches(std::span<std::byte> out) const {
  const std::size_t count = (out.size() + stretch - 1) / stretch;
  std::atomic<std::size_t> next = 0, done = 0;
  work_together([&](bool) {
    for (std::size_t i = next++; i < count; i = next++) {
      const std::span part = out.subspan(i * stretch, std::min(stretch, out.size() - i * stretch));
      done += file_->read(at_ + i * stretch, part);
    }
  });
  return done;
}

void FileReader::read(std::span<std::byte> out) {
  const std::size_t count = out.size() >= 2 * stretch ? read_in_stretches(out) : file_->read(at_, out);
  if (count != out.size()) {
    place_.fail_damaged(
        Message("ends early: {0} of {1} are missing", byte_count(out.size() - count), byte_count(out.size())));
  }
  at_ += count;
}

namespace {

class MemoryReader final : public ByteReader {
 public:
  MemoryReader(std::shared_ptr<const std::string> bytes, ErrorPlace place)
      : bytes_(std::move(bytes)), place_(std::move(place)) {}
  void skip(std::uint64_t count) override {
    if (count > bytes_->size() - at_) place_.fail_damaged("ends early");
    at_ += static_cast<std::size_t>(count);
  }
  void read(std::span<std::byte> out) override {
    if (out.size() > bytes_->size() - at_) place_.fail_damaged("ends early");
    std::ranges::copy(std::as_bytes(std::span(*bytes_)).subspan(at_, out.size()), out.begin());
    at_ += out.size();
  }

 private:
  std::shared_ptr<const std::string> bytes_;
  ErrorPlace place_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<ByteReader> memory_reader(std::shared_ptr<const std::string> bytes, ErrorPlace place) {
  return std::make_unique<MemoryReader>(std::move(bytes), std::move(place));
}

namespace {

constexpr std::uint64_t max_entries = 100'000;
// Deflate shrinks a model's numbers very little and masks about 50 times. A ratio of 1000 is an attack (a "ZIP bomb").
constexpr std::uint64_t max_ratio = 100;
constexpr std::uint64_t always_allowed = std::uint64_t{32} << 20;

/// libzip's error message, "Zlib error: data error", in the two parts that libzip joins.
Message libzip_message(const std::string& text) {
  const std::size_t colon = text.find(": ");
  if (colon == std::string::npos) return text.c_str();
  return joined_by_colon(text.substr(0, colon).c_str(), text.c_str() + colon + 2);
}

class ZipEntryReader final : public ByteReader {
 public:
  ZipEntryReader(zip* archive, std::uint64_t position, bool stored, ZipCheck check, std::unique_lock<std::mutex> lock,
                 ErrorPlace place)
      : lock_(std::move(lock)), stored_(stored), check_(check), place_(std::move(place)) {
    file_.reset(zip_fopen_index(archive, position, 0));
    if (!file_) place_.fail_damaged(Message("cannot be unpacked: {0}", libzip_message(zip_strerror(archive))));
  }

  void skip(std::uint64_t count) override {
    if (count == 0) return;
    // A checksum needs every byte, so no byte is skipped when it is checked.
    if (stored_ && check_ == ZipCheck::none && zip_fseek(file_.get(), static_cast<zip_int64_t>(count), SEEK_CUR) == 0)
      return;
    std::vector<std::byte> scrap(static_cast<std::size_t>(std::min<std::uint64_t>(count, 1 << 16)));
    for (; count > 0; count -= std::min<std::uint64_t>(count, scrap.size())) {
      read(std::span(scrap).first(static_cast<std::size_t>(std::min<std::uint64_t>(count, scrap.size()))));
    }
  }

  void read(std::span<std::byte> out) override {
    while (!out.empty()) {
      const zip_int64_t got = zip_fread(file_.get(), out.data(), out.size());
      if (got < 0) place_.fail_damaged(Message("is damaged: {0}", libzip_message(zip_file_strerror(file_.get()))));
      if (got == 0) place_.fail_damaged(Message("ends early: {0} are missing", byte_count(out.size())));
      out = out.subspan(static_cast<std::size_t>(got));
    }
  }

  void finish() override {
    if (check_ == ZipCheck::none) return;
    std::byte extra{};
    const zip_int64_t got = zip_fread(file_.get(), &extra, 1);
    if (got > 0) place_.fail_damaged("unpacks to more bytes than its header says");
    if (got < 0) place_.fail_damaged(Message("is damaged: {0}", libzip_message(zip_file_strerror(file_.get()))));
  }

 private:
  struct Close {
    void operator()(zip_file* file) const { zip_fclose(file); }
  };

  std::unique_lock<std::mutex> lock_;  // outlives file_
  std::unique_ptr<zip_file, Close> file_;
  bool stored_;
  ZipCheck check_;
  ErrorPlace place_;
};

}  // namespace

void DiscardZip::operator()(zip* archive) const { zip_discard(archive); }

namespace {

/// What libzip reads an archive from.
struct ZipBytes {
  SharedFile file;
  std::uint64_t at = 0;
  zip_error_t error{};
};

zip_int64_t read_archive(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto* bytes = static_cast<ZipBytes*>(state);
  switch (command) {
    case ZIP_SOURCE_OPEN: bytes->at = 0; return 0;
    case ZIP_SOURCE_READ: {
      const std::size_t got =
          bytes->file->read(bytes->at, {static_cast<std::byte*>(data), static_cast<std::size_t>(length)});
      bytes->at += got;
      return static_cast<zip_int64_t>(got);
    }
    case ZIP_SOURCE_SEEK: {
      const zip_int64_t at =
          zip_source_seek_compute_offset(bytes->at, bytes->file->size(), data, length, &bytes->error);
      if (at < 0) return -1;
      bytes->at = static_cast<std::uint64_t>(at);
      return 0;
    }
    case ZIP_SOURCE_TELL: return static_cast<zip_int64_t>(bytes->at);
    case ZIP_SOURCE_STAT: {
      auto* stat = static_cast<zip_stat_t*>(data);
      zip_stat_init(stat);
      stat->valid = ZIP_STAT_SIZE;
      stat->size = bytes->file->size();
      return sizeof(*stat);
    }
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&bytes->error, data, length);
    case ZIP_SOURCE_CLOSE: return 0;
    case ZIP_SOURCE_FREE: delete bytes; return 0;
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
                                            ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_CLOSE, ZIP_SOURCE_FREE,
                                            ZIP_SOURCE_SUPPORTS, -1);
    default: zip_error_set(&bytes->error, ZIP_ER_OPNOTSUPP, 0); return -1;
  }
}

}  // namespace

ZipArchive::ZipArchive(SharedFile file, const ErrorPlace& place) {
  zip_error_t error;
  zip_error_init(&error);
  const std::uint64_t size = file->size();
  auto bytes = std::make_unique<ZipBytes>(ZipBytes{std::move(file)});
  zip_source_t* source = zip_source_function_create(read_archive, bytes.get(), &error);
  if (source != nullptr) {
    static_cast<void>(bytes.release());  // libzip frees it
    archive_.reset(zip_open_from_source(source, ZIP_RDONLY, &error));
    if (!archive_) zip_source_free(source);
  }
  if (!archive_) {
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    place.fail_damaged(Message("a ZIP archive cut short or damaged ({0})", libzip_message(reason)));
  }
  zip_error_fini(&error);
  list(size, place);
}

void ZipArchive::list(std::uint64_t file_size, const ErrorPlace& place) {
  const auto count = static_cast<std::uint64_t>(std::max<zip_int64_t>(0, zip_get_num_entries(archive_.get(), 0)));
  if (count > max_entries) { place.fail(Message("holds {0} entries", count), Message("at most {0}", max_entries)); }
  for (std::uint64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    if (zip_stat_index(archive_.get(), i, 0, &stat) != 0 || (stat.valid & ZIP_STAT_NAME) == 0 ||
        (stat.valid & ZIP_STAT_SIZE) == 0 || (stat.valid & ZIP_STAT_COMP_SIZE) == 0) {
      place.fail_damaged(Message("its ZIP directory is damaged at entry {0}", i));
    }
    const std::string name = stat.name;
    if (!name.empty() && name.back() == '/') continue;
    const bool stored = (stat.valid & ZIP_STAT_COMP_METHOD) != 0 && stat.comp_method == ZIP_CM_STORE;
    if (stat.comp_size > file_size || (stored && stat.comp_size != stat.size)) {
      place.fail_damaged(Message("entry {0} claims {1} in a file of {2}", in_quotes(name), byte_count(stat.comp_size),
                                 byte_count(file_size)));
    }
    entries_.push_back({name, stat.size, stat.comp_size, stored});
    positions_.push_back(i);
  }
}

std::unique_ptr<ByteReader> ZipArchive::reader(std::size_t entry, ZipCheck check, ErrorPlace place) const {
  const ZipEntry& e = entries_[entry];
  if (e.size > always_allowed && e.size / max_ratio > e.packed_size) {
    place.fail(Message("would unpack {0} to {1}, as a zip bomb does", byte_count(e.packed_size), byte_count(e.size)),
               "an array saved unpacked, with numpy.savez");
  }
  return std::make_unique<ZipEntryReader>(archive_.get(), positions_[entry], e.stored, check, std::unique_lock(mutex_),
                                          std::move(place));
}

namespace {

/// libzip's callback: where an entry's bytes come from.
zip_int64_t feed(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto* bytes = static_cast<EntryBytes*>(state);
  switch (command) {
    case ZIP_SOURCE_OPEN: bytes->rewind(); return 0;
    case ZIP_SOURCE_READ:
      return static_cast<zip_int64_t>(bytes->read({static_cast<std::byte*>(data), static_cast<std::size_t>(length)}));
    case ZIP_SOURCE_CLOSE: return 0;
    case ZIP_SOURCE_STAT: {
      auto* stat = static_cast<zip_stat_t*>(data);
      zip_stat_init(stat);
      stat->size = bytes->size();
      stat->valid = ZIP_STAT_SIZE;
      return sizeof(*stat);
    }
    case ZIP_SOURCE_ERROR: return 2 * sizeof(int);
    case ZIP_SOURCE_FREE: return 0;  // the writer owns them
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                            ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
    default: return -1;
  }
}

}  // namespace

ZipWriter::ZipWriter(const std::filesystem::path& path, const std::filesystem::path& target) : target_(target) {
  int code = 0;
  archive_.reset(zip_open(utf8_from(path).c_str(), ZIP_CREATE | ZIP_EXCL, &code));
  if (archive_) return;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  fail_to_write(target_, reason);
}

void ZipWriter::fail() const { fail_to_write(target_, zip_strerror(archive_.get())); }

void ZipWriter::add(const std::string& name, std::unique_ptr<EntryBytes> bytes) {
  bytes_.push_back(std::move(bytes));
  const std::uint64_t entry = add(name, zip_source_function(archive_.get(), &feed, bytes_.back().get()));
  if (zip_set_file_compression(archive_.get(), entry, ZIP_CM_STORE, 0) != 0) fail();
}

void ZipWriter::add(const std::string& name, const std::filesystem::path& file) {
  add(name, zip_source_file(archive_.get(), utf8_from(file).c_str(), 0, -1));
}

std::uint64_t ZipWriter::add(const std::string& name, zip_source* source) {
  const zip_int64_t added = source ? zip_file_add(archive_.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
  if (added < 0) {
    zip_source_free(source);
    fail();
  }
  const auto entry = static_cast<zip_uint64_t>(added);
  constexpr zip_uint16_t first_of_1980 = 1 << 5 | 1;  // a fixed date, so that equal entries give equal archives
  if (zip_file_set_dostime(archive_.get(), entry, 0, first_of_1980, 0) != 0) fail();
  return entry;
}

void ZipWriter::close() {
  if (zip_close(archive_.get()) != 0) fail();
  static_cast<void>(archive_.release());  // zip_close has freed it
}

void write_zip(const std::filesystem::path& target, const std::filesystem::path& folder, const std::string& inside) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_directory()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  write_whole_file(target, [&](const std::filesystem::path& temporary) {
    ZipWriter writer(temporary, target);
    for (const std::filesystem::path& file : files)
      writer.add(inside + "/" + utf8_from(file.lexically_relative(folder)), file);
    writer.close();
  });
}

}  // namespace headlight
