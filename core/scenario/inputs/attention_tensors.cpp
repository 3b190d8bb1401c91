// Saved attention as [B, H, n_q, n_k] of one layer, from axes in any order, lists of arrays, the steps of generate(),
// and bands.
#include <algorithm>
#include <cmath>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/memory.h"
#include "core/scenario/inputs/attention_axes.h"

namespace headlight {
namespace {

std::size_t index_of(Index index) { return static_cast<std::size_t>(index); }

/// The numbers of one step of generate(), [B, H, q, k] or fewer axes.
Tensor step_of(const TensorFile& file, const PrecomputedAttention& found, Index step, Index layer) {
  const Index layers = found.lists.size() > 1 ? found.lists[1] : 1;
  const Tensor stored = file.load(found.weights[index_of(step * layers + layer)]).contiguous();
  Shape shape = stored.shape();
  while (shape.size() < 4) shape.insert(shape.begin(), 1);
  return stored.view(shape);
}

/// How many keys each row of the steps has, and how many the widest has. A cache of fixed length has zeros behind.
struct StepKeys {
  std::vector<Index> known;  ///< of each row
  Index keys = 0;
};

bool is_zero_from(const Tensor& step, Index first) {
  const Index width = step.size(3), rows = step.count() / width;
  for (Index row = 0; row < rows; ++row) {
    for (Index k = first; k < width; ++k) {
      if (step.values()[index_of(row * width + k)] != 0) return false;
    }
  }
  return true;
}

StepKeys keys_of_steps(const TensorFile& file, const PrecomputedAttention& found, Index layer) {
  const Index steps = found.lists[0];
  const Tensor prompt = step_of(file, found, 0, layer);
  const Index rows = prompt.size(2), width = step_of(file, found, steps - 1, layer).size(3);
  // The keys of cross-attention are the other sequence's, all there from the first step on: zeros there are its
  // padding.
  const bool is_cross = found.group.find("cross") != std::string::npos;
  bool is_fixed = prompt.size(3) == width && steps > 1 && !is_cross;
  for (Index step = 0; step < steps && is_fixed; ++step)
    is_fixed = is_zero_from(step_of(file, found, step, layer), rows + step);
  StepKeys made;
  for (Index row = 0; row < rows + steps - 1; ++row) {
    const Index step = std::max<Index>(0, row - rows + 1);
    made.known.push_back(is_fixed ? rows + step : step_of(file, found, step, layer).size(3));
  }
  made.keys = made.known.back();
  return made;
}

Tensor joined_steps(const TensorFile& file, const PrecomputedAttention& found, Index layer) {
  const StepKeys sizes = keys_of_steps(file, found, layer);
  const Tensor prompt = step_of(file, found, 0, layer);
  const Index batch = prompt.size(0), heads = prompt.size(1), rows = static_cast<Index>(sizes.known.size());
  Buffer cells(index_of(batch * heads * rows * sizes.keys), 0);
  Index row = 0;
  for (Index s = 0; s < found.lists[0]; ++s) {
    const Tensor step = step_of(file, found, s, layer);
    const Index width = step.size(3), queries = step.size(2), keys = std::min(width, sizes.keys);
    for (Index bh = 0; bh < batch * heads; ++bh) {
      for (Index q = 0; q < queries; ++q) {
        const auto from = step.values().begin() + static_cast<std::ptrdiff_t>((bh * queries + q) * width);
        std::copy_n(from, keys, cells.begin() + static_cast<std::ptrdiff_t>((bh * rows + row + q) * sizes.keys));
      }
    }
    row += queries;
  }
  return Tensor({batch, heads, rows, sizes.keys}, std::move(cells));
}

/// Where the axes of a layer are: the arrays of a list, and the strides within an array.
class LayerOf {
 public:
  LayerOf(const TensorFile& file, const PrecomputedAttention& found, const SavedAxes& axes, Index layer)
      : file_(file), found_(found), axes_(axes), layer_(layer), letters_(axes.letters.substr(found.lists.size())) {
    const Tensor first = array_at(0, 0);
    if (first.rank() != static_cast<Index>(letters_.size()) || first.count() == 0)
      throw FileError(file.path(), Message("{0} has shape {1}", in_quotes(name_at(0, 0)), to_string(first.shape())),
                      Message("expected {0}, with no empty axis", axes_in_words(found, axes)));
    shape_ = first.shape();
  }

  std::string name_at(Index b, Index h) const {
    Index place = 0;
    for (std::size_t level = 0; level < found_.lists.size(); ++level) {
      const char letter = axes_.letters[level];
      place = place * found_.lists[level] + (letter == 'L' ? layer_ : letter == 'B' ? b : h);
    }
    return found_.weights[index_of(place)];
  }
  Tensor array_at(Index b, Index h) const {
    const std::string name = name_at(b, h);
    const Tensor stored = file_.load(name);
    if (!shape_.empty() && stored.shape() != shape_)
      throw FileError(file_.path(), Message("{0} has shape {1}", in_quotes(name), to_string(stored.shape())),
                      Message("expected {0}, as the others have", to_string(shape_)));
    return stored.contiguous();
  }
  Index size(char letter) const {
    const std::size_t place = axes_.letters.find(letter);
    if (place == std::string::npos) return 1;
    return place < found_.lists.size() ? found_.lists[place] : shape_[place - found_.lists.size()];
  }
  Index stride(char letter) const {
    const std::size_t place = letters_.find(letter);
    if (place == std::string::npos) return 0;
    Index stride = 1;
    for (std::size_t axis = place + 1; axis < shape_.size(); ++axis) stride *= shape_[axis];
    return stride;
  }
  Index batch() const { return size('B') * (size('M') / (has_both() ? axes_.heads : 1)); }
  Index heads() const { return has_both() ? axes_.heads : size('H'); }
  char key() const { return letters_.find('o') == std::string::npos ? 'k' : 'o'; }

  /// Whether the layer is a part of one array as it is.
  bool is_view() const {
    std::string rest = letters_;
    std::erase(rest, 'L');
    const bool layers_first = letters_.find('L') == std::string::npos || letters_[0] == 'L';
    const bool lists_of_layers = found_.lists.empty() || (found_.lists.size() == 1 && axes_.letters[0] == 'L');
    std::size_t place = 0;
    for (const char letter : rest) {
      place = std::string_view("BHqk").find(letter, place);
      if (place == std::string::npos) return false;
    }
    return layers_first && lists_of_layers;
  }
  Tensor view() const {
    const Tensor array = array_at(0, 0);
    const Tensor one = letters_[0] == 'L' ? array.slice(0, layer_, 1) : array;
    return one.view({batch(), heads(), size('q'), size('k')});
  }
  Tensor copied() const {
    const Index n_q = size('q'), n_k = size(key()), step_q = stride('q'), step_k = stride(key());
    const Index step_h = has_both() ? stride('M') : stride('H'),
                step_b = has_both() ? stride('M') * axes_.heads : stride('B');
    Buffer cells;
    cells.reserve(index_of(batch() * heads() * n_q * n_k));
    for (Index b = 0; b < batch(); ++b) {
      for (Index h = 0; h < heads(); ++h) {
        const Tensor array = array_at(b, h);
        const float* from = array.values().data() + layer_ * stride('L') + b * step_b + h * step_h;
        for (Index q = 0; q < n_q; ++q) {
          for (Index k = 0; k < n_k; ++k) cells.push_back(from[q * step_q + k * step_k]);
        }
      }
    }
    return Tensor({batch(), heads(), n_q, n_k}, std::move(cells));
  }

 private:
  bool has_both() const { return letters_.find('M') != std::string::npos; }

  const TensorFile& file_;
  const PrecomputedAttention& found_;
  const SavedAxes& axes_;
  Index layer_;
  std::string letters_;  ///< of the arrays
  Shape shape_{};
};

/// A band [B, H, n, width], whose cell j of query q is key q + first + j, as [B, H, n, n].
Tensor from_band(const TensorFile& file, const Tensor& band, Index first) {
  const Index n = band.size(2), width = band.size(3), matrices = band.size(0) * band.size(1);
  const double bytes = 4.0 * static_cast<double>(matrices) * static_cast<double>(n) * static_cast<double>(n);
  if (bytes > memory_budget())
    throw FileError(file.path(), Message("holds a band of {0} queries, whose matrices are too large", n),
                    "expected fewer queries");
  Buffer cells(index_of(matrices * n * n), 0);
  for (Index row = 0; row < matrices * n; ++row) {
    const Index q = row % n;
    for (Index j = 0; j < width; ++j) {
      const float value = band.values()[index_of(row * width + j)];
      const Index k = q + first + j;
      if (k >= 0 && k < n) {
        cells[index_of(row * n + k)] = value;
      } else if (value != 0 && !std::isnan(value)) {
        throw FileError(file.path(), Message("holds a weight of query {0} for key {1} of {2}", q, k, n),
                        "expected another first offset in --axes, or columns that are no offsets, as of global keys");
      }
    }
  }
  return Tensor({band.size(0), band.size(1), n, n}, std::move(cells));
}

}  // namespace

bool are_steps(const ArrayFile& file, const PrecomputedAttention& found) {
  const Shape& lists = found.lists;
  if (lists.empty() || lists.size() > 2 || lists[0] < 2) return false;
  const Index layers = lists.size() > 1 ? lists[1] : 1;
  const auto shape = [&](Index step, Index layer) {
    return file.find(found.weights[index_of(step * layers + layer)])->shape;
  };
  const std::size_t rank = shape(0, 0).size();
  bool grows = true, stays = true;
  for (Index layer = 0; layer < layers; ++layer) {
    for (Index step = 1; step < lists[0]; ++step) {
      const Shape last = shape(step - 1, layer), now = shape(step, layer);
      if (now.size() != rank || last.size() != rank || now[rank - 2] != 1) return false;
      if (!std::equal(now.begin(), now.end() - 2, last.begin())) return false;
      grows = grows && now[rank - 1] == last[rank - 1] + 1;
      stays = stays && now[rank - 1] == last[rank - 1];
    }
  }
  // With keys of fixed length only a list of lists of four axes is certain: it has more axes than attention has.
  return grows || (stays && lists.size() == 2 && rank == 4);
}

Tensor weights_of(const TensorFile& file, const PrecomputedAttention& found, const SavedAxes& axes, Index layer) {
  const std::string number = " layer " + std::to_string(layer);
  if (found.steps)
    return file.made(found.group + " steps of" + number, [&] { return joined_steps(file, found, layer); });
  const LayerOf parts(file, found, axes, layer);
  const std::string recipe = found.group + " " + axes.letters + std::to_string(axes.heads) + number;
  if (parts.is_view()) return file.made(recipe, [&] { return parts.view(); });
  if (parts.key() == 'k') return file.made(recipe, [&] { return parts.copied(); });
  return file.made(recipe + " from " + std::to_string(axes.first_offset),
                   [&] { return from_band(file, parts.copied(), axes.first_offset); });
}

Tensor stored_cells(const TensorFile& file, const PrecomputedAttention& found, const SavedAxes& axes, Index layer) {
  if (found.steps) {
    const StepKeys sizes = keys_of_steps(file, found, layer);
    const Index rows = static_cast<Index>(sizes.known.size());
    if (sizes.known.front() == sizes.keys) return {};
    Buffer cells;
    for (const Index known : sizes.known) {
      for (Index k = 0; k < sizes.keys; ++k) cells.push_back(k < known ? 1.0F : 0.0F);
    }
    return Tensor({1, 1, rows, sizes.keys}, std::move(cells));
  }
  if (axes.letters.find('o') == std::string::npos) return {};
  const LayerOf parts(file, found, axes, layer);
  const Index n = parts.size('q'), width = parts.size('o');
  Buffer cells;
  for (Index q = 0; q < n; ++q) {
    for (Index k = 0; k < n; ++k) {
      const Index offset = k - q - axes.first_offset;
      cells.push_back(offset >= 0 && offset < width ? 1.0F : 0.0F);
    }
  }
  return Tensor({1, 1, n, n}, std::move(cells));
}

}  // namespace headlight
