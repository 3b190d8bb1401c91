#include "core/scenario/mask_shapes.h"

#include <algorithm>

#include "core/tensor/message.h"

namespace headlight {
namespace {

/// One way to read a shape: what its axes are called, their sizes, and which of [B, H, n_q, n_k] each of them is.
struct Reading {
  const char* axes;
  Shape sizes;
  std::vector<std::size_t> slots;
};
constexpr std::size_t batch_and_head = 4;  // in place of a slot: one axis that counts both

std::vector<Reading> readings(const Dims& d, Index rank, MaskKind kind) {
  const Reading query_key{"[n_q, n_k]", {d.n_q, d.n_k}, {2, 3}};
  const Reading batch_key{"[B, n_k]", {d.batch, d.n_k}, {0, 3}};
  const Reading per_batch{"[B, n_q, n_k]", {d.batch, d.n_q, d.n_k}, {0, 2, 3}};
  const Reading per_head{"[H, n_q, n_k]", {d.heads, d.n_q, d.n_k}, {1, 2, 3}};
  const Reading both{"[B·H, n_q, n_k]", {d.batch * d.heads, d.n_q, d.n_k}, {batch_and_head, 2, 3}};
  if (rank == 1) return {{"[n_k]", {d.n_k}, {3}}};
  if (rank == 2) {
    if (kind == MaskKind::key_padding) return {batch_key};
    if (kind == MaskKind::per_token) return {batch_key, query_key};
    return {query_key, batch_key};
  }
  if (rank == 3) {
    if (kind == MaskKind::torch_attn) return {both, per_batch, per_head};
    if (kind == MaskKind::bias) return {per_head, per_batch, both};
    return {per_batch, both, per_head};
  }
  if (rank == 4) return {{"[B, H, n_q, n_k]", {d.batch, d.heads, d.n_q, d.n_k}, {0, 1, 2, 3}}};
  return {};
}

Message expected_shapes(const Dims& d, MaskKind kind) {
  std::string text;
  for (const Index rank : {2, 3, 4}) {
    if (kind == MaskKind::key_padding && rank > 2) break;
    for (const Reading& reading : readings(d, rank, kind)) {
      text += (text.empty() ? "" : ", ") + std::string(reading.axes) + " = " + to_string(reading.sizes);
    }
  }
  return {kind == MaskKind::key_padding ? "expected {0}" : "expected {0}, any axis may be 1", text};
}

bool fits(const Shape& stored, const Shape& sizes) {
  return std::equal(stored.begin(), stored.end(), sizes.begin(), sizes.end(),
                    [](Index a, Index b) { return a == b || a == 1; });
}

}  // namespace

PlacedMask placed_mask(const FileReading& r, const Dims& d, const std::string& name, MaskKind kind) {
  const Shape& found = r.file.arrays().find(name)->shape;  // nothing is read that does not fit
  for (const Reading& reading : readings(d, static_cast<Index>(found.size()), kind)) {
    if (!fits(found, reading.sizes)) continue;
    const Tensor stored = r.load(name);
    Shape shape(4, 1);
    for (std::size_t i = 0; i < reading.slots.size(); ++i) {
      const Index size = found[i];
      if (reading.slots[i] != batch_and_head) {
        shape[reading.slots[i]] = size;
      } else if (size != 1) {
        shape[0] = d.batch;
        shape[1] = d.heads;
      }
    }
    return {stored.view(shape), reading.axes};
  }
  r.fail(r.shape_of(name), expected_shapes(d, kind));
}

}  // namespace headlight
