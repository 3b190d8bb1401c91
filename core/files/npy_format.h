// NumPy's .npy header, versions 1 to 3: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <optional>
#include <string>

#include "core/files/array_contents.h"
#include "core/tensor/message.h"

namespace headlight {

struct NpyHeader {
  /// strides and offset filled in; the offset counts from the start of the .npy
  ArrayLayout layout;
  /// Why the elements are of no use here ("its elements are text (<U3)"); empty where they are numbers.
  Message unusable;
  /// Of text: bytes of one element, and whether its characters have four each (U) or one (S); 0 where it is none.
  std::uint64_t text_bytes = 0;
  bool wide = false;
};

/// The words of a .npy of text, row-major, at most a million and 64 MB. `reader` stands at its start.
std::vector<std::string> read_words(ByteReader& reader, const NpyHeader& header, const ErrorPlace& place);

/// The header of a row-major `<f4` or `|b1` array, version 1, padded so that the numbers start at a multiple of 64.
std::string npy_header(const Shape& shape, bool boolean);

}  // namespace headlight
