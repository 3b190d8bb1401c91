// What torch.save's pickle lists: tensors as views of storages, numbers and words, under their dotted names. The same
// in its ZIP format and in that of before PyTorch 1.6, which differ in where the storages are.
#pragma once

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

struct TorchArrays {
  ArrayContents contents;  ///< but for `open`
  std::vector<std::size_t>
      parts;  ///< of the contents' arrays; `inline_part` + i: the bytes are not in a storage but in inlined[i]
  std::vector<std::shared_ptr<const std::string>> inlined;

  static constexpr std::size_t inline_part = std::size_t{1} << (8 * sizeof(std::size_t) - 1);
  /// The bytes of an array that lies in the pickle itself; null for one in a storage.
  static std::unique_ptr<ByteReader> read_inlined(const std::vector<std::shared_ptr<const std::string>>& inlined,
                                                  std::size_t part, const ErrorPlace& place);
};

/// Classes and functions that such a pickle may name; none of them is run.
bool is_torch_global(std::string_view global);
/// `only` names a tensor that was saved alone. Throws FileError.
TorchArrays read_torch_tree(const pickle::Tree& tree, const TorchStorages& storages, const std::string& only,
                            const ErrorPlace& place);

}  // namespace headlight
