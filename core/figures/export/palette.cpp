// 256 colours for a picture: its own if it has no more, else by median cut.
#include <algorithm>
#include <array>
#include <cassert>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/figures/export/animation.h"

namespace headlight {
namespace {

using Key = std::uint32_t;

Key key_of(const std::uint8_t* pixel) { return Key{pixel[0]} << 16 | Key{pixel[1]} << 8 | pixel[2]; }
int channel(Key key, std::size_t which) { return static_cast<int>(key >> (16 - 8 * which) & 0xFF); }

struct Entry {
  Key key = 0;
  std::uint64_t count = 0;
};

/// Colours that get one colour of the palette: entries [first, last) of the list.
struct Bin {
  std::size_t first = 0, last = 0;
  std::uint64_t pixels = 0;
  std::size_t widest = 0;  ///< the channel with the widest range
  std::uint64_t cost = 0;  ///< number of pixels times the square of that range: the error of one colour for all of them
};

Bin bin_of(const std::vector<Entry>& entries, std::size_t first, std::size_t last) {
  Bin bin{first, last};
  std::array<int, 3> low{255, 255, 255}, high{0, 0, 0};
  for (std::size_t i = first; i < last; ++i) {
    bin.pixels += entries[i].count;
    for (std::size_t c = 0; c < 3; ++c) {
      low[c] = std::min(low[c], channel(entries[i].key, c));
      high[c] = std::max(high[c], channel(entries[i].key, c));
    }
  }
  const auto span = [&](std::size_t c) { return high[c] - low[c]; };
  for (const std::size_t c : {1u, 2u}) {
    if (span(c) > span(bin.widest)) bin.widest = c;
  }
  bin.cost = bin.pixels * static_cast<std::uint64_t>(span(bin.widest) * span(bin.widest));
  return bin;
}

Rgba mean_of(const std::vector<Entry>& entries, const Bin& bin) {
  const auto mean = [&](std::size_t c) {
    std::uint64_t sum = bin.pixels / 2;
    for (std::size_t i = bin.first; i < bin.last; ++i)
      sum += entries[i].count * static_cast<std::uint64_t>(channel(entries[i].key, c));
    return static_cast<std::uint8_t>(sum / bin.pixels);
  };
  return {mean(0), mean(1), mean(2), 255};
}

/// Cuts the bin in two at half of its pixels, along its widest channel. Returns where the second part begins.
std::size_t cut(std::vector<Entry>& entries, const Bin& bin) {
  const std::span own(entries.begin() + static_cast<std::ptrdiff_t>(bin.first), bin.last - bin.first);
  std::ranges::sort(own, {}, [&](const Entry& entry) { return std::pair(channel(entry.key, bin.widest), entry.key); });
  std::uint64_t so_far = 0;
  std::size_t at = bin.first;
  while (at + 2 < bin.last && so_far + entries[at].count <= bin.pixels / 2) so_far += entries[at++].count;
  return at + 1;
}

}  // namespace

IndexedPicture indexed(const Image& image, int most) {
  assert(most > 0 && most <= 256);
  IndexedPicture palette;
  const std::size_t pixels = image.rgba.size() / 4;
  palette.index.resize(pixels);
  std::unordered_map<Key, std::uint64_t> counted;
  for (std::size_t i = 0; i < pixels; ++i) {
    if (image.rgba[4 * i + 3] != 0) ++counted[key_of(&image.rgba[4 * i])];
  }
  std::vector<Entry> entries;
  for (const auto& [key, count] : counted) entries.push_back({key, count});
  std::ranges::sort(entries, {}, &Entry::key);  // so that equal pictures give equal files everywhere
  std::vector<Bin> bins;
  if (entries.size() <= static_cast<std::size_t>(most)) {
    for (std::size_t i = 0; i < entries.size(); ++i) bins.push_back(bin_of(entries, i, i + 1));
  } else {
    bins.push_back(bin_of(entries, 0, entries.size()));
    while (bins.size() < static_cast<std::size_t>(most)) {
      const auto worst = std::ranges::max_element(bins, {}, &Bin::cost);
      if (worst->cost == 0) break;
      const Bin bin = *worst;
      const std::size_t middle = cut(entries, bin);
      *worst = bin_of(entries, bin.first, middle);
      bins.push_back(bin_of(entries, middle, bin.last));
    }
  }
  std::unordered_map<Key, std::uint8_t> place;
  for (const Bin& bin : bins) {
    for (std::size_t i = bin.first; i < bin.last; ++i)
      place[entries[i].key] = static_cast<std::uint8_t>(palette.colours.size());
    palette.colours.push_back(mean_of(entries, bin));
  }
  for (std::size_t i = 0; i < pixels; ++i) {
    if (image.rgba[4 * i + 3] != 0) palette.index[i] = place[key_of(&image.rgba[4 * i])];
  }
  return palette;
}

}  // namespace headlight
