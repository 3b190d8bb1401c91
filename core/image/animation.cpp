#include "core/image/animation.h"

#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
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

}  // namespace

bool AnimationWriter::fits(const Image& frame) const {
  return frames_.empty() || (frame.width == last_.width && frame.height == last_.height);
}

void AnimationWriter::add(Image frame, double seconds) {
  assert(seconds > 0 && fits(frame));
  for (std::size_t alpha = 3; alpha < frame.rgba.size(); alpha += 4) frame.rgba[alpha] = 255;
  ChangedPart at = changed_part(frame, last_);
  if (at.width == 0 && frames_.back().seconds + seconds <= 65) {
    frames_.back().seconds += seconds;
    return;
  }
  if (at.width == 0) at = {0, 0, 1, 1};
  Part part{at.x, at.y, at.width, at.height, seconds, contents_of(encode_rgba_png(changes(frame, last_, at)), "IDAT")};
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
    for (const int number : {part.width, part.height, part.x, part.y})
      append_big_endian(head, static_cast<std::uint32_t>(number));
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
