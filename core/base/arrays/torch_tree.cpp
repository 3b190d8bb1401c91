#include "core/base/arrays/torch_tree.h"

#include <algorithm>

#include "core/base/arrays/array_contents.h"
#include "core/base/arrays/torch_globals.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/message.h"

namespace headlight {
namespace {

using namespace torch_globals;
using pickle::Ref;

constexpr std::size_t max_depth = 64;                          // of nested dictionaries, and of axes
constexpr std::size_t max_visits = 1'000'000;                  // an object counts each time that the tree refers to it
constexpr std::size_t max_name_bytes = std::size_t{16} << 20;  // of all names together
constexpr Index max_expanded = Index{1} << 25;                 // elements of a tensor that has more than its storage

/// Walks the pickle's tree and lists the tensors and numbers in it under their dotted names.
class TorchReader {
 public:
  TorchReader(const pickle::Tree& tree, const TorchStorages& storages, const ErrorPlace& place)
      : tree_(tree), storages_(storages), place_(place), budget_(place) {}

  /// Where an array's bytes are: in a part of the file, or in the pickle itself.
  struct Source {
    std::size_t part = 0;
    std::shared_ptr<const std::string> bytes{};
  };
  ArrayContents contents;
  std::vector<Source> sources;

  void visit(Ref ref, const std::string& name, std::size_t depth) {
    if (depth > max_depth) fail(Message("is nested more than {0} deep", max_depth));
    name_bytes_ += name.size();
    if (++visits_ > max_visits || name_bytes_ > max_name_bytes) fail("repeats itself into more than a million values");
    const pickle::Node& node = tree_.nodes[ref];
    if (const auto* dict = std::get_if<pickle::Dict>(&node)) return visit_items(dict->items, name, depth);
    if (const auto* list = std::get_if<pickle::List>(&node)) return visit_list(*list, name, depth);
    if (const auto* call = std::get_if<pickle::Call>(&node)) return visit_call(*call, name, depth);
    if (const auto* flag = std::get_if<bool>(&node)) contents.numbers[name] = *flag ? 1 : 0;
    if (const auto* integer = std::get_if<std::int64_t>(&node)) contents.numbers[name] = static_cast<double>(*integer);
    if (const auto* number = std::get_if<double>(&node)) contents.numbers[name] = *number;
    if (const auto* text = std::get_if<std::string>(&node)) contents.texts[name] = copied(*text);
  }

  /// Reads a pair (attention, tokens) in either order, as some scripts save them; false if `ref` is something else.
  bool visit_pair(Ref ref) {
    const auto* pair = std::get_if<pickle::List>(&tree_.nodes[ref]);
    if (!pair || pair->items.size() != 2) return false;
    const auto is_words = [&](Ref item) {
      const auto* list = std::get_if<pickle::List>(&tree_.nodes[item]);
      return list && words_of(*list).has_value();
    };
    const bool words_first = is_words(pair->items[0]);
    if (words_first == is_words(pair->items[1])) return false;
    visit(pair->items[words_first ? 1 : 0], "attentions", 1);
    visit(pair->items[words_first ? 0 : 1], "tokens", 1);
    return true;
  }

 private:
  [[noreturn]] void fail(const Message& wrong) const { place_.fail_damaged(Message("its pickle {0}", wrong)); }

  std::string copied(const std::string& text) {
    budget_.strings(1);
    budget_.bytes(text.size() + sizeof(std::string));
    return text;
  }

  static std::string join(const std::string& name, const std::string& key) {
    return name.empty() ? key : name + "." + key;
  }

  void visit_items(const std::vector<std::pair<Ref, Ref>>& items, const std::string& name, std::size_t depth) {
    for (const auto& [key, value] : items) {
      const pickle::Node& k = tree_.nodes[key];
      if (const auto* text = std::get_if<std::string>(&k)) {
        visit(value, join(name, *text), depth + 1);
      } else if (const auto* integer = std::get_if<std::int64_t>(&k)) {
        visit(value, join(name, std::to_string(*integer)), depth + 1);
      }  // under another key, such as None or a tuple, nothing is looked for
    }
  }
  /// The strings of a list, with their number; nothing if it holds other items.
  std::optional<std::vector<std::string>> strings_of(const pickle::List& list) {
    std::vector<std::string> strings;
    for (const Ref ref : list.items) {
      const auto* text = std::get_if<std::string>(&tree_.nodes[ref]);
      if (!text) return {};
      strings.push_back(copied(*text));
    }
    return strings.empty() ? std::nullopt : std::optional(std::move(strings));
  }

  /// A list of strings, or a list of lists of strings with equal lengths.
  std::optional<ArrayWords> words_of(const pickle::List& list) {
    if (auto strings = strings_of(list)) return ArrayWords{{static_cast<Index>(strings->size())}, std::move(*strings)};
    ArrayWords all;
    for (const Ref ref : list.items) {
      const auto* inner = std::get_if<pickle::List>(&tree_.nodes[ref]);
      if (++visits_ > max_visits) fail("repeats itself into more than a million values");
      auto strings = inner ? strings_of(*inner) : std::nullopt;
      const auto width = strings ? static_cast<Index>(strings->size()) : 0;
      if (!strings || (!all.shape.empty() && all.shape[1] != width)) return {};
      if (all.words.size() + strings->size() > max_visits) fail("repeats itself into more than a million values");
      all.shape = {static_cast<Index>(list.items.size()), width};
      all.words.insert(all.words.end(), strings->begin(), strings->end());
    }
    return all.shape.empty() ? std::nullopt : std::optional(std::move(all));
  }

  void visit_list(const pickle::List& list, const std::string& name, std::size_t depth) {
    if (auto words = words_of(list)) {
      contents.words[name] = [words = std::move(*words)]() { return words; };
      return;
    }
    for (std::size_t i = 0; i < list.items.size(); ++i) visit(list.items[i], join(name, std::to_string(i)), depth + 1);
  }
  void visit_call(const pickle::Call& call, const std::string& name, std::size_t depth) {
    const std::string& callee = global(call.callee);
    if (callee == ordered_dict) return visit_items(call.items, name, depth);
    if (callee == torch_size) return visit(argument(call, 0), name, depth + 1);
    if (contains(rebuild_parameter, callee)) return visit(argument(call, 0), name, depth + 1);
    if (contains(rebuild_tensor, callee)) return add_tensor(call, name);
    if (contains(rebuild_array, callee)) return add_array(call, name);
    if (contains(rebuild_number, callee)) return add_number(call, name);
    if (callee == rebuild_subclass) return visit_subclass(call, name, depth);
    if (contains(rebuild_other, callee)) {
      budget_.arrays(1);
      contents.skipped.push_back({name, "it is a sparse or quantised tensor, which is not read"});
      return;
    }
    if (callee == numpy_type || callee == bytes_of_text) return;
    if (is_inert_class(callee) || is_inert_value(callee) || is_module_class(callee))
      return visit_object(call, name, depth);
    if (!contains(ignored, callee)) fail(Message("calls {0}, which makes no tensor", callee));
  }

  /// An object of an unknown class, such as a ModelOutput: its items are read, its code is not run.
  void visit_object(const pickle::Call& call, const std::string& name, std::size_t depth) {
    if (!call.items.empty()) return visit_items(call.items, name, depth);
    const auto* attributes = call.state ? std::get_if<pickle::Dict>(&tree_.nodes[*call.state]) : nullptr;
    const bool is_module = attributes && tree_.has(*call.state, "_parameters") && tree_.has(*call.state, "_modules");
    if (is_module) visit_module(*attributes, global(call.callee), name, depth);
    else if (attributes) visit_items(attributes->items, name, depth);
  }

  /// A module that was saved whole: its parameters, buffers and modules under the names of its state_dict, and the
  /// settings among its attributes.
  void visit_module(const pickle::Dict& attributes, const std::string& of_class, const std::string& name,
                    std::size_t depth) {
    for (const auto& [key, value] : attributes.items) {
      const auto* text = std::get_if<std::string>(&tree_.nodes[key]);
      if (!text) continue;
      if (*text == "_parameters" || *text == "_buffers" || *text == "_modules") {
        visit(value, name, depth + 1);
      } else if (of_class.ends_with(".LayerNorm")
                     ? *text == "eps"
                     : !text->starts_with('_') && *text != "training" && has_settings(of_class)) {
        const auto* function = std::get_if<pickle::Global>(&tree_.nodes[value]);
        if (function) contents.texts[join(name, *text)] = copied(function->name.substr(function->name.rfind('.') + 1));
        else visit(value, join(name, *text), depth + 1);
      }
    }
  }

  /// (function, class, its arguments, attributes): the numbers are those of the tensor that the function makes.
  void visit_subclass(const pickle::Call& call, const std::string& name, std::size_t depth) {
    if (depth > max_depth || ++visits_ > max_visits) fail(Message("is nested more than {0} deep", max_depth));
    visit_call({argument(call, 0), argument(call, 2)}, name, depth + 1);
  }

  const std::string& global(Ref ref) const {
    const auto* g = std::get_if<pickle::Global>(&tree_.nodes[ref]);
    if (g == nullptr) fail("has something else where a class belongs");
    return g->name;
  }
  const std::vector<Ref>& list(Ref ref) const {
    const auto* l = std::get_if<pickle::List>(&tree_.nodes[ref]);
    if (l == nullptr) fail("has something else where a tuple belongs");
    return l->items;
  }
  Index integer(Ref ref) const {
    const auto* i = std::get_if<std::int64_t>(&tree_.nodes[ref]);
    if (i == nullptr) fail("has something else where an integer belongs");
    return *i;
  }
  Shape integers(Ref ref) const {
    // In the description of a tensor a torch.Size is a call.
    if (const auto* call = std::get_if<pickle::Call>(&tree_.nodes[ref])) return integers_of(list(argument(*call, 0)));
    return integers_of(list(ref));
  }
  Shape integers_of(const std::vector<Ref>& refs) const {
    if (refs.size() > max_depth) fail(Message("has a tensor of {0} axes", refs.size()));
    Shape result;
    for (const Ref ref : refs) result.push_back(integer(ref));
    return result;
  }
  Ref argument(const pickle::Call& call, std::size_t i) const {
    const std::vector<Ref>& arguments = list(call.arguments);
    if (i >= arguments.size()) fail(Message("calls {0} with too few arguments", global(call.callee)));
    return arguments[i];
  }

  struct NumpyType {
    std::optional<DType> dtype;
    std::string word;  ///< "f4", "O8"
    bool big_endian = false;
  };
  /// numpy.dtype("f4", False, True) with the state (3, "<", …).
  NumpyType numpy_type_of(Ref ref) const {
    const auto* call = std::get_if<pickle::Call>(&tree_.nodes[ref]);
    if (call == nullptr || global(call->callee) != numpy_type) fail("has something else where a NumPy type belongs");
    const auto* word = std::get_if<std::string>(&tree_.nodes[argument(*call, 0)]);
    if (word == nullptr) fail("has a NumPy type without a name");
    NumpyType type{dtype_called(*word, &DTypeNames::numpy), *word};
    if (call->state) {
      const std::vector<Ref>& state = list(*call->state);
      const auto* order = state.size() > 1 ? std::get_if<std::string>(&tree_.nodes[state[1]]) : nullptr;
      type.big_endian = order && *order == ">";
    }
    return type;
  }
  /// Bytes; before protocol 3 a call with their text in Latin-1.
  std::string raw_bytes(Ref ref) const {
    if (const auto* bytes = std::get_if<pickle::Bytes>(&tree_.nodes[ref])) return bytes->bytes;
    const auto* call = std::get_if<pickle::Call>(&tree_.nodes[ref]);
    if (call && global(call->callee) == no_bytes && list(call->arguments).empty()) return {};
    if (call == nullptr || global(call->callee) != bytes_of_text)
      fail("has something else where the bytes of a NumPy array belong");
    const auto* text = std::get_if<std::string>(&tree_.nodes[argument(*call, 0)]);
    if (text == nullptr) fail("has something else where the bytes of a NumPy array belong");
    std::string bytes;
    for (std::size_t i = 0; i < text->size(); ++i) {
      const auto c = static_cast<unsigned char>((*text)[i]);
      if (c < 0x80) {
        bytes.push_back(static_cast<char>(c));
      } else {
        const auto next = i + 1 < text->size() ? static_cast<unsigned char>((*text)[i + 1]) : 0U;
        if ((c != 0xC2 && c != 0xC3) || (next & 0xC0U) != 0x80) fail("has bytes of a NumPy array that are no Latin-1");
        bytes.push_back(static_cast<char>((c & 3U) << 6U | (next & 0x3FU)));
        ++i;
      }
    }
    return bytes;
  }

  /// _reconstruct(numpy.ndarray, (0,), b"b") with the state (version, shape, type, whether by columns, bytes).
  void add_array(const pickle::Call& call, const std::string& name) {
    const ErrorPlace place = place_.array(name);
    budget_.arrays(1);
    if (global(argument(call, 0)) != numpy_array || !call.state)
      place.fail_damaged("it is not one of numpy's arrays as pickle writes them");
    const std::vector<Ref>& state = list(*call.state);
    if (state.size() != 5) place.fail_damaged("it is not one of numpy's arrays as pickle writes them");
    const NumpyType type = numpy_type_of(state[2]);
    if (!type.dtype) {
      contents.skipped.push_back(
          {name, Message("its elements are of NumPy's type {0}, which is not read", in_quotes(type.word))});
      return;
    }
    ArrayLayout layout{*type.dtype, integers(state[1]), {}, 0, type.big_endian};
    const std::optional<Index> count = checked_count(layout.shape);
    const auto* by_columns = std::get_if<bool>(&tree_.nodes[state[3]]);
    budget_.bytes(std::visit(
        [](const auto& node) -> std::uint64_t {
          if constexpr (requires { node.bytes.size(); }) return node.bytes.size();
          return 0;
        },
        tree_.nodes[state[4]]));
    auto bytes = std::make_shared<const std::string>(raw_bytes(state[4]));
    if (!count || static_cast<std::uint64_t>(*count) * byte_size(*type.dtype) != bytes->size())
      place.fail_damaged(
          Message("its shape {0} does not fit its {1}", to_string(layout.shape), byte_count(bytes->size())));
    layout.strides = by_columns && *by_columns ? column_major_strides(layout.shape) : row_major_strides(layout.shape);
    contents.add(name, std::move(layout));
    sources.push_back({0, std::move(bytes)});
  }

  /// scalar(type, bytes)
  void add_number(const pickle::Call& call, const std::string& name) {
    const NumpyType type = numpy_type_of(argument(call, 0));
    if (!type.dtype) return;
    const std::string bytes = raw_bytes(argument(call, 1));
    if (bytes.size() != byte_size(*type.dtype)) fail(Message("has a NumPy number of {0}", byte_count(bytes.size())));
    contents.numbers[name] = decode_number(*type.dtype, type.big_endian, std::as_bytes(std::span(bytes)));
  }

  struct Storage {
    DType dtype;
    std::size_t part;
    Index count;
  };

  /// ('storage', torch.FloatStorage, key, location, number of elements)
  Storage storage(Ref ref, const ErrorPlace& place) const {
    const auto* persistent = std::get_if<pickle::Persistent>(&tree_.nodes[ref]);
    if (persistent == nullptr) place.fail_damaged("its storage is not one of torch.save's");
    const std::vector<Ref>& id = list(persistent->id);
    if (id.size() < 5) place.fail_damaged("its storage is not one of torch.save's");
    const std::optional<DType> dtype = dtype_called(global(id[1]), &DTypeNames::storage);
    const auto* key = std::get_if<std::string>(&tree_.nodes[id[2]]);
    const Index count = integer(id[4]);
    if (!dtype || key == nullptr) place.fail_damaged("its storage is not one of torch.save's");
    if (id.size() > 5 && !std::holds_alternative<pickle::None>(tree_.nodes[id[5]]))
      place.fail_damaged("its storage is a view of another, which is not read");
    const auto it = storages_.find(*key);
    if (it == storages_.end())
      place.fail_damaged(Message("its storage {0} is missing from the archive", in_quotes(*key)));
    const std::uint64_t have = it->second.bytes;
    if (!checked_count({count}) || static_cast<std::uint64_t>(count) * byte_size(*dtype) > have) {
      place.fail_damaged(Message("its storage should hold {0} numbers of {1}, but has {2}", count,
                                 std::string(headlight::name(*dtype)), byte_count(have)));
    }
    return {*dtype, it->second.part, count};
  }

  /// The class of the storage, if this is a tensor that torch.save describes.
  std::string storage_class(Ref ref) const {
    const auto* persistent = std::get_if<pickle::Persistent>(&tree_.nodes[ref]);
    const auto* id = persistent ? std::get_if<pickle::List>(&tree_.nodes[persistent->id]) : nullptr;
    return id && id->items.size() >= 5 ? global(id->items[1]) : std::string();
  }

  /// Whether the tensor is negated or conjugated when it is read: {"neg": True} after its hooks.
  bool is_turned(const pickle::Call& call) const {
    const std::vector<Ref>& arguments = list(call.arguments);
    const auto* marks = arguments.size() > 6 ? std::get_if<pickle::Dict>(&tree_.nodes[arguments[6]]) : nullptr;
    return marks && std::ranges::any_of(marks->items, [&](const auto& item) {
             const auto* set = std::get_if<bool>(&tree_.nodes[item.second]);
             return set && *set;
           });
  }

  /// (storage, offset, sizes, strides, requires_grad, hooks, {"conj": …, "neg": …})
  void add_tensor(const pickle::Call& call, const std::string& name) {
    const ErrorPlace place = place_.array(name);
    budget_.arrays(1);
    if (const std::string from = storage_class(argument(call, 0)); is_other_storage(from)) {
      contents.skipped.push_back({name, Message("its numbers are in a {0}, which is not read", from)});
      return;
    }
    if (is_turned(call)) {
      contents.skipped.push_back({name, "it is a negated or conjugated view of its storage, which is not read"});
      return;
    }
    const Storage from = storage(argument(call, 0), place);
    const Index offset = integer(argument(call, 1));
    ArrayLayout layout{from.dtype, integers(argument(call, 2)), integers(argument(call, 3)), 0, false};
    if (layout.shape.size() != layout.strides.size()) place.fail_damaged("it has not as many strides as axes");
    const std::optional<Index> count = checked_count(layout.shape);
    if (!count) place.fail_damaged(Message("its shape {0} is impossible", to_string(layout.shape)));
    const std::optional<Index> extent = checked_extent(layout.shape, layout.strides);
    if (!extent || offset < 0 || (*extent > 0 && (offset > from.count || *extent > from.count - offset))) {
      place.fail_damaged(Message("its shape {0} with strides {1} reaches past the {2} numbers of its storage",
                                 to_string(layout.shape), to_string(layout.strides), from.count));
    }
    if (*count > from.count && *count > max_expanded) {
      place.fail(Message("its shape {0} repeats the {1} numbers of its storage too often", to_string(layout.shape),
                         from.count),
                 "a tensor saved without expand()");
    }
    if (*extent > 0) layout.offset = static_cast<std::uint64_t>(offset) * byte_size(from.dtype);
    contents.add(name, std::move(layout));
    sources.push_back({from.part});
  }

  const pickle::Tree& tree_;
  const TorchStorages& storages_;
  const ErrorPlace& place_;
  std::size_t visits_ = 0;
  std::size_t name_bytes_ = 0;
  LoadBudget budget_;  ///< counts copied texts: many references can lead to one long string
};

}  // namespace

namespace {

/// The reader's contents, with the bytes of arrays from the pickle or from a storage.
ArrayContents contents_of(TorchReader& reader, OpenStorage open, const ErrorPlace& place) {
  reader.contents.open = [place, open = std::move(open), sources = std::move(reader.sources)](std::size_t i, ZipCheck) {
    return sources[i].bytes ? memory_reader(sources[i].bytes, place) : open(sources[i].part);
  };
  return std::move(reader.contents);
}

}  // namespace

ArrayContents read_torch_tree(const pickle::Tree& tree, const TorchStorages& storages, OpenStorage open,
                              const std::string& only, const ErrorPlace& place) {
  TorchReader reader(tree, storages, place);
  const auto* root = std::get_if<pickle::Call>(&tree.nodes[tree.root]);
  const bool is_tensor = root != nullptr && root->items.empty() && !root->state;
  if (!reader.visit_pair(tree.root)) reader.visit(tree.root, is_tensor ? only : std::string(), 0);
  return contents_of(reader, std::move(open), place);
}

std::optional<ArrayContents> read_numpy_objects(const pickle::Tree& tree, const std::string& name,
                                                const ErrorPlace& place) {
  const auto list_at = [&](pickle::Ref ref) { return std::get_if<pickle::List>(&tree.nodes[ref]); };
  const auto* call = std::get_if<pickle::Call>(&tree.nodes[tree.root]);
  const auto* callee = call ? std::get_if<pickle::Global>(&tree.nodes[call->callee]) : nullptr;
  const auto* state = callee && contains(rebuild_array, callee->name) && call->state ? list_at(*call->state) : nullptr;
  if (!state || state->items.size() != 5) return {};
  const auto *shape = list_at(state->items[1]), *elements = list_at(state->items[4]);
  if (!shape || !elements) return {};
  const TorchStorages none;
  TorchReader reader(tree, none, place);
  const bool single = shape->items.empty() && elements->items.size() == 1;
  reader.visit(single ? elements->items.front() : state->items[4], name, 0);
  return contents_of(reader, {}, place);
}

}  // namespace headlight
