#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/base/arrays/array_contents.h"

namespace headlight {
namespace {

float half_at(const std::uint8_t* at) {
  float value = 0;
  decode(DType::f16, false, std::as_bytes(std::span(at, 2)), std::span(&value, 1));
  return value;
}

std::uint32_t word_at(const std::uint8_t* at) {
  return std::uint32_t{at[0]} | std::uint32_t{at[1]} << 8 | std::uint32_t{at[2]} << 16 | std::uint32_t{at[3]} << 24;
}

int low(std::uint8_t byte) { return byte & 15; }
int high(std::uint8_t byte) { return byte >> 4; }
float real(int value) { return static_cast<float>(value); }

// Blocks of 32: the low halves of 16 bytes are the first 16 numbers, the high halves the others.

void decode_q4_0(const std::uint8_t* block, float* out) {
  const float d = half_at(block);
  for (int i = 0; i < 16; ++i) {
    out[i] = real(low(block[2 + i]) - 8) * d;
    out[i + 16] = real(high(block[2 + i]) - 8) * d;
  }
}

void decode_q4_1(const std::uint8_t* block, float* out) {
  const float d = half_at(block), least = half_at(block + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = real(low(block[4 + i])) * d + least;
    out[i + 16] = real(high(block[4 + i])) * d + least;
  }
}

/// The fifth bit of number i, in its place.
int fifth(std::uint32_t bits, int i) { return static_cast<int>(bits >> i & 1u) << 4; }

void decode_q5_0(const std::uint8_t* block, float* out) {
  const float d = half_at(block);
  const std::uint32_t bits = word_at(block + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = real((low(block[6 + i]) | fifth(bits, i)) - 16) * d;
    out[i + 16] = real((high(block[6 + i]) | fifth(bits, i + 16)) - 16) * d;
  }
}

void decode_q5_1(const std::uint8_t* block, float* out) {
  const float d = half_at(block), least = half_at(block + 2);
  const std::uint32_t bits = word_at(block + 4);
  for (int i = 0; i < 16; ++i) {
    out[i] = real(low(block[8 + i]) | fifth(bits, i)) * d + least;
    out[i + 16] = real(high(block[8 + i]) | fifth(bits, i + 16)) * d + least;
  }
}

void decode_q8_0(const std::uint8_t* block, float* out) {
  const float d = half_at(block);
  for (int i = 0; i < 32; ++i) out[i] = real(static_cast<std::int8_t>(block[2 + i])) * d;
}

void decode_by_table(const std::array<int, 16>& table, float d, const std::uint8_t* codes, float* out) {
  for (int i = 0; i < 16; ++i) {
    out[i] = d * real(table[static_cast<std::size_t>(low(codes[i]))]);
    out[i + 16] = d * real(table[static_cast<std::size_t>(high(codes[i]))]);
  }
}

void decode_iq4_nl(const std::uint8_t* block, float* out) {
  constexpr std::array table{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
  decode_by_table(table, half_at(block), block + 2, out);
}

/// 4-bit floats, times 2 in the table, times a power of two for the block.
void decode_mxfp4(const std::uint8_t* block, float* out) {
  constexpr std::array table{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  decode_by_table(table, std::ldexp(1.0f, int{block[0]} - 128), block + 1, out);
}

// Blocks of 256 numbers, in parts of 16 or 32, each with a small scale.

void decode_q2_k(const std::uint8_t* block, float* out) {
  const std::uint8_t *scales = block, *codes = block + 16;
  const float d = half_at(block + 80), least = half_at(block + 82);
  for (int part = 0; part < 16; ++part) {
    const float scale = d * real(low(scales[part])), shift = least * real(high(scales[part]));
    const std::uint8_t* from = codes + part / 8 * 32 + part % 2 * 16;
    for (int i = 0; i < 16; ++i) *out++ = scale * real(from[i] >> part % 8 / 2 * 2 & 3) - shift;
  }
}

/// Sixteen scales of 6 bits in 12 bytes: four low bits each, then two high bits each.
std::array<int, 16> scales_of_q3_k(const std::uint8_t* packed) {
  std::array<int, 16> scales{};
  for (int i = 0; i < 16; ++i) {
    const int four = i < 8 ? low(packed[i]) : high(packed[i - 8]);
    scales[static_cast<std::size_t>(i)] = (four | (packed[8 + i % 4] >> i / 4 * 2 & 3) << 4) - 32;
  }
  return scales;
}

void decode_q3_k(const std::uint8_t* block, float* out) {
  const std::uint8_t *high_bits = block, *codes = block + 32;
  const std::array<int, 16> scales = scales_of_q3_k(block + 96);
  const float d = half_at(block + 108);
  for (int part = 0; part < 16; ++part) {
    const float scale = d * real(scales[static_cast<std::size_t>(part)]);
    const int first = part % 2 * 16;
    for (int i = first; i < first + 16; ++i) {
      const int two = codes[part / 8 * 32 + i] >> part % 8 / 2 * 2 & 3;
      *out++ = scale * real(two - ((high_bits[i] >> part / 2 & 1) != 0 ? 0 : 4));
    }
  }
}

struct ScaleAndShift {
  int scale, shift;
};
/// Eight scales and shifts of 6 bits in 12 bytes.
ScaleAndShift scale_of_k(const std::uint8_t* packed, int part) {
  if (part < 4) return {packed[part] & 63, packed[part + 4] & 63};
  return {low(packed[part + 4]) | packed[part - 4] >> 6 << 4, high(packed[part + 4]) | packed[part] >> 6 << 4};
}

void decode_q4_k(const std::uint8_t* block, float* out) {
  const float d = half_at(block), least = half_at(block + 2);
  for (int part = 0; part < 8; ++part) {
    const ScaleAndShift of = scale_of_k(block + 4, part);
    const float scale = d * real(of.scale), shift = least * real(of.shift);
    const std::uint8_t* from = block + 16 + part / 2 * 32;
    for (int i = 0; i < 32; ++i) *out++ = scale * real(part % 2 == 0 ? low(from[i]) : high(from[i])) - shift;
  }
}

void decode_q5_k(const std::uint8_t* block, float* out) {
  const float d = half_at(block), least = half_at(block + 2);
  const std::uint8_t* high_bits = block + 16;
  for (int part = 0; part < 8; ++part) {
    const ScaleAndShift of = scale_of_k(block + 4, part);
    const float scale = d * real(of.scale), shift = least * real(of.shift);
    const std::uint8_t* from = block + 48 + part / 2 * 32;
    for (int i = 0; i < 32; ++i) {
      const int four = part % 2 == 0 ? low(from[i]) : high(from[i]);
      *out++ = scale * real(four + (high_bits[i] >> part & 1) * 16) - shift;
    }
  }
}

void decode_q6_k(const std::uint8_t* block, float* out) {
  const float d = half_at(block + 208);
  for (int part = 0; part < 16; ++part) {
    const int half = part / 8, quarter = part % 8 / 2, first = part % 2 * 16;
    const std::uint8_t* lows = block + half * 64 + quarter % 2 * 32;
    const std::uint8_t* highs = block + 128 + half * 32;
    const float scale = d * real(static_cast<std::int8_t>(block[192 + part]));
    for (int i = first; i < first + 16; ++i) {
      const int four = quarter < 2 ? low(lows[i]) : high(lows[i]);
      *out++ = scale * real((four | (highs[i] >> quarter * 2 & 3) << 4) - 32);
    }
  }
}

constexpr BlockFormat formats[] = {
    {0, "F32", 1, 4, nullptr, DType::f32},    {1, "F16", 1, 2, nullptr, DType::f16},
    {2, "Q4_0", 32, 18, decode_q4_0},         {3, "Q4_1", 32, 20, decode_q4_1},
    {6, "Q5_0", 32, 22, decode_q5_0},         {7, "Q5_1", 32, 24, decode_q5_1},
    {8, "Q8_0", 32, 34, decode_q8_0},         {10, "Q2_K", 256, 84, decode_q2_k},
    {11, "Q3_K", 256, 110, decode_q3_k},      {12, "Q4_K", 256, 144, decode_q4_k},
    {13, "Q5_K", 256, 176, decode_q5_k},      {14, "Q6_K", 256, 210, decode_q6_k},
    {20, "IQ4_NL", 32, 18, decode_iq4_nl},    {28, "F64", 1, 8, nullptr, DType::f64},
    {30, "BF16", 1, 2, nullptr, DType::bf16}, {39, "MXFP4", 32, 17, decode_mxfp4},
};

class BlockReader final : public ByteReader {
 public:
  BlockReader(std::unique_ptr<ByteReader> blocks, const BlockFormat& format)
      : blocks_(std::move(blocks)), format_(format), decoded_(format.numbers), next_(format.numbers) {}

  void skip(std::uint64_t count) override {
    assert(count % sizeof(float) == 0);
    std::uint64_t numbers = count / sizeof(float);
    const std::uint64_t left = std::min<std::uint64_t>(numbers, decoded_.size() - next_);
    next_ += static_cast<std::size_t>(left);
    numbers -= left;
    blocks_->skip(numbers / format_.numbers * format_.bytes);
    if (const std::size_t within = numbers % format_.numbers; within > 0) {
      decode_some(1, decoded_.data());
      next_ = within;
    }
  }

  void read(std::span<std::byte> out) override {
    assert(out.size() % sizeof(float) == 0);
    std::size_t wanted = out.size() / sizeof(float), at = 0;
    const auto copy_out = [&](const float* from, std::size_t count) {
      std::memcpy(out.data() + at * sizeof(float), from, count * sizeof(float));
      at += count;
      wanted -= count;
    };
    std::vector<float> several;
    while (wanted > 0) {
      if (next_ < decoded_.size()) {
        const std::size_t count = std::min(wanted, decoded_.size() - next_);
        copy_out(decoded_.data() + next_, count);
        next_ += count;
      } else if (const std::size_t blocks = std::min(wanted / format_.numbers, most_blocks); blocks > 0) {
        several.resize(blocks * format_.numbers);
        decode_some(blocks, several.data());
        copy_out(several.data(), several.size());
      } else {
        decode_some(1, decoded_.data());
        next_ = 0;
      }
    }
  }

 private:
  static constexpr std::size_t most_blocks = 4096;  ///< the most blocks that are decoded at once

  void decode_some(std::size_t count, float* out) {
    raw_.resize(count * format_.bytes);
    blocks_->read(std::as_writable_bytes(std::span(raw_)));
    for (std::size_t i = 0; i < count; ++i) format_.decode(raw_.data() + i * format_.bytes, out + i * format_.numbers);
  }

  std::unique_ptr<ByteReader> blocks_;
  const BlockFormat& format_;
  std::vector<float> decoded_;  ///< the block of which only a part has been read
  std::size_t next_;            ///< the next number in decoded_
  std::vector<std::uint8_t> raw_;
};

}  // namespace

const BlockFormat* block_format(std::uint32_t id) {
  const auto* const found = std::ranges::find(formats, id, &BlockFormat::id);
  return found == std::end(formats) ? nullptr : found;
}

std::unique_ptr<ByteReader> block_reader(std::unique_ptr<ByteReader> blocks, const BlockFormat& format) {
  return std::make_unique<BlockReader>(std::move(blocks), format);
}

}  // namespace headlight
