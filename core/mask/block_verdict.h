// What a mask says of a whole block of cells, from the ends of the intervals that q and k run over: nothing is
// evaluated cell by cell, so that whoever goes through 131,072² of them can pass over what is empty and what is full.
#pragma once

#include "core/mask/evaluate.h"

namespace headlight {

enum class BlockVerdict : std::uint8_t {
  none,     ///< no cell may attend
  unknown,  ///< some may, or it cannot be told without looking
  all,      ///< every cell may
};

/// Of queries [q0, q1) and keys [k0, k1) at (b, h); neither range is empty. Never wrong, now and then undecided.
BlockVerdict block_verdict(const MaskExpression& expression, const MaskContext& context, Index b, Index h, Index q0,
                           Index q1, Index k0, Index k1);

}  // namespace headlight
