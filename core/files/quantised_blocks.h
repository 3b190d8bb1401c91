// Weights as ggml stores them: a row is cut into blocks of 32 or 256 numbers, each with scales of its own.
// https://github.com/ggml-org/ggml; what a block stands for is computed in float32, as ggml's reference does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/files/array_file.h"
#include "core/files/byte_reader.h"

namespace headlight {

struct BlockFormat {
  std::uint32_t id;                                       ///< ggml's number of the type
  std::string_view name;                                  ///< "Q4_K"
  std::size_t numbers;                                    ///< that a block stands for
  std::size_t bytes;                                      ///< of a block
  void (*decode)(const std::uint8_t* block, float* out);  ///< null: plain numbers of `plain`
  DType plain = DType::f32;
};

/// Null for a type that is not known.
const BlockFormat* block_format(std::uint32_t id);

/// The numbers of blocks as float32 in this machine's order.
std::unique_ptr<ByteReader> block_reader(std::unique_ptr<ByteReader> blocks, const BlockFormat& format);

}  // namespace headlight
