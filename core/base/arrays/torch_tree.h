// The contents of torch.save's pickle: tensors as views of storages, numbers and words, under dotted names. Shared by
// the ZIP format and the format before PyTorch 1.6, which store the storages in different places.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/arrays/array_contents.h"
#include "core/base/arrays/pickle.h"
#include "core/base/files/byte_reader.h"

namespace headlight {

inline constexpr std::uint64_t max_torch_pickle = std::uint64_t{16} << 20;  ///< bytes
inline constexpr std::uint64_t max_numpy_pickle = std::uint64_t{64} << 20;  ///< bytes, those of its arrays with them

/// The location of a storage's numbers: a part of the file, and its size.
struct TorchStorage {
  std::size_t part = 0;
  std::uint64_t bytes = 0;
};
using TorchStorages = std::unordered_map<std::string, TorchStorage>;  ///< by key

/// Opens the bytes of a storage, from the first on.
using OpenStorage = std::function<std::unique_ptr<ByteReader>(std::size_t part)>;

/// Whether such a pickle may name this class or function; none of them is called.
bool is_torch_global(std::string_view global);
/// `only`: the name for a tensor that was saved on its own. Throws FileError.
ArrayContents read_torch_tree(const pickle::Tree& tree, const TorchStorages& storages, OpenStorage open,
                              const std::string& only, const ErrorPlace& place);

/// What a pickled NumPy array of objects holds, under names that begin with `name`: numpy.savez and numpy.save write
/// None or a dict that way. Nothing if it is not such an array. Throws FileError.
std::optional<ArrayContents> read_numpy_objects(const pickle::Tree& tree, const std::string& name,
                                                const ErrorPlace& place);

}  // namespace headlight
