#include "core/export/film.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <random>
#include <span>

#include "core/export/export_options.h"
#include "core/files/whole_file.h"
#include "core/image/animation.h"
#include "core/tensor/error.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// One file, which a writer of core/image makes.
template <typename Writer>
class FileFilm : public Film {
 public:
  explicit FileFilm(std::string path) : path_(std::move(path)) {
    const fs::path folder = path_from(path_).parent_path();
    std::error_code error;
    if (!folder.empty() && !fs::is_directory(folder, error))
      throw FileError(path_, Message("cannot be written: there is no folder {0}", utf8_from(folder)),
                      "expected one that is there");
  }
  void add(Image frame, double seconds) override { writer_.add(std::move(frame), seconds); }
  bool fits(const Image& frame) const override { return writer_.fits(frame); }
  void finish() override { write_whole_file(path_from(path_), writer_.finish()); }

 private:
  std::string path_;
  Writer writer_;
};

bool is_frame(const fs::directory_entry& entry) {
  const std::string name = utf8_from(entry.path().filename());
  return entry.is_regular_file() && name.size() == 9 && name.ends_with(".png") &&
         std::all_of(name.begin(), name.begin() + 5, [](char c) { return c >= '0' && c <= '9'; });
}

/// Numbered pictures in a temporary folder, which gets the final name when all pictures exist.
class FolderFilm : public Film {
 public:
  FolderFilm(const std::string& path, double tick) : path_(path), tick_(tick) {
    target_ = path_from(path).lexically_normal();
    if (!target_.has_filename()) target_ = target_.parent_path();
    if (target_.empty() || target_ == "." || target_ == "..")
      throw FileError(path, "is the folder one is in", "expected the name of one of its own");
    const fs::path parent = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
    std::error_code error;
    if (!fs::is_directory(parent, error))
      throw FileError(path, Message("cannot be written: there is no folder {0}", utf8_from(parent)),
                      "expected one that is there");
    refuse_other_things();
    growing_ = parent / (".headlight-" + std::to_string(std::random_device()()) + ".frames");
    if (!fs::create_directory(growing_, error)) fail_to_write(path, error.message().c_str());
  }
  FolderFilm(const FolderFilm&) = delete;
  FolderFilm& operator=(const FolderFilm&) = delete;
  ~FolderFilm() override {
    std::error_code ignored;
    if (!growing_.empty()) fs::remove_all(growing_, ignored);
  }

  bool fits(const Image& frame) const override {
    return width_ == 0 || (frame.width == width_ && frame.height == height_);
  }

  void add(Image frame, double seconds) override {
    width_ = frame.width;
    height_ = frame.height;
    const std::vector<std::uint8_t> png = encode_png(frame);
    const auto times = std::max<long>(std::lround(seconds / tick_), 1);
    for (long i = 0; i < times; ++i) {
      if (++count_ > 99999)
        throw FileError(path_, "would hold more than 99999 pictures", "expected fewer or shorter steps");
      char name[16];
      std::snprintf(name, sizeof name, "%05d.png", count_);
      write_bytes(growing_ / name, std::as_bytes(std::span(png)), growing_ / name);
    }
  }

  void finish() override {
    refuse_other_things();
    std::error_code error;
    // An older film is moved aside, and moved back if the new one fails.
    const fs::path aside = growing_.parent_path() / (utf8_from(growing_.filename()) + ".old");
    const bool older = fs::exists(target_, error);
    if (older) fs::rename(target_, aside, error);
    if (!error) fs::rename(growing_, target_, error);
    if (error) {
      std::error_code ignored;
      if (older && !fs::exists(target_, ignored)) fs::rename(aside, target_, ignored);
      fail_to_write(path_, error.message().c_str());
    }
    growing_.clear();
    if (older) fs::remove_all(aside, error);
  }

 private:
  void refuse_other_things() const {
    std::error_code error;
    const fs::file_status status = fs::status(target_, error);
    if (!fs::exists(status)) return;
    if (!fs::is_directory(status)) throw FileError(path_, "is a file", "expected a folder for the pictures");
    for (const fs::directory_entry& entry : fs::directory_iterator(target_, error)) {
      if (!is_frame(entry))
        throw FileError(path_, Message("holds other things, such as {0}", utf8_from(entry.path().filename())),
                        "expected a new or empty folder");
    }
    if (error)
      throw FileError(path_, Message("cannot be read: {0}", error.message().c_str()), "expected a new or empty folder");
  }

  std::string path_;
  fs::path target_, growing_;
  double tick_;
  int width_ = 0, height_ = 0, count_ = 0;
};

}  // namespace

std::unique_ptr<Film> film_to(const std::string& path, double tick) {
  std::error_code error;
  if (path.ends_with('/') || path.ends_with('\\') || fs::is_directory(path_from(path), error))
    return std::make_unique<FolderFilm>(path, tick);
  const std::string ending = extension_of(path);
  if (ending == ".png" || ending == ".apng") return std::make_unique<FileFilm<AnimationWriter>>(path);
  if (ending == ".gif") return std::make_unique<FileFilm<GifWriter>>(path);
  throw FileError(path, "is no animation's name",
                  "expected one that ends in .png or .gif, or a folder's, that ends in /");
}

}  // namespace headlight
