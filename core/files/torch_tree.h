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

#include "core/files/array_contents.h"
#include "core/files/byte_reader.h"
#include "core/files/pickle.h"

namespace headlight {

inline constexpr std::uint64_t max_torch_pickle = std::uint64_t{16} << 20;  ///< bytes

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

/// Adds the plain values of a pickled NumPy array of objects under the array's name; numpy.savez writes None or a dict
/// that way. False if it is not such an array, or holds arrays. Throws FileError.
bool read_numpy_objects(const pickle::Tree& tree, const std::string& name, const ErrorPlace& place,
                        ArrayContents& contents);

}  // namespace headlight
