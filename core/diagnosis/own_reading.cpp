#include "core/diagnosis/own_reading.h"

namespace headlight {

std::string in_words(const OwnReading& reading) {
  const std::string stored = to_string(reading.stored);
  switch (reading.kind) {
    case OwnReading::Kind::as_it_is: return {};
    case OwnReading::Kind::other_axes: return stored + " read as " + to_string(reading.expected);
    case OwnReading::Kind::one_for_all_heads: return stored + " read as one matrix for all heads";
    case OwnReading::Kind::batch_and_heads_first: return stored + " read as [B·H, …]";
    case OwnReading::Kind::repeated_heads: return stored + " read as key/value heads repeated for each query head";
    case OwnReading::Kind::sequence_first: return stored + " read as [n, B, …], the sequence first";
    case OwnReading::Kind::additive_mask: return "additive, read as true where it is 0";
    case OwnReading::Kind::no_mask:
      return "holds other numbers than 0 and 1; expected true where a query may attend, else false";
    case OwnReading::Kind::wrong_shape: break;
  }
  std::string text = "is " + stored + "; expected " + to_string(reading.expected);
  if (reading.hint == OwnReading::Hint::transpose_missing) text += " (is .transpose(1, 2) missing?)";
  if (reading.hint == OwnReading::Hint::rows_and_columns) text += " (rows and columns have changed places)";
  return text;
}

}  // namespace headlight
