// Opens a file of arrays: recognises its format by its content.
#include <algorithm>
#include <chrono>
#include <mutex>

#include "core/base/arrays/array_contents.h"
#include "core/base/arrays/computed_weights.h"
#include "core/base/arrays/foreign_files.h"
#include "core/base/files/byte_reader.h"
#include "core/base/text/utf8_path.h"

namespace headlight {
namespace {

const char* expected_kind(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".npz") return "an .npz as numpy.savez writes it";
  if (extension == ".npy") return "an .npy as numpy.save writes it";
  if (extension == ".safetensors") return "a file as safetensors.torch.save_file writes it";
  if (extension == ".pt" || extension == ".pth" || extension == ".bin") return "a file as torch.save writes it";
  if (extension == ".gguf") return "a file as llama.cpp writes it";
  return "an .npz, .npy, .safetensors or .pt file";
}

const char* not_of_kind(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".npz" || extension == ".pt" || extension == ".pth" || extension == ".bin") {
    return "not a ZIP archive";
  }
  if (extension == ".npy") return "not a NumPy array";
  if (extension == ".safetensors") return "not a safetensors file";
  if (extension == ".gguf") return "not a GGUF file";
  return "not a tensor file";
}

SharedFile open_regular(const std::filesystem::path& path, const ErrorPlace& place) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) place.fail("no such file", "the path of a file");
  if (error) place.fail(Message("cannot be opened: {0}", error.message().c_str()), "a file that can be read");
  if (std::filesystem::is_directory(status)) {
    if (const auto foreign = foreign_file(path)) place.fail(foreign->is, foreign->expected);
    place.fail("a folder", expected_kind(path));
  }
  if (!std::filesystem::is_regular_file(status)) place.fail("not a regular file", expected_kind(path));
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) place.fail(Message("cannot be opened: {0}", error.message().c_str()), "a file that can be read");
  if (size == 0) place.fail("empty (0 bytes)", expected_kind(path));
  return std::make_shared<const OpenFile>(path, place);
}

std::string head_of(const SharedFile& file, const ErrorPlace& place) {
  std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(file->size(), 512)), '\0');
  FileReader(file, 0, place).read(std::as_writable_bytes(std::span(head)));
  return head;
}

/// The first item of torch.save's pickle before 1.6, the number 0x1950a86a20f9469cfc6c.
bool is_legacy_torch(std::string_view head) {
  constexpr std::string_view number = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
  return head.size() > 2 && head.substr(2, number.size()) == number;
}
/// PyTorch before 0.1 saved a tar archive.
bool is_tar(std::string_view head) { return head.size() >= 262 && head.substr(257, 5) == "ustar"; }

/// A safetensors file begins with the header's length in eight bytes, then the { of its JSON.
bool may_be_safetensors(std::string_view head) {
  return head.size() > 8 && head[8] == '{' && head[7] == '\0' && head[6] == '\0';
}

ArrayContents open_contents(const std::filesystem::path& path, const ErrorPlace& place) {
  const SharedFile file = open_regular(path, place);
  const std::string head = head_of(file, place);
  const std::string_view front = head;
  if (const auto foreign = foreign_file(path); foreign && !front.starts_with("\x93NUMPY"))
    place.fail(foreign->is, foreign->expected);
  if (front.starts_with("PK\x03\x04") || front.starts_with("PK\x05\x06")) {
    auto archive = std::make_shared<const ZipArchive>(file, place);
    return is_torch_archive(*archive) ? open_torch(std::move(archive), path, place)
                                      : open_npz(std::move(archive), place);
  }
  if (front.starts_with("\x93NUMPY")) return open_npy(file, place);
  if (front.starts_with("GGUF")) return open_gguf(file, place);
  if (is_legacy_torch(front)) return open_torch_legacy(file, place);
  if (is_tar(front))
    place.fail("in PyTorch's format of before 0.1, a tar",
               "a newer one; load the file and torch.save it again with a newer PyTorch");
  const bool named_safetensors = path.extension() == ".safetensors" && !is_something_else(front);
  if (named_safetensors || may_be_safetensors(front)) return open_safetensors(file, place);
  const bool is_pickle = front.size() > 1 && front[0] == '\x80' && front[1] >= 2 && front[1] <= 5;
  if (is_pickle) return open_pickle(file, place);
  place.fail(Message("{0} ({1})", not_of_kind(path), first_look(front)), expected_kind(path));
}

}  // namespace

std::string name_of_only_array(const std::filesystem::path& path) {
  const std::string stem = utf8_from(path.stem());
  return stem.empty() ? "x" : stem;
}

namespace {

/// The files that were opened last. What looks into a file after another part of the program did, as a command does
/// that first asks what kind of model it is, gets the same open file.
class LastOpened {
 public:
  std::shared_ptr<const ArrayFile> find(const std::string& path, const FileStamp& stamp) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(
        files_, [&](const Opened& opened) { return opened.file->path() == path && opened.file->opened() == stamp; });
    if (found == files_.end() || !found->is_old) return nullptr;
    std::rotate(files_.begin(), found, found + 1);
    return files_.front().file;
  }
  void keep(const std::shared_ptr<const ArrayFile>& file) {
    constexpr std::size_t most = 4;
    // A file that was written a moment ago may change once more within the resolution of its time.
    const auto age = std::filesystem::file_time_type::clock::now() - file->opened()->changed;
    const std::lock_guard lock(mutex_);
    std::erase_if(files_, [&](const Opened& opened) { return opened.file->path() == file->path(); });
    files_.insert(files_.begin(), {file, age > std::chrono::milliseconds(100)});
    if (files_.size() > most) files_.pop_back();
  }

 private:
  struct Opened {
    std::shared_ptr<const ArrayFile> file;
    bool is_old;
  };
  std::mutex mutex_;
  std::vector<Opened> files_;
};

}  // namespace

std::shared_ptr<const ArrayFile> open_arrays(const std::filesystem::path& path) {
  static LastOpened last;
  const ErrorPlace place{path.string()};
  const FileStamp before = stamp_of(path);
  if (auto file = last.find(place.path, before)) return file;
  ArrayContents contents = with_computed_weights(open_contents(path, place), place);
  if (contents.entries.empty() && !contents.skipped.empty()) {
    place.array(contents.skipped[0].name).fail(contents.skipped[0].reason, "numbers");
  }
  if (contents.entries.empty()) place.fail("holds no arrays", expected_kind(path));
  auto file = std::make_shared<const ArrayFile>(place.path, std::move(contents), before);
  last.keep(file);
  return file;
}

}  // namespace headlight
