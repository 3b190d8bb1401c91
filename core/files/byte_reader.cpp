#include "core/files/byte_reader.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/parallel/thread_pool.h"
#include "core/tensor/message.h"

namespace headlight {
namespace {

constexpr std::size_t stretch = std::size_t{2} << 20;

}  // namespace

FileReader::FileReader(const std::filesystem::path& path, std::uint64_t first_byte, ErrorPlace place)
    : path_(path), stream_(path, std::ios::binary), place_(std::move(place)) {
  if (!stream_) place_.fail(Message("cannot be opened: {0}", std::strerror(errno)), "a file that can be read");
  skip(first_byte);
}

void FileReader::skip(std::uint64_t count) {
  stream_.seekg(static_cast<std::streamoff>(count), std::ios::cur);
  if (!stream_) place_.fail_damaged("ends early");
}

/// Reads on several threads, each with a stream of its own. False if bytes are missing: read() in order then gives the
/// error message.
bool FileReader::read_in_stretches(std::span<std::byte> out) {
  const std::streamoff first = stream_.tellg();
  const std::size_t count = (out.size() + stretch - 1) / stretch;
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> whole = true;
  work_together([&](bool) {
    std::ifstream stream(path_, std::ios::binary);
    for (std::size_t i = next++; i < count; i = next++) {
      const std::span part = out.subspan(i * stretch, std::min(stretch, out.size() - i * stretch));
      stream.seekg(first + static_cast<std::streamoff>(i * stretch));
      stream.read(reinterpret_cast<char*>(part.data()), static_cast<std::streamsize>(part.size()));
      if (!stream) whole = false;
    }
  });
  if (whole) stream_.seekg(first + static_cast<std::streamoff>(out.size()));
  return whole;
}

void FileReader::read(std::span<std::byte> out) {
  if (out.size() >= 2 * stretch && read_in_stretches(out)) return;
  stream_.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  const auto count = static_cast<std::uint64_t>(stream_.gcount());
  if (count != out.size()) {
    place_.fail_damaged(
        Message("ends early: {0} of {1} are missing", byte_count(out.size() - count), byte_count(out.size())));
  }
}

}  // namespace headlight
