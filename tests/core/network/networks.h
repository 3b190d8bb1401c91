// The small networks in tests/fixtures, and helpers for the tests of core/network.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/arrays/array_file.h"
#include "core/compute/network/pictures.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

namespace networks {

inline const std::string folder = headlight::samples::fixture("networks").string() + "/";

/// Token ids [B, n] as the result of a tokenizer.
inline headlight::TokenBatch batch_of(const headlight::Tensor& ids) {
  headlight::TokenBatch batch;
  for (headlight::Index b = 0; b < ids.size(0); ++b) {
    std::vector<headlight::Token>& entry = batch.entries.emplace_back();
    for (headlight::Index i = 0; i < ids.size(1); ++i) {
      const auto id = static_cast<headlight::Index>(ids.at({b, i}));
      entry.push_back({id, std::to_string(id)});
    }
    batch.lengths.push_back(ids.size(1));
  }
  return batch;
}

inline headlight::NetworkText text_of(const headlight::Network& network, const headlight::ArrayFile& expected) {
  if (network.spec().takes_tensors) return network.read("");
  if (network.spec().picture) return headlight::text_of_pixels(network.spec(), expected.load("pixels"));
  headlight::NetworkText text{batch_of(expected.load("ids")), {}, {}, {}};
  if (network.spec().stacks.size() == 2) text.decoder = batch_of(expected.load("decoder_ids"));
  return text;
}

/// The maximum of |a − b| − (1e-4 + 1e-3·|b|). The tensors differ if it is above 0.
inline double excess(const headlight::Tensor& got, const headlight::Tensor& expected) {
  REQUIRE(got.defined());
  REQUIRE(got.shape() == expected.shape());
  const headlight::Tensor a = got.contiguous(), b = expected.contiguous();
  double most = -1;
  for (std::size_t i = 0; i < a.values().size(); ++i) {
    const double x = static_cast<double>(a.values()[i]), y = static_cast<double>(b.values()[i]);
    const double over = std::abs(x - y) - (1e-4 + 1e-3 * std::abs(y));
    most = std::isnan(over) ? 1e9 : std::max(most, over);
  }
  return most;
}

}  // namespace networks
