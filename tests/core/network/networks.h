// The small networks of tests/fixtures, and what the tests of core/network ask of them.
#pragma once

#include <string>

#include "core/files/array_file.h"
#include "core/network/network.h"
#include "tests/core/files/samples.h"

namespace networks {

inline const std::string folder = headlight::samples::fixture("networks").string() + "/";

/// Token ids [B, n] as what a tokenizer would have made.
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
  headlight::NetworkText text{batch_of(expected.load("ids")), {}, {}, {}};
  if (network.spec().stacks.size() == 2) text.decoder = batch_of(expected.load("decoder_ids"));
  return text;
}

}  // namespace networks
