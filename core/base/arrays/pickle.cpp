#include "core/base/arrays/pickle.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "core/base/tensor/message.h"

namespace headlight::pickle {
namespace {

constexpr std::size_t max_values = 1'000'000;

class Machine {
 public:
  Machine(std::span<const std::byte> bytes, const std::function<bool(std::string_view)>& allowed,
          const ErrorPlace& place)
      : bytes_(bytes), allowed_(allowed), place_(place) {}

  Tree run() {
    if (bytes_.empty() || std::to_integer<unsigned>(bytes_[0]) != 0x80) fail("is not a pickle of protocol 2 to 5");
    while (step(byte())) {}
    if (!marks_.empty() || stack_.size() != 1) fail("stops half way");
    tree_.root = pop();
    return std::move(tree_);
  }
  std::size_t taken() const { return at_; }

 private:
  [[noreturn]] void fail(const Message& wrong) const {
    place_.fail(Message("its pickle {0}", wrong),
                "tensors and plain containers, as torch.save(net.state_dict(), …) writes them");
  }

  // Reading bytes.
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > bytes_.size() - at_) fail("ends early");
    const auto result = bytes_.subspan(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return result;
  }
  unsigned char byte() { return std::to_integer<unsigned char>(take(1)[0]); }
  std::uint64_t little_endian(std::size_t count) {
    std::uint64_t value = 0;
    const auto raw = take(count);
    for (std::size_t i = 0; i < count; ++i) value |= std::to_integer<std::uint64_t>(raw[i]) << (8 * i);
    return value;
  }
  std::string raw(std::uint64_t count) {
    const auto bytes = take(count);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::string text(std::uint64_t count) {
    std::string result = raw(count);
    if (!is_utf8(result)) fail("has a string that is not UTF-8");
    return result;
  }
  std::string line() {
    const auto rest = bytes_.subspan(at_);
    const auto end = std::find(rest.begin(), rest.end(), std::byte{'\n'});
    if (end == rest.end()) fail("ends early");
    std::string result = text(static_cast<std::uint64_t>(end - rest.begin()));
    ++at_;
    return result;
  }

  // The virtual machine's stack.
  void push_ref(Ref ref) {
    if (stack_.size() >= max_values) fail("holds more than a million values");
    stack_.push_back(ref);
  }
  void push(Node node) {
    if (tree_.nodes.size() >= max_values) fail("holds more than a million values");
    tree_.nodes.push_back(std::move(node));
    push_ref(static_cast<Ref>(tree_.nodes.size() - 1));
  }
  Ref pop() {
    if (stack_.size() <= floor()) fail("takes more values than it made");
    const Ref ref = stack_.back();
    stack_.pop_back();
    return ref;
  }
  Ref top() const {
    if (stack_.size() <= floor()) fail("takes more values than it made");
    return stack_.back();
  }
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  void mark() {
    if (marks_.size() >= max_values) fail("holds more than a million values");
    marks_.push_back(stack_.size());
  }
  std::vector<Ref> pop_to_mark() {
    if (marks_.empty()) fail("takes more values than it made");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Ref> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return items;
  }

  // Opcodes.
  void memoize(std::uint64_t key) {
    if (memo_.size() >= max_values) fail("holds more than a million values");
    memo_[key] = top();
  }
  void recall(std::uint64_t key) {
    const auto it = memo_.find(key);
    if (it == memo_.end()) fail("refers to a value that it never stored");
    push_ref(it->second);
  }
  void tuple(std::size_t count) {
    std::vector<Ref> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    push(List{std::move(items)});
  }
  void append(const std::vector<Ref>& items) {
    if (std::holds_alternative<Call>(tree_.nodes[top()])) return;  // a deque, whose items are not used
    auto* list = std::get_if<List>(&tree_.nodes[top()]);
    if (list == nullptr) fail("appends to something that is not a list");
    list->items.insert(list->items.end(), items.begin(), items.end());
  }
  void set_items(const std::vector<Ref>& items) {
    if (items.size() % 2 != 0) fail("sets a key without a value");
    Node& node = tree_.nodes[top()];
    auto* dict = std::get_if<Dict>(&node);
    auto* call = std::get_if<Call>(&node);
    if (dict == nullptr && call == nullptr) fail("sets items of something that is not a dictionary");
    auto& pairs = dict != nullptr ? dict->items : call->items;
    for (std::size_t i = 0; i < items.size(); i += 2) pairs.emplace_back(items[i], items[i + 1]);
  }
  void global(const std::string& module, const std::string& name) {
    std::string full = module + "." + name;
    if (!allowed_(full)) fail(Message("asks for {0}, which is never run", in_quotes(full)));
    push(Global{std::move(full)});
  }
  void stack_global() {
    const Ref name = pop();
    const Ref module = pop();
    const auto* n = std::get_if<std::string>(&tree_.nodes[name]);
    const auto* m = std::get_if<std::string>(&tree_.nodes[module]);
    if (n == nullptr || m == nullptr) fail("names a class by something that is not a string");
    global(std::string(*m), std::string(*n));
  }
  void call() {
    const Ref arguments = pop();
    const Ref callee = pop();
    if (!std::holds_alternative<Global>(tree_.nodes[callee])) fail("calls something that is not a function");
    push(Call{callee, arguments});
  }
  void long_integer(std::uint64_t count) {
    if (count > 8) {
      take(count);
      push(Opaque{});
      return;
    }
    std::uint64_t value = little_endian(static_cast<std::size_t>(count));
    const auto bits = static_cast<unsigned>(8 * count);
    if (count > 0 && count < 8 && (value >> (bits - 1)) != 0) value |= ~std::uint64_t{0} << bits;
    push(static_cast<std::int64_t>(value));
  }
  void binary_float() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8 | byte();
    push(std::bit_cast<double>(bits));
  }

  bool step(unsigned char opcode);
  bool step_values(unsigned char opcode);
  bool step_memo(unsigned char opcode);

  std::span<const std::byte> bytes_;
  const std::function<bool(std::string_view)>& allowed_;
  const ErrorPlace& place_;
  std::size_t at_ = 0;
  Tree tree_;
  std::vector<Ref> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, Ref> memo_;
};

/// Runs an opcode for a scalar, a string or an empty container; false if it is another opcode.
bool Machine::step_values(unsigned char opcode) {
  switch (opcode) {
    case 'N': push(None{}); return true;
    case 0x88: push(true); return true;
    case 0x89: push(false); return true;
    case 'K': push(static_cast<std::int64_t>(little_endian(1))); return true;
    case 'M': push(static_cast<std::int64_t>(little_endian(2))); return true;
    case 'J': push(std::int64_t{static_cast<std::int32_t>(little_endian(4))}); return true;
    case 0x8a: long_integer(byte()); return true;
    case 0x8b: long_integer(little_endian(4)); return true;
    case 'G': binary_float(); return true;
    case 'X': push(text(little_endian(4))); return true;
    case 0x8c: push(text(byte())); return true;
    case 0x8d: push(text(little_endian(8))); return true;
    case 'U': push(text(byte())); return true;
    case 'T': push(text(little_endian(4))); return true;
    case 'C': push(Bytes{raw(byte())}); return true;
    case 'B': push(Bytes{raw(little_endian(4))}); return true;
    case 0x8e: push(Bytes{raw(little_endian(8))}); return true;
    case ']':
    case ')': push(List{}); return true;
    case '}': push(Dict{}); return true;
    case 0x8f: push(Opaque{}); return true;  // EMPTY_SET
    default: return false;
  }
}

bool Machine::step_memo(unsigned char opcode) {
  switch (opcode) {
    case 'q': memoize(byte()); return true;
    case 'r': memoize(little_endian(4)); return true;
    case 0x94: memoize(memo_.size()); return true;
    case 'h': recall(byte()); return true;
    case 'j': recall(little_endian(4)); return true;
    default: return false;
  }
}

/// False at the end.
bool Machine::step(unsigned char opcode) {
  if (step_values(opcode) || step_memo(opcode)) return true;
  switch (opcode) {
    case 0x80: {  // PROTO
      const unsigned protocol = byte();
      if (protocol < 2 || protocol > 5) fail(Message("is of protocol {0}", protocol));
      return true;
    }
    case 0x95: take(8); return true;  // FRAME: its length is not needed
    case '.': return false;
    case '(': mark(); return true;
    case '0': pop(); return true;
    case '1': pop_to_mark(); return true;
    case '2': push_ref(top()); return true;
    case 0x85: tuple(1); return true;
    case 0x86: tuple(2); return true;
    case 0x87: tuple(3); return true;
    case 't':
    case 'l': push(List{pop_to_mark()}); return true;
    case 'a': append({pop()}); return true;
    case 'e': append(pop_to_mark()); return true;
    case 's': {
      const Ref value = pop();
      const Ref key = pop();
      set_items({key, value});
      return true;
    }
    case 'u': set_items(pop_to_mark()); return true;
    case 0x90: pop_to_mark(); return true;  // ADDITEMS, to a set
    case 0x91:
      pop_to_mark();
      push(Opaque{});
      return true;  // FROZENSET
    case 'c': {
      const std::string module = line();
      global(module, line());
      return true;
    }
    case 0x93: stack_global(); return true;
    case 'R':
    case 0x81: call(); return true;
    case 'b': {  // BUILD: attributes, such as a state dict's _metadata
      const Ref state = pop();
      if (auto* call = std::get_if<Call>(&tree_.nodes[top()])) call->state = state;
      return true;
    }
    case 'Q': push(Persistent{pop()}); return true;
    default:
      fail(Message("has an instruction that tensors do not need ({0})",
                   in_quotes(std::string(1, static_cast<char>(opcode)))));
  }
}

}  // namespace

Tree read(std::span<const std::byte> bytes, const std::function<bool(std::string_view)>& allowed,
          const ErrorPlace& place) {
  return Machine(bytes, allowed, place).run();
}

Tree take(std::span<const std::byte>& bytes, const std::function<bool(std::string_view)>& allowed,
          const ErrorPlace& place) {
  Machine machine(bytes, allowed, place);
  Tree tree = machine.run();
  bytes = bytes.subspan(machine.taken());
  return tree;
}

}  // namespace headlight::pickle
