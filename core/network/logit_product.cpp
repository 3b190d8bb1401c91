#include "core/network/logit_product.h"

#include <algorithm>
#include <tuple>

namespace headlight {

LogitProduct logit_product(const NetworkRun& run, Index batch, Index place, Index token) {
  const Network& network = *run.network;
  const Tensor entry = run.final.slice(0, batch, 1).contiguous(), last = entry.slice(1, place, 1).contiguous();
  const Tensor row = network.before_words(network.spec().head.reads == HeadReads::first ? last : entry);
  const MatrixView logits = run.logits.matrix(batch);
  LogitProduct product;
  product.last.assign(last.values().begin(), last.values().end());
  product.row.assign(row.values().begin(), row.values().end());
  std::tie(product.word, product.bias) = network.word_row(token);
  product.scale = network.spec().head.scale;
  product.softcap = network.spec().head.softcap;
  product.logit = logits(std::min(place, logits.rows - 1), token);
  return product;
}

}  // namespace headlight
