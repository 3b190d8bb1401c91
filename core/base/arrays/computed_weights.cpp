#include "core/base/arrays/computed_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

namespace headlight {
namespace {

/// How a weight is computed from its parts, whose shapes fit.
struct Method {
  std::string_view name;
  bool (*fits)(std::span<const Shape> parts);
  Tensor (*compute)(std::span<const Tensor> parts);
};

/// The index in a smaller tensor of the same number of axes, whose sizes are 1 or those of `shape`.
Index broadcast_index(Index at, const Shape& shape, const Shape& smaller) {
  Index index = 0, step = 1;
  for (std::size_t axis = smaller.size(); axis-- > 0; at /= shape[axis], step *= smaller[axis]) {
    if (smaller[axis] > 1) index += at % shape[axis] * step;
  }
  return index;
}

bool norm_fits(std::span<const Shape> parts) {
  const Shape &g = parts[0], &v = parts[1];
  return g.empty() || std::ranges::equal(g, v, [](Index a, Index b) { return a == 1 || a == b; });
}

/// v divided by its norm, times g (Salimans and Kingma 2016): a norm for each number of g.
Tensor weight_norm(std::span<const Tensor> parts) {
  const Tensor &g = parts[0], &v = parts[1];
  std::vector<double> squares(static_cast<std::size_t>(g.count()), 0);
  const auto place = [&](Index i) { return static_cast<std::size_t>(broadcast_index(i, v.shape(), g.shape())); };
  const std::span<const float> from = v.values();
  for (Index i = 0; i < v.count(); ++i) {
    const auto value = static_cast<double>(from[static_cast<std::size_t>(i)]);
    squares[place(i)] += value * value;
  }
  Buffer made(from.size());
  for (Index i = 0; i < v.count(); ++i) {
    const std::size_t at = place(i);
    made[static_cast<std::size_t>(i)] =
        static_cast<float>(static_cast<double>(from[static_cast<std::size_t>(i)]) *
                           (static_cast<double>(g.values()[at]) / std::sqrt(squares[at])));
  }
  return Tensor(v.shape(), std::move(made));
}

bool spectral_fits(std::span<const Shape> parts) {
  const Shape& w = parts[0];
  return w.size() >= 2 && parts[1] == Shape{w[0]} && parts[2] == Shape{element_count(w) / std::max<Index>(w[0], 1)};
}

/// The weight divided by its largest singular value, u · W v (Miyato et al. 2018), with the vectors of the file.
Tensor spectral_norm(std::span<const Tensor> parts) {
  const std::span<const float> w = parts[0].values(), u = parts[1].values(), v = parts[2].values();
  double sigma = 0;
  for (std::size_t row = 0; row < u.size(); ++row) {
    double sum = 0;
    for (std::size_t col = 0; col < v.size(); ++col)
      sum += static_cast<double>(w[row * v.size() + col]) * static_cast<double>(v[col]);
    sigma += static_cast<double>(u[row]) * sum;
  }
  Buffer made(w.begin(), w.end());
  for (float& number : made) number = static_cast<float>(static_cast<double>(number) / sigma);
  return Tensor(parts[0].shape(), std::move(made));
}

bool mask_fits(std::span<const Shape> parts) { return parts[0] == parts[1]; }

/// The weight, 0 where the mask is 0.
Tensor pruned(std::span<const Tensor> parts) {
  Buffer made(parts[0].values().begin(), parts[0].values().end());
  for (std::size_t i = 0; i < made.size(); ++i) made[i] *= parts[1].values()[i];
  return Tensor(parts[0].shape(), std::move(made));
}

constexpr Method weight_normed{"weight_norm", norm_fits, weight_norm};
constexpr Method spectral_normed{"spectral_norm", spectral_fits, spectral_norm};
constexpr Method mask_applied{"prune", mask_fits, pruned};

/// The endings of the parts, after the weight's name: "weight_g" for "weight", or for a parametrization
/// "parametrizations.weight.original0".
struct Form {
  const Method* method;
  bool parametrization;
  std::vector<std::string_view> endings;  ///< of the parts, in the order of the method
};
const Form forms[] = {
    {&weight_normed, false, {"_g", "_v"}},
    {&weight_normed, true, {".original0", ".original1"}},
    {&spectral_normed, false, {"_orig", "_u", "_v"}},
    {&spectral_normed, true, {".original", ".0._u", ".0._v"}},
    {&mask_applied, false, {"_orig", "_mask"}},
};

/// The name of the weight of which `name` is the first part; "" if it is none.
std::string weight_of(std::string_view name, const Form& form) {
  constexpr std::string_view folder = "parametrizations.";
  if (!name.ends_with(form.endings[0])) return {};
  std::string weight(name.substr(0, name.size() - form.endings[0].size()));
  if (form.parametrization) {
    const std::size_t at = weight.rfind(folder);
    return at == std::string::npos ? std::string() : weight.erase(at, folder.size());
  }
  return weight.ends_with("weight") || weight.ends_with("bias") ? weight : std::string();
}

/// A weight and the entries from which it is computed.
struct Computed {
  std::string name;
  const Method* method;
  std::vector<std::size_t> parts;
};

std::vector<Computed> find_computed(const ArrayContents& contents) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < contents.entries.size(); ++i) places.emplace(contents.entries[i].name, i);
  std::vector<Computed> found;
  for (const ArrayEntry& entry : contents.entries) {
    for (const Form& form : forms) {
      Computed weight{weight_of(entry.name, form), form.method, {}};
      if (weight.name.empty() || places.contains(weight.name)) continue;
      const std::string stem = entry.name.substr(0, entry.name.size() - form.endings[0].size());
      std::vector<Shape> shapes;
      for (const std::string_view ending : form.endings) {
        const auto part = places.find(stem + std::string(ending));
        if (part == places.end()) break;
        weight.parts.push_back(part->second);
        shapes.push_back(contents.entries[part->second].shape);
      }
      if (shapes.size() < form.endings.size() || !form.method->fits(shapes)) continue;
      found.push_back(std::move(weight));
      break;
    }
  }
  return found;
}

/// The numbers of the weight as the bytes of float32.
std::unique_ptr<ByteReader> computed_bytes(const ArrayContents& stored, const Computed& weight,
                                           const ErrorPlace& place) {
  std::vector<Tensor> parts;
  for (const std::size_t part : weight.parts)
    parts.push_back(read_array(stored.layouts[part], *stored.open(part, ZipCheck::whole)));
  const Tensor made = weight.method->compute(parts);
  const std::span<const std::byte> bytes = std::as_bytes(made.values());
  return memory_reader(std::make_shared<const std::string>(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                       place.array(weight.name));
}

}  // namespace

ArrayContents with_computed_weights(ArrayContents contents, const ErrorPlace& place) {
  const std::vector<Computed> found = find_computed(contents);
  if (found.empty()) return contents;
  const auto stored = std::make_shared<const ArrayContents>(std::move(contents));
  ArrayContents all;
  all.skipped = stored->skipped;
  all.numbers = stored->numbers;
  all.texts = stored->texts;
  all.words = stored->words;
  std::vector<bool> is_part(stored->entries.size(), false);
  for (const Computed& weight : found) {
    for (const std::size_t part : weight.parts) is_part[part] = true;
  }
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < is_part.size(); ++i) {
    if (is_part[i]) continue;
    kept.push_back(i);
    all.add(stored->entries[i].name, stored->layouts[i]);
  }
  for (const Computed& weight : found) {
    const bool largest_last = weight.method == &weight_normed;
    const Shape& shape = stored->entries[largest_last ? weight.parts[1] : weight.parts[0]].shape;
    const bool native_big_endian = std::endian::native == std::endian::big;
    all.add(weight.name, {DType::f32, shape, row_major_strides(shape), 0, native_big_endian});
    all.entries.back().computed_by = weight.method->name;
  }
  all.open = [stored, kept, found, place](std::size_t entry, ZipCheck check) {
    return entry < kept.size() ? stored->open(kept[entry], check)
                               : computed_bytes(*stored, found[entry - kept.size()], place);
  };
  return all;
}

}  // namespace headlight
