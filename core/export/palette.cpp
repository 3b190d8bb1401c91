// 256 colours for a picture: its own if it has no more, else by median cut.
#include <algorithm>
#include <array>
#include <cassert>
#include <unordered_map>

#include "core/export/animation.h"

namespace headlight {
namespace {

using Key = std::uint32_t;

Key key_of(const std::uint8_t* pixel) { return Key{pixel[0]} << 16 | Key{pixel[1]} << 8 | pixel[2]; }
int channel(Key key, int which) { return static_cast<int>(key >> (16 - 8 * which) & 0xFF); }

struct Entry {
  Key key = 0;
  std::uint64_t count = 0;
};

/// Colours that get one colour of the palette: entries [first, last) of the list.
struct Bin {
  std::size_t first = 0, last = 0;
  int widest = 0;          ///< the channel with the widest range
  std::uint64_t cost = 0;  ///< number of pixels times the square of that range: the error of one colour for all of them
};

Bin bin_of(const std::vector<Entry>& entries, std::size_t first, std::size_t last) {
  Bin bin{first, last};
  std::uint64_t pixels = 0;
  std::array<int, 3> low{255, 255, 255}, high{0, 0, 0};
  for (std::size_t i = first; i < last; ++i) {
    pixels += entries[i].count;
    for (std::size_t c = 0; c < 3; ++c) {
      low[c] = std::min(low[c], channel(entries[i].key, static_cast<int>(c)));
      high[c] = std::max(high[c], channel(entries[i].key, static_cast<int>(c)));
    }
  }
  int span = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    if (high[c] - low[c] <= span) continue;
    span = high[c] - low[c];
    bin.widest = static_cast<int>(c);
  }
  bin.cost = pixels * static_cast<std::uint64_t>(span * span);
  return bin;
}

Rgba mean_of(const std::vector<Entry>& entries, const Bin& bin) {
  std::array<std::uint64_t, 3> sum{};
  std::uint64_t pixels = 0;
  for (std::size_t i = bin.first; i < bin.last; ++i) {
    pixels += entries[i].count;
    for (std::size_t c = 0; c < 3; ++c)
      sum[c] += entries[i].count * static_cast<std::uint64_t>(channel(entries[i].key, static_cast<int>(c)));
  }
  const auto mean = [&](std::size_t c) { return static_cast<std::uint8_t>((sum[c] + pixels / 2) / pixels); };
  return {mean(0), mean(1), mean(2), 255};
}

/// Cuts the bin in two at half of its pixels, along its widest channel.
std::size_t cut(std::vector<Entry>& entries, const Bin& bin) {
  const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(bin.first),
             end = entries.begin() + static_cast<std::ptrdiff_t>(bin.last);
  std::sort(begin, end, [&](const Entry& a, const Entry& b) {
    const int x = channel(a.key, bin.widest), y = channel(b.key, bin.widest);
    return x != y ? x < y : a.key < b.key;
  });
  std::uint64_t pixels = 0, so_far = 0;
  for (auto entry = begin; entry != end; ++entry) pixels += entry->count;
  std::size_t at = bin.first;
  while (at + 2 < bin.last && so_far + entries[at].count <= pixels / 2) so_far += entries[at++].count;
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
    for (std::size_t i = 0; i < entries.size(); ++i) bins.push_back({i, i + 1});
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
