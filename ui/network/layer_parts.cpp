// Of the layer that is looked at: the experts that each word chose, and what the step for the next word reads of it.
#include <algorithm>

#include "ui/look/measure.h"
#include "ui/network/network_scene.h"

namespace headlight {

float experts_height(const Pen& pen, const NetworkFacts& facts, Index layer) {
  const Tensor& shares = facts.experts.empty() ? Tensor() : facts.experts[static_cast<std::size_t>(layer)];
  return shares.defined() ? pen.type.caption * 1.25f * static_cast<float>(std::min<Index>(shares.size(1), 8)) : 0;
}

void put_experts(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, Index layer, Rect room) {
  const Tensor& shares = facts.experts[static_cast<std::size_t>(layer)];
  const Look& look = pen.look();
  const Index batch = std::min(pen.context().view.batch, shares.size(0) - 1), count = shares.size(2);
  const float u = pen.u(), pitch = pen.type.caption * 1.25f;
  const WordLines& lines = *overview.layers[static_cast<std::size_t>(layer)].queries;
  const Index fits = std::max<Index>(1, static_cast<Index>(room.height() / pitch));
  const Index first = std::max<Index>(0, shares.size(1) - fits);
  const float words = room.width() * 0.24f, cell = (room.width() - words) / static_cast<float>(count);
  float most = 0;
  for (const float share : shares.contiguous().values()) most = std::max(most, share);
  for (Index i = first; i < shares.size(1); ++i) {
    const float top = room.min.y + static_cast<float>(i - first) * pitch;
    const std::string word =
        lines.empty() ? std::to_string(i) : lines[static_cast<std::size_t>(batch)][static_cast<std::size_t>(i)];
    pen.text(TextRole::word, Face::ui, pen.type.caption, {room.min.x + words - 8 * u, top + pitch / 2}, Align::right,
             look.muted, elide(pen.context().fonts, Face::ui, pen.type.caption, word, words - 8 * u));
    pen.fill({{room.min.x + words, top + u}, {room.max.x, top + pitch - u}}, look.field);
    for (Index expert = 0; expert < count; ++expert) {
      const float share = shares.at({batch, i, expert});
      if (!(share > 0)) continue;
      const float x = room.min.x + words + static_cast<float>(expert) * cell;
      const float width = std::max(cell - (cell > 6 * u ? u : 0), 2.0f);
      pen.fill({{x, top + u}, {std::min(x + width, room.max.x), top + pitch - u}},
               fade(look.after, 0.2f + 0.8f * share / most));
    }
  }
}

namespace {

const char* key_of(KeysShared shared) {
  switch (shared) {
    case KeysShared::mha: return "network.shared_mha";
    case KeysShared::gqa: return "network.shared_gqa";
    case KeysShared::mqa: return "network.shared_mqa";
    case KeysShared::mla: return "network.shared_mla";
  }
  return "network.shared_mha";
}

}  // namespace

const DecodeLayer* decoded(const HeadOverview& overview, const NetworkFacts& facts, Index layer) {
  const auto found =
      std::ranges::find(facts.decode, overview.layers[static_cast<std::size_t>(layer)].layer, &DecodeLayer::layer);
  return found == facts.decode.end() ? nullptr : &*found;
}

std::string decode_words(const Pen& pen, const DecodeLayer& layer, Index words) {
  constexpr Index bytes_a_number = 2;
  const Words& said = pen.context().words;
  return said.fill(key_of(layer.shared), {std::to_string(layer.heads), std::to_string(layer.kv_heads)}) + " " +
         said.fill("network.kept_says",
                   {std::to_string(words - 1 - layer.first), std::to_string(layer.numbers * bytes_a_number),
                    std::to_string(layer.as_mha * bytes_a_number)});
}

/// A cell a word, from the first on: read, out of sight, and the last one, whose keys and values are new.
void put_decode(Pen& pen, const DecodeLayer& layer, Index words, Rect room) {
  const Look& look = pen.look();
  const float cell = room.width() / static_cast<float>(words), gap = cell > 5 * pen.u() ? pen.u() : 0;
  for (Index i = 0; i < words; ++i) {
    const float x = room.min.x + static_cast<float>(i) * cell;
    const ImU32 colour = i + 1 == words ? look.k : i < layer.first ? look.field : fade(look.k, 0.35f);
    pen.fill({{x, room.min.y}, {std::max(x + cell - gap, x + 1), room.max.y}}, colour);
  }
}

}  // namespace headlight
