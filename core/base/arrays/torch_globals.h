// Which classes and functions the pickles of PyTorch and NumPy may name. None of them is imported or run.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace headlight::torch_globals {

inline constexpr std::string_view rebuild_tensor[] = {"torch._utils._rebuild_tensor",
                                                      "torch._utils._rebuild_tensor_v2"};
inline constexpr std::string_view rebuild_parameter[] = {"torch._utils._rebuild_parameter",
                                                         "torch._utils._rebuild_parameter_with_state"};
// Settings that are often saved beside tensors; they are ignored.
inline constexpr std::string_view ignored[] = {"torch.device",  "torch.float16", "torch.bfloat16", "torch.float32",
                                               "torch.float64", "torch.int8",    "torch.uint8",    "torch.int16",
                                               "torch.int32",   "torch.int64",   "torch.bool",     "torch.strided"};
inline constexpr std::string_view ordered_dict = "collections.OrderedDict";
inline constexpr std::string_view torch_size = "torch.Size";
// The functions that NumPy's pickles call. The module was renamed in NumPy 2.
inline constexpr std::string_view rebuild_array[] = {"numpy.core.multiarray._reconstruct",
                                                     "numpy._core.multiarray._reconstruct"};
inline constexpr std::string_view rebuild_number[] = {"numpy.core.multiarray.scalar", "numpy._core.multiarray.scalar"};
// A tensor of a class of its own; tensors that are no plain numbers in a storage, which are listed as skipped.
inline constexpr std::string_view rebuild_subclass = "torch._tensor._rebuild_from_type_v2";
inline constexpr std::string_view rebuild_other[] = {
    "torch._utils._rebuild_sparse_tensor", "torch._utils._rebuild_sparse_csr_tensor", "torch._utils._rebuild_qtensor"};
inline constexpr std::string_view numpy_array = "numpy.ndarray", numpy_type = "numpy.dtype",
                                  bytes_of_text = "_codecs.encode", no_bytes = "__builtin__.bytes";

template <typename Names>
bool contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

/// torch.ComplexFloatStorage, torch.QInt8Storage …: tensors of these types are listed as skipped, and refused where
/// they are needed.
bool is_other_storage(std::string_view global);
/// Whether a global is a class of some library that cannot harm the machine. Its objects are read as plain containers.
bool is_inert_class(std::string_view global);
/// Whether a global is a value of Python's own library that is neither used nor harmful.
bool is_inert_value(std::string_view global);
/// Whether a global is a class of PyTorch's modules: torch.save(module) saves objects of them.
bool is_module_class(std::string_view global);
/// Whether the attributes of a module are settings of attention. Those of a Linear or a Dropout are not.
bool has_settings(std::string_view module_class);

}  // namespace headlight::torch_globals
