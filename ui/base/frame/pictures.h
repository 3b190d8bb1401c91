// Pictures: a cache of what was computed to be drawn. It holds one value per type and recomputes it when its inputs
// change.
#pragma once

#include <cassert>
#include <memory>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

namespace headlight {

class Pictures {
 public:
  /// The T that `make` returns; computed again only if one of `parts` differs from the last call. The parts are copied
  /// only then, so a steady frame allocates nothing. The reference is valid until the frame ends.
  template <typename T, typename Make, typename... Parts>
  T& get(Make&& make, const Parts&... parts) {
    using Slot = Kept<T, std::decay_t<Parts>...>;
    for (const std::unique_ptr<Entry>& entry : entries_) {
      if (entry->type != typeid(T)) continue;
      assert(dynamic_cast<Slot*>(entry.get()) != nullptr);  // each T is always requested with the same types of parts
      auto& slot = static_cast<Slot&>(*entry);
      entry->used = true;
      if (slot.parts != std::tie(parts...)) {
        slot.value = make();
        slot.parts = std::tuple<std::decay_t<Parts>...>(parts...);
      }
      return slot.value;
    }
    auto made = std::make_unique<Slot>(make(), std::tuple<std::decay_t<Parts>...>(parts...));
    T& value = made->value;
    entries_.push_back(std::move(made));
    return value;
  }

  /// The same without a type of its own. The value is kept under the type of `make`, a lambda: one for each place in
  /// the code that calls this.
  template <typename Make, typename... Parts>
  auto& kept(const Make& make, const Parts&... parts) {
    static_assert(std::is_class_v<Make>);  // functions of one signature share their type
    struct Named {
      std::invoke_result_t<const Make&> value;
    };
    return get<Named>([&] { return Named{make()}; }, parts...).value;
  }

  /// The cached value; null if there is none.
  template <typename T>
  const T* find() const {
    for (const std::unique_ptr<Entry>& entry : entries_) {
      if (entry->type == typeid(T)) return static_cast<const T*>(entry->what());
    }
    return nullptr;
  }

  /// Begins a frame that shows `trace`.
  void begin_frame(const void* trace) {
    changed_ = trace != trace_;
    trace_ = trace;
    unfinished_ = false;
    for (const auto& entry : entries_) entry->used = false;
  }
  /// Ends the frame: if the trace changed, entries that were not requested and share its tensors are dropped, so that
  /// no old trace stays in memory.
  void end_frame() {
    if (changed_) std::erase_if(entries_, [](const auto& entry) { return entry->shares && !entry->used; });
  }
  std::size_t count() const { return entries_.size(); }

  /// Requests another frame, for computations spread over several frames.
  void go_on() { unfinished_ = true; }
  bool unfinished() const { return unfinished_; }

 private:
  template <typename T>
  struct is_shared : std::false_type {};
  template <typename T>
  struct is_shared<std::shared_ptr<T>> : std::true_type {};

  struct Entry {
    Entry(std::type_index of, bool shares_numbers) : type(of), shares(shares_numbers) {}
    virtual ~Entry() = default;
    virtual const void* what() const = 0;
    std::type_index type;
    bool shares = false, used = true;
  };
  template <typename T, typename... Parts>
  struct Kept final : Entry {
    Kept(T made, std::tuple<Parts...> from)
        : Entry(typeid(T), (is_shared<Parts>::value || ...)), value(std::move(made)), parts(std::move(from)) {}
    const void* what() const override { return &value; }
    T value;
    std::tuple<Parts...> parts;
  };

  std::vector<std::unique_ptr<Entry>> entries_;
  const void* trace_ = nullptr;
  bool changed_ = false, unfinished_ = false;
};

}  // namespace headlight
