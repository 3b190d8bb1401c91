// What torch.save's pickle lists: tensors as views of storages, numbers and words, under their dotted names. The same
// in its ZIP format and in that of before PyTorch 1.6, which differ in where the storages are.
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

/// Where the numbers of a storage are: a part of the file, and how much it holds.
struct TorchStorage {
  std::size_t part = 0;
  std::uint64_t bytes = 0;
};
using TorchStorages = std::unordered_map<std::string, TorchStorage>;  ///< by their keys

/// The bytes of a storage, from its first on.
using OpenStorage = std::function<std::unique_ptr<ByteReader>(std::size_t part)>;

/// Classes and functions that such a pickle may name; none of them is run.
bool is_torch_global(std::string_view global);
/// `only` names a tensor that was saved alone. Throws FileError.
ArrayContents read_torch_tree(const pickle::Tree& tree, const TorchStorages& storages, OpenStorage open,
                              const std::string& only, const ErrorPlace& place);

/// Adds the plain values of a pickled NumPy array of objects, as numpy.savez writes None or a dict, under the array's
/// name. False if it is no such array or holds arrays. Throws FileError.
bool read_numpy_objects(const pickle::Tree& tree, const std::string& name, const ErrorPlace& place,
                        ArrayContents& contents);

}  // namespace headlight
