#include "core/image/animation.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <span>
#include <string_view>

#include <zlib.h>

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

/// Length, type, content, checksum of the latter two.
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

const std::uint8_t* row_of(const Image& image, int y) {
  return image.rgba.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) * 4;
}

/// A rectangle of `image`, see-through where it equals `before`, which the viewer still has; of an empty `before`, all of it.
Image changes(const Image& image, const Image& before, int left, int top, int width, int height) {
  Image part(width, height);
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* now = row_of(image, top + y);
    const std::uint8_t* old = before.rgba.empty() ? nullptr : row_of(before, top + y);
    for (int x = left; x < left + width; ++x) {
      if (old != nullptr && std::memcmp(now + x * 4, old + x * 4, 4) == 0) continue;
      part.set(x - left, y, {now[x * 4], now[x * 4 + 1], now[x * 4 + 2], 255});
    }
  }
  return part;
}

bool equal_rows(const Image& a, const Image& b, int y) {
  return std::memcmp(row_of(a, y), row_of(b, y), static_cast<std::size_t>(a.width) * 4) == 0;
}

}  // namespace

AnimationWriter::Part AnimationWriter::changed_part(const Image& frame) const {
  int top = 0, bottom = frame.height;
  while (top < bottom && equal_rows(frame, last_, top)) ++top;
  while (bottom > top && equal_rows(frame, last_, bottom - 1)) --bottom;
  int left = frame.width, right = 0;
  for (int y = top; y < bottom; ++y) {
    const std::uint8_t *now = row_of(frame, y), *before = row_of(last_, y);
    const auto differs = [&](int x) { return std::memcmp(now + x * 4, before + x * 4, 4) != 0; };
    for (int x = 0; x < left; ++x) {
      if (differs(x)) left = x;
    }
    for (int x = frame.width - 1; x >= right; --x) {
      if (differs(x)) right = x + 1;
    }
  }
  return {left, top, std::max(0, right - left), bottom - top, 0, {}};
}

bool AnimationWriter::fits(const Image& frame) const {
  return frames_.empty() || (frame.width == last_.width && frame.height == last_.height);
}

void AnimationWriter::add(Image frame, double seconds) {
  assert(seconds > 0 && fits(frame));
  for (std::size_t alpha = 3; alpha < frame.rgba.size(); alpha += 4) frame.rgba[alpha] = 255;
  Part part = frames_.empty() ? Part{0, 0, frame.width, frame.height, 0, {}} : changed_part(frame);
  if (part.width == 0 && !frames_.empty() && frames_.back().seconds + seconds <= 65) {
    frames_.back().seconds += seconds;
    return;
  }
  if (part.width == 0) part.width = part.height = 1, part.x = part.y = 0;
  part.seconds = seconds;
  part.compressed = contents_of(encode_rgba_png(changes(frame, last_, part.x, part.y, part.width, part.height)), "IDAT");
  frames_.push_back(std::move(part));
  last_ = std::move(frame);
}

Bytes AnimationWriter::finish() const {
  assert(!frames_.empty());
  const Bytes png = encode_rgba_png(Image(last_.width, last_.height));  // for its header alone
  Bytes out(png.begin(), png.begin() + signature_length);
  append_chunk(out, "IHDR", contents_of(png, "IHDR"));
  Bytes control;
  append_big_endian(control, static_cast<std::uint32_t>(frames_.size()));
  append_big_endian(control, 0);  // plays for ever
  append_chunk(out, "acTL", control);
  std::uint32_t sequence = 0;
  for (const Part& part : frames_) {
    Bytes head;
    append_big_endian(head, sequence++);
    for (const int number : {part.width, part.height, part.x, part.y}) append_big_endian(head, static_cast<std::uint32_t>(number));
    append_big_endian(head, static_cast<std::uint32_t>(std::lround(part.seconds * 1000)), 2);
    append_big_endian(head, 1000, 2);  // thousandths of a second
    append_big_endian(head, 1, 2);     // stays, and is laid over the one before
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

}  // namespace headlight
