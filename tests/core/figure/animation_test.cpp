#include "core/figures/export/animation.h"

#include <cstring>
#include <string>

#include "tests/catch.h"

using namespace headlight;

namespace {

struct Chunk {
  std::string type;
  std::vector<std::uint8_t> content;
};

std::uint32_t number(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 | std::uint32_t{bytes[at + 2]} << 8 |
         bytes[at + 3];
}

std::vector<Chunk> chunks_of(const std::vector<std::uint8_t>& file) {
  std::vector<Chunk> chunks;
  for (std::size_t at = 8; at < file.size();) {
    const std::uint32_t length = number(file, at);
    const auto from = file.begin() + static_cast<std::ptrdiff_t>(at);
    chunks.push_back({std::string(from + 4, from + 8), {from + 8, from + 8 + length}});
    at += 12 + length;
  }
  return chunks;
}

}  // namespace

TEST_CASE("an animation is a PNG of its first frame, and each later frame holds what changed") {
  AnimationWriter writer;
  Image frame(40, 30, {250, 250, 250});
  writer.add(frame, 0.5);
  const Image first = frame;
  frame.set(7, 9, {200, 10, 20});
  frame.set(11, 12, {200, 10, 20});
  writer.add(frame, 0.25);
  writer.add(frame, 0.25);  // an equal frame makes the last one stay longer
  REQUIRE(writer.frames() == 2);
  const std::vector<std::uint8_t> file = writer.finish();
  CHECK(decode_png(file).rgba == first.rgba);

  std::vector<std::string> types;
  std::vector<std::vector<std::uint8_t>> controls;
  for (const Chunk& chunk : chunks_of(file)) {
    types.push_back(chunk.type);
    if (chunk.type == "fcTL") controls.push_back(chunk.content);
    if (chunk.type == "acTL") CHECK(number(chunk.content, 0) == 2);
    if (chunk.type == "fdAT")
      CHECK(number(chunk.content, 0) == 2);  // the two fcTL chunks before it are numbered 0 and 1
  }
  CHECK(types == std::vector<std::string>{"IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "IEND"});
  REQUIRE(controls.size() == 2);
  const auto& second = controls[1];
  CHECK(number(second, 0) == 1);
  CHECK(number(second, 4) == 5);  // width: columns 7 to 11
  CHECK(number(second, 8) == 4);  // height: rows 9 to 12
  CHECK(number(second, 12) == 7);
  CHECK(number(second, 16) == 9);
  CHECK((second[20] << 8 | second[21]) == 500);
}
