#include "core/attention/heads.h"

#include <cassert>

namespace headlight {

Tensor split_heads(const Tensor& channels, Index heads) {
  assert(channels.rank() == 3 && channels.size(2) % heads == 0);
  return channels.view({channels.size(0), channels.size(1), heads, channels.size(2) / heads}).transpose(1, 2);
}

Tensor merge_heads(const Tensor& heads) {
  assert(heads.rank() == 4);
  return heads.transpose(1, 2).view({heads.size(0), heads.size(2), heads.size(1) * heads.size(3)});
}

}  // namespace headlight
