#include "core/base/arrays/torch_globals.h"

#include "core/base/arrays/array_contents.h"
#include "core/base/arrays/torch_tree.h"

namespace headlight {
namespace torch_globals {
namespace {

// What else such tensors' descriptions name: their layout, and how they are quantised.
constexpr std::string_view of_other_tensors[] = {
    "torch.serialization._get_layout", "torch.per_tensor_affine",     "torch.per_tensor_symmetric",
    "torch.per_channel_affine",        "torch.per_channel_symmetric", "torch.per_channel_affine_float_qparams"};
// Values of Python's own library that are saved beside tensors, under the modules' names of Python 2 and 3. A dict
// among them is read as one; of the others nothing is.
constexpr std::string_view builtin_modules[] = {"__builtin__.", "builtins."};
constexpr std::string_view inert_builtins[] = {"set",    "frozenset", "bytes", "bytearray", "complex", "range",
                                               "xrange", "slice",     "list",  "dict",      "tuple",   "int",
                                               "float",  "str",       "bool",  "object"};
constexpr std::string_view inert_others[] = {"datetime.datetime",      "datetime.date",     "datetime.time",
                                             "datetime.timedelta",     "functools.partial", "collections.deque",
                                             "collections.defaultdict"};

/// A function that an object of a module refers to, such as its activation.
bool is_function_of_modules(std::string_view global) {
  return global.starts_with("torch.nn.functional.") || global.starts_with("torch._C._nn.");
}

}  // namespace

bool is_other_storage(std::string_view global) {
  return global.starts_with("torch.") && global.ends_with("Storage") && global.find('.', 6) == std::string_view::npos &&
         !dtype_called(global, &DTypeNames::storage);
}

bool is_inert_class(std::string_view global) {
  constexpr std::string_view refused[] = {"os",         "posix",  "nt",     "sys",       "builtins", "__builtin__",
                                          "subprocess", "shutil", "pty",    "code",      "socket",   "importlib",
                                          "runpy",      "ctypes", "pickle", "webbrowser"};
  const std::size_t dot = global.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == global.size()) return false;
  if (contains(refused, global.substr(0, global.find('.'))) || global.starts_with("torch.")) return false;
  const char first = global[dot + 1];
  return first >= 'A' && first <= 'Z';
}

bool is_module_class(std::string_view global) {
  const std::size_t dot = global.rfind('.');
  return global.starts_with("torch.nn.modules.") && dot + 1 < global.size() && global[dot + 1] >= 'A' &&
         global[dot + 1] <= 'Z';
}

bool has_settings(std::string_view module_class) {
  return !is_module_class(module_class) || module_class.ends_with(".MultiheadAttention") ||
         module_class.find(".Transformer") != std::string_view::npos;
}

bool is_inert_value(std::string_view global) {
  const auto is_builtin = [&](std::string_view module) {
    return global.starts_with(module) && contains(inert_builtins, global.substr(module.size()));
  };
  return contains(inert_others, global) || std::ranges::any_of(builtin_modules, is_builtin);
}

}  // namespace torch_globals

bool is_torch_global(std::string_view global) {
  using namespace torch_globals;
  return dtype_called(global, &DTypeNames::storage) || is_other_storage(global) || contains(rebuild_tensor, global) ||
         contains(rebuild_parameter, global) || contains(ignored, global) || contains(rebuild_array, global) ||
         contains(rebuild_number, global) || global == numpy_array || global == numpy_type || global == bytes_of_text ||
         global == no_bytes || global == ordered_dict || global == torch_size || global == rebuild_subclass ||
         contains(rebuild_other, global) || contains(of_other_tensors, global) || is_inert_class(global) ||
         is_inert_value(global) || is_module_class(global) || is_function_of_modules(global);
}

}  // namespace headlight
