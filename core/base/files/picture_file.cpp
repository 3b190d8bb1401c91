#include "core/base/files/picture_file.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <png.h>

#include "core/base/files/error_place.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"

#ifdef HEADLIGHT_JPEG
#include <jerror.h>
#include <jpeglib.h>
#endif

namespace headlight {

// PNG by libpng, without its corrections of colour, which PIL does not make either.
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
  throw FileError(file, Message("has {0} pixels", formatted("%.0f × %.0f", width, height)),
                  "expected at most 100 million");
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

// JPEG through libjpeg, where the build found it. EXIF's orientation is applied, as by PIL's exif_transpose.

#ifndef HEADLIGHT_JPEG

Image read_jpeg(const std::string& file, const std::string&) {
  throw FileError(file, "is a JPEG picture, and this program was built without libjpeg", "expected a picture as PNG");
}

#else

namespace {

struct JpegErrors : jpeg_error_mgr {
  jmp_buf back;
  char text[JMSG_LENGTH_MAX] = "";
};

[[noreturn]] void stop_jpeg(j_common_ptr reading) {
  auto& errors = *static_cast<JpegErrors*>(reading->err);
  errors.format_message(reading, errors.text);
  std::longjmp(errors.back, 1);
}

/// A picture that ends early is an error. Other warnings are ignored, as PIL does.
void warn_jpeg(j_common_ptr reading, int level) {
  const int code = reading->err->msg_code;
  if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) stop_jpeg(reading);
}

// libjpeg reports errors by longjmp: these functions must not hold an object with a destructor.
bool read_jpeg_header(jpeg_decompress_struct& jpeg, JpegErrors& errors, const std::string& bytes) {
  if (setjmp(errors.back)) return false;
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<unsigned long>(bytes.size()));
  jpeg_save_markers(&jpeg, JPEG_APP0 + 1, 0xFFFF);
  jpeg_read_header(&jpeg, TRUE);
  return true;
}

/// CMYK values are stored inverted, as Adobe's programs write them.
void decode_jpeg_rows(jpeg_decompress_struct& jpeg, std::uint8_t* row, std::uint8_t* rgba) {
  const auto multiply = [](int a, int b) {
    const int product = a * b + 128;
    return ((product >> 8) + product) >> 8;
  };
  const bool cmyk = jpeg.out_color_space == JCS_CMYK;
  while (jpeg.output_scanline < jpeg.output_height) {
    jpeg_read_scanlines(&jpeg, &row, 1);
    const std::uint8_t* from = row;
    for (JDIMENSION x = 0; x < jpeg.output_width; ++x, rgba += 4, from += cmyk ? 4 : 3) {
      for (int c = 0; c < 3; ++c)
        rgba[c] = cmyk ? static_cast<std::uint8_t>(from[3] - multiply(255 - from[c], from[3])) : from[c];
    }
  }
}

/// `row` has space for width × 4 bytes.
bool read_jpeg_rows(jpeg_decompress_struct& jpeg, JpegErrors& errors, std::uint8_t* row, std::uint8_t* rgba) {
  if (setjmp(errors.back)) return false;
  jpeg.out_color_space = jpeg.num_components == 4 ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&jpeg);
  decode_jpeg_rows(jpeg, row, rgba);
  jpeg_finish_decompress(&jpeg);
  return true;
}

/// The orientation: tag 0x0112 of the first directory of EXIF's TIFF; 1 where there is none.
int orientation_in(std::string_view exif) {
  if (!exif.starts_with(std::string_view("Exif\0\0", 6)) || exif.size() < 14) return 1;
  exif.remove_prefix(6);
  const bool little = exif.starts_with("II");
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < bytes && at + i < exif.size(); ++i)
      value |= static_cast<std::size_t>(static_cast<unsigned char>(exif[at + i])) << 8 * (little ? i : bytes - 1 - i);
    return value;
  };
  const std::size_t directory = number(4, 4), entries = number(directory, 2);
  for (std::size_t i = 0; i < entries && directory + 14 + 12 * i <= exif.size(); ++i) {
    const std::size_t at = directory + 2 + 12 * i;
    if (number(at, 2) == 0x0112) return static_cast<int>(number(at + 8, 2));
  }
  return 1;
}

/// Turns the picture upright, as the camera was held.
Image upright(const Image& image, int orientation) {
  if (orientation < 2 || orientation > 8) return image;
  const int w = image.width, h = image.height;
  const bool sides_swapped = orientation >= 5;
  Image result(sides_swapped ? h : w, sides_swapped ? w : h, {0, 0, 0, 255});
  for (int y = 0; y < result.height; ++y) {
    for (int x = 0; x < result.width; ++x) {
      const bool from_right = orientation == 2 || orientation == 3, from_below = orientation == 3 || orientation == 4;
      const bool last_column = orientation == 7 || orientation == 8, last_row = orientation == 6 || orientation == 7;
      result.set(x, y,
                 sides_swapped ? image.at(last_column ? w - 1 - y : y, last_row ? h - 1 - x : x)
                               : image.at(from_right ? w - 1 - x : x, from_below ? h - 1 - y : y));
    }
  }
  return result;
}

}  // namespace

Image read_jpeg(const std::string& file, const std::string& bytes) {
  JpegErrors errors;
  struct Reading : jpeg_decompress_struct {
    ~Reading() { jpeg_destroy_decompress(this); }
  } jpeg{};
  jpeg.err = jpeg_std_error(&errors);
  errors.error_exit = stop_jpeg;
  errors.emit_message = warn_jpeg;
  const auto damaged = [&] {
    throw FileError(file, Message("is a damaged JPEG picture ({0})", errors.text), "expected a whole one");
  };
  if (!read_jpeg_header(jpeg, errors, bytes)) damaged();
  int orientation = 1;  // libjpeg frees the markers with the last row
  for (const jpeg_marker_struct* marker = jpeg.marker_list; marker; marker = marker->next) {
    const int found = orientation_in({reinterpret_cast<const char*>(marker->data), marker->data_length});
    if (found != 1) orientation = found;
  }
  check_pixels(file, jpeg.image_width, jpeg.image_height);
  Image image(static_cast<int>(jpeg.image_width), static_cast<int>(jpeg.image_height), {0, 0, 0, 255});
  std::vector<std::uint8_t> row(static_cast<std::size_t>(image.width) * 4);
  if (!read_jpeg_rows(jpeg, errors, row.data(), image.rgba.data())) damaged();
  return upright(image, orientation);
}

#endif

}  // namespace headlight
