// The shapes in which people save a stage.
#pragma once

#include <optional>

#include "core/diagnosis/own_reading.h"
#include "core/scenario/inputs.h"

namespace headlight {

struct ShapeReading {
  Tensor values;
  OwnReading how{};
};

/// `stored` as the stage, whose shape in the trace is `wanted`; nothing if it cannot be that, or can be two things.
std::optional<ShapeReading> read_shape(Stage stage, const Tensor& stored, const Shape& wanted, const Dims& dims);

/// What is wrong with a shape that could not be read, and what was expected.
OwnReading shape_complaint(Stage stage, const Shape& stored, const Shape& wanted);

}  // namespace headlight
