// Weights stored in fewer bits with scales beside them, decoded.
#pragma once

#include "core/tensor/tensor.h"

namespace headlight {

/// MXFP4 (Open Compute Project 2023), as gpt-oss has it: each 16 bytes are 32 numbers of 4 bits, the first of a pair in
/// the low half, multiplied by 2^(scale − 127). `codes` [rows, …] of 16 times as many numbers as `scales` [rows, …]:
/// [rows, 32 · scales a row].
Tensor from_mxfp4(const Tensor& codes, const Tensor& scales);

/// Rows of a matrix of 8-bit numbers (E4M3, as bytes), each block of `rows` × `columns` of the whole times its scale,
/// as DeepSeek publishes them: codes [n, in], which are rows `which` of the whole, or all where that is empty.
Tensor from_fp8(const Tensor& codes, const Tensor& scales, Index rows, Index columns, std::span<const Index> which);

}  // namespace headlight
