#include "core/figures/export/animation.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <gif_lib.h>
#include <zlib.h>

#include "core/base/files/whole_file.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/utf8_path.h"
#include "core/figures/export/export_options.h"

namespace headlight {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t signature_length = 8;

void append_big_endian(Bytes& out, std::uint32_t value, int bytes = 4) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

std::uint32_t big_endian(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

/// Appends a chunk: length, type, content, and the checksum of type and content.
void append_chunk(Bytes& out, std::string_view type, const Bytes& content) {
  append_big_endian(out, static_cast<std::uint32_t>(content.size()));
  const std::size_t from = out.size();
  out.insert(out.end(), type.begin(), type.end());
  out.insert(out.end(), content.begin(), content.end());
  append_big_endian(out, static_cast<std::uint32_t>(crc32(0, out.data() + from, static_cast<uInt>(out.size() - from))));
}

/// The contents of a PNG file's chunks of one type, joined.
Bytes contents_of(const Bytes& png, std::string_view type) {
  Bytes out;
  for (std::size_t at = signature_length; at + 12 <= png.size();) {
    const std::size_t length = big_endian(png.data() + at);
    if (std::memcmp(png.data() + at + 4, type.data(), 4) == 0) {
      const auto first = png.begin() + static_cast<std::ptrdiff_t>(at + 8);
      out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(length));
    }
    at += length + 12;
  }
  return out;
}

}  // namespace

void AnimationWriter::add(Image frame, double seconds) {
  assert(seconds > 0 && (last_.rgba.empty() || frame.rgba.size() == last_.rgba.size()));
  for (std::size_t alpha = 3; alpha < frame.rgba.size(); alpha += 4) frame.rgba[alpha] = 255;
  ChangedPart at = changed_part(frame, last_);
  if (at.width == 0 && frames_.back().seconds + seconds <= 65) {
    frames_.back().seconds += seconds;
    return;
  }
  if (at.width == 0) at = {0, 0, 1, 1};
  PngFrame part{at.x,      at.y,    at.width,
                at.height, seconds, contents_of(encode_rgba_png(changes(frame, last_, at)), "IDAT")};
  frames_.push_back(std::move(part));
  last_ = std::move(frame);
}

Bytes AnimationWriter::finish() const {
  assert(!frames_.empty());
  const Bytes png = encode_rgba_png(Image(last_.width, last_.height));  // only its header is used
  Bytes out(png.begin(), png.begin() + signature_length);
  append_chunk(out, "IHDR", contents_of(png, "IHDR"));
  Bytes control;
  append_big_endian(control, static_cast<std::uint32_t>(frames_.size()));
  append_big_endian(control, 0);  // repeats without end
  append_chunk(out, "acTL", control);
  std::uint32_t sequence = 0;
  for (const PngFrame& part : frames_) {
    Bytes head;
    append_big_endian(head, sequence++);
    for (const int number : {part.width, part.height, part.x, part.y})
      append_big_endian(head, static_cast<std::uint32_t>(number));
    append_big_endian(head, static_cast<std::uint32_t>(std::lround(part.seconds * 1000)), 2);
    append_big_endian(head, 1000, 2);  // a duration in thousandths of a second
    append_big_endian(head, 1, 2);     // keep this frame, and draw the next one over it
    append_chunk(out, "fcTL", head);
    if (sequence == 1) {
      append_chunk(out, "IDAT", part.compressed);
      continue;
    }
    Bytes data;
    append_big_endian(data, sequence++);
    data.insert(data.end(), part.compressed.begin(), part.compressed.end());
    append_chunk(out, "fdAT", data);
  }
  append_chunk(out, "IEND", {});
  return out;
}

namespace {

constexpr double hundredth = 0.01, longest = 655;
constexpr int transparent = 255;  ///< the last place of the palette: pixels that do not change

using ColourMap = std::unique_ptr<ColorMapObject, decltype(&GifFreeMapObject)>;

int append_bytes(GifFileType* file, const GifByteType* bytes, int count) {
  auto& out = *static_cast<Bytes*>(file->UserData);
  out.insert(out.end(), bytes, bytes + count);
  return count;
}

void check(int status, const char* what) {
  if (status != GIF_OK)
    throw InputError("", Message("the GIF cannot be written: {0}", what),
                     "expected pictures of at most 65535 pixels a side");
}

}  // namespace

struct GifWriter::File {
  Bytes bytes;
  GifFileType* gif = nullptr;

  File(int width, int height) {
    int error = 0;
    gif = EGifOpen(&bytes, append_bytes, &error);
    if (!gif) throw InputError("", "the GIF cannot be begun", "expected memory for it");
    EGifSetGifVersion(gif, true);
    check(EGifPutScreenDesc(gif, width, height, 8, 0, nullptr), "its size");
    constexpr char name[] = "NETSCAPE2.0";
    constexpr GifByteType for_ever[] = {1, 0, 0};
    check(EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE), "its repetition");
    check(EGifPutExtensionBlock(gif, 11, name), "its repetition");
    check(EGifPutExtensionBlock(gif, 3, for_ever), "its repetition");
    check(EGifPutExtensionTrailer(gif), "its repetition");
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }
  bool close() {
    int error = 0;
    return gif == nullptr || EGifCloseFile(std::exchange(gif, nullptr), &error) == GIF_OK;
  }
};

GifWriter::GifWriter() = default;
GifWriter::~GifWriter() = default;

void GifWriter::add(Image frame, double seconds) {
  assert(seconds > 0 && (last_.rgba.empty() || frame.rgba.size() == last_.rgba.size()));
  if (frame.width > 65535 || frame.height > 65535) check(GIF_ERROR, "it is too large");
  for (std::size_t alpha = 3; alpha < frame.rgba.size(); alpha += 4) frame.rgba[alpha] = 255;
  if (!last_.rgba.empty() && frame.rgba == last_.rgba && seconds_ + seconds <= longest) {
    seconds_ += seconds;
    return;
  }
  if (!last_.rgba.empty()) write_last();
  last_ = std::move(frame);
  seconds_ = seconds;
  ++frames_;
}

void GifWriter::write_last() {
  if (!file_) file_ = std::make_unique<File>(last_.width, last_.height);
  ChangedPart part = changed_part(last_, shown_);
  if (part.width == 0) part = {0, 0, 1, 1};
  const Image changed = changes(last_, shown_, part);
  const IndexedPicture palette = indexed(changed, transparent);

  // Many players replace a delay below 2 by their default.
  const double exact = seconds_ + owed_;
  const int delay = std::clamp(static_cast<int>(std::lround(exact / hundredth)), 2, 65535);
  owed_ = exact - delay * hundredth;
  GraphicsControlBlock control{};
  control.DisposalMode = DISPOSE_DO_NOT;
  control.DelayTime = delay;
  control.TransparentColor = transparent;
  GifByteType packed[4];
  EGifGCBToExtension(&control, packed);
  check(EGifPutExtension(file_->gif, GRAPHICS_EXT_FUNC_CODE, 4, packed), "a frame's time");

  const ColourMap map(GifMakeMapObject(256, nullptr), &GifFreeMapObject);
  if (!map) throw InputError("", "the GIF cannot be written", "expected memory for it");
  for (std::size_t i = 0; i < 256; ++i) {
    const Rgba colour = i < palette.colours.size() ? palette.colours[i] : Rgba{0, 0, 0, 255};
    map->Colors[i] = {colour.r, colour.g, colour.b};
  }
  check(EGifPutImageDesc(file_->gif, part.x, part.y, part.width, part.height, false, map.get()), "a frame");
  std::vector<GifPixelType> line(static_cast<std::size_t>(part.width));
  for (int y = 0; y < part.height; ++y) {
    for (int x = 0; x < part.width; ++x) {
      const std::size_t at = static_cast<std::size_t>(y) * line.size() + static_cast<std::size_t>(x);
      line[static_cast<std::size_t>(x)] = changed.rgba[4 * at + 3] == 0 ? transparent : palette.index[at];
    }
    check(EGifPutLine(file_->gif, line.data(), part.width), "a line");
  }
  shown_ = last_;
}

Bytes GifWriter::finish() {
  assert(frames_ > 0);
  write_last();
  if (!file_->close()) check(GIF_ERROR, "its end");
  return std::move(file_->bytes);
}

namespace {

namespace fs = std::filesystem;

/// One file, made by a writer.
template <typename Writer>
class FileFilm : public Film {
 public:
  explicit FileFilm(std::string path) : path_(std::move(path)) { folder_for(path_from(path_)); }
  void finish() override { write_whole_file(path_from(path_), writer_.finish()); }

 private:
  void append(Image frame, double seconds) override { writer_.add(std::move(frame), seconds); }

  std::string path_;
  Writer writer_;
};

bool is_frame(const fs::directory_entry& entry) {
  const std::string name = utf8_from(entry.path().filename());
  std::error_code ignored;
  return entry.is_regular_file(ignored) && name.size() == 9 && name.ends_with(".png") &&
         std::all_of(name.begin(), name.begin() + 5, [](char c) { return c >= '0' && c <= '9'; });
}

/// The path without the "/" at its end. Throws FileError for the current folder and the one above it.
fs::path own_folder(const std::string& path) {
  fs::path folder = path_from(path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  if (folder.empty() || folder == "." || folder == "..")
    throw FileError(path, "is the folder one is in", "expected the name of one of its own");
  return folder;
}

/// Numbered pictures in a temporary folder, which gets the final name when all pictures exist.
class FolderFilm : public Film {
 public:
  FolderFilm(const std::string& path, double tick)
      : path_(path), target_(own_folder(path)), growing_(std::in_place, folder_for(target_), target_), tick_(tick) {
    refuse_other_things();
    remove_abandoned(folder_for(target_));
    make_folder(growing_->path(), target_);
  }

  void finish() override {
    refuse_other_things();
    std::error_code error;
    // An older film is moved aside, and moved back if the new one fails.
    const bool older = fs::exists(target_, error);
    if (older) fs::rename(target_, growing_->aside(), error);
    if (!error) fs::rename(growing_->path(), target_, error);
    if (error) {
      std::error_code ignored;
      if (older && !fs::exists(target_, ignored)) fs::rename(growing_->aside(), target_, ignored);
      fail_to_write(path_, error.message().c_str());
    }
    growing_.reset();
  }

 private:
  void append(Image frame, double seconds) override {
    const Bytes png = encode_png(frame);
    const auto times = std::max<long>(std::lround(seconds / tick_), 1);
    for (long i = 0; i < times; ++i) {
      if (++count_ > 99999)
        throw FileError(path_, "would hold more than 99999 pictures", "expected fewer or shorter steps");
      const std::string name = formatted("%05d.png", count_);
      write_bytes(growing_->path() / name, std::as_bytes(std::span(png)), growing_->path() / name);
    }
  }

  void refuse_other_things() const {
    std::error_code error;
    const fs::file_status status = status_of(target_, path_);
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
  fs::path target_;
  std::optional<Temporary> growing_;  ///< none once the film is finished
  double tick_;
  int count_ = 0;
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
