// A reader of Python's pickles, protocols 2 to 5, that builds a plain tree and runs nothing: a call becomes a node with
// the function's name and its arguments. https://github.com/python/cpython/blob/main/Lib/pickletools.py
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/files/error_place.h"

namespace headlight::pickle {

/// A node's position in Tree::nodes. The same node may be referred to many times, even from within itself.
using Ref = std::uint32_t;

struct None {};
/// A value that is not used: sets, integers beyond 64 bits.
struct Opaque {};
struct Bytes {
  std::string bytes;
};
/// A list or a tuple.
struct List {
  std::vector<Ref> items;
};
struct Dict {
  std::vector<std::pair<Ref, Ref>> items;
};
/// "collections.OrderedDict"
struct Global {
  std::string name;
};
/// What REDUCE would have called, the items then set on the result, as on an OrderedDict, and the state that BUILD
/// would have given it.
struct Call {
  Ref callee;
  Ref arguments;
  std::vector<std::pair<Ref, Ref>> items{};
  std::optional<Ref> state{};
};
/// A reference to something outside the pickle: torch's storages.
struct Persistent {
  Ref id;
};

using Node =
    std::variant<None, Opaque, Bytes, bool, std::int64_t, double, std::string, List, Dict, Global, Call, Persistent>;

struct Tree {
  std::vector<Node> nodes;
  Ref root = 0;

  /// Whether a dict has something under that name.
  bool has(Ref dict, std::string_view name) const {
    const auto* table = std::get_if<Dict>(&nodes[dict]);
    for (std::size_t i = 0; table && i < table->items.size(); ++i) {
      const auto* key = std::get_if<std::string>(&nodes[table->items[i].first]);
      if (key && *key == name) return true;
    }
    return false;
  }
  /// What a dict has under that name; null where it is no dict, has no such name, or something else there.
  template <typename Value>
  const Value* find(Ref dict, std::string_view name) const {
    const auto* table = std::get_if<Dict>(&nodes[dict]);
    for (std::size_t i = 0; table && i < table->items.size(); ++i) {
      const auto* key = std::get_if<std::string>(&nodes[table->items[i].first]);
      if (key && *key == name) return std::get_if<Value>(&nodes[table->items[i].second]);
    }
    return nullptr;
  }
};

/// Throws FileError where the pickle is damaged or grows beyond a million values, and where it names a class or
/// function
/// ("os.system") that `allowed` does not accept.
Tree read(std::span<const std::byte> bytes, const std::function<bool(std::string_view)>& allowed,
          const ErrorPlace& place);
/// The first of several in a row, and `bytes` becomes what follows it.
Tree take(std::span<const std::byte>& bytes, const std::function<bool(std::string_view)>& allowed,
          const ErrorPlace& place);

}  // namespace headlight::pickle
