// PNG through libpng, without its colour corrections: PIL does not make them either.
#include "core/files/picture_file.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include <png.h>

#include "core/files/error_place.h"
#include "core/files/load_budget.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

constexpr double most_pixels = 1e8;
constexpr std::uintmax_t most_picture_bytes = 512 << 20;

/// The bytes that are left, and the error message.
struct PngReading {
  const char* at;
  std::size_t left;
  char message[96] = "";
};

void take_png_bytes(png_structp png, png_bytep to, png_size_t count) {
  auto& reading = *static_cast<PngReading*>(png_get_io_ptr(png));
  if (count > reading.left) png_error(png, "it is cut off");
  std::memcpy(to, reading.at, count);
  reading.at += count;
  reading.left -= count;
}

[[noreturn]] void stop_png(png_structp png, png_const_charp message) {
  auto& reading = *static_cast<PngReading*>(png_get_error_ptr(png));
  std::snprintf(reading.message, sizeof reading.message, "%s", message);
  png_longjmp(png, 1);
}

void ignore_png_warning(png_structp, png_const_charp) {}

// libpng reports errors by longjmp: these functions must not hold an object with a destructor.
bool read_png_header(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_info(png, info);
  png_set_expand(png);  // palettes and fewer than 8 bits become 8 bits
  png_set_strip_16(png);
  png_set_gray_to_rgb(png);
  png_set_strip_alpha(png);
  png_set_filler(png, 255, PNG_FILLER_AFTER);
  return true;
}

bool read_png_rows(png_structp png, png_infop info, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

Image read_png(const std::string& file, const std::string& bytes) {
  PngReading reading{bytes.data(), bytes.size()};
  struct Structs {
    png_structp png = nullptr;
    png_infop info = nullptr;
    ~Structs() { png_destroy_read_struct(&png, &info, nullptr); }
  } structs;
  structs.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, stop_png, ignore_png_warning);
  if (structs.png) structs.info = png_create_info_struct(structs.png);
  if (!structs.info) throw FileError(file, "cannot be read: there is too little memory", "expected more");
  png_set_read_fn(structs.png, &reading, take_png_bytes);
  const auto damaged = [&] {
    throw FileError(file, Message("is a damaged PNG picture ({0})", reading.message), "expected a whole one");
  };
  if (!read_png_header(structs.png, structs.info)) damaged();
  const png_uint_32 width = png_get_image_width(structs.png, structs.info),
                    height = png_get_image_height(structs.png, structs.info);
  check_pixels(file, width, height);
  Image image(static_cast<int>(width), static_cast<int>(height));
  std::vector<png_bytep> rows;
  for (std::size_t y = 0; y < height; ++y) rows.push_back(image.rgba.data() + y * width * 4);
  if (!read_png_rows(structs.png, structs.info, rows.data())) damaged();
  return image;
}

}  // namespace

void check_pixels(const std::string& file, double width, double height) {
  if (width * height <= most_pixels) return;
  char text[64];
  std::snprintf(text, sizeof text, "%.0f × %.0f", width, height);
  throw FileError(file, Message("has {0} pixels", text), "expected at most 100 million");
}

Image read_picture(const std::string& file) {
  const std::string bytes = whole_text(file, most_picture_bytes);
  if (bytes.starts_with("\x89PNG")) return read_png(file, bytes);
  if (bytes.starts_with("\xFF\xD8")) return read_jpeg(file, bytes);
  const Message look = first_look({bytes.data(), std::min<std::size_t>(bytes.size(), 64)});
  throw FileError(file,
                  look.empty() ? Message("is no PNG or JPEG picture") : Message("is no PNG or JPEG picture: {0}", look),
                  "expected a picture as PNG or JPEG");
}

}  // namespace headlight
