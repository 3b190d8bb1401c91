// Pictures: a cache of what was computed to be drawn. It holds one value per type and recomputes it when its inputs
// change; of what follows the pointer, one value for each place where the pointer was lately.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
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
  template <typename T, typename Make, typename... Keys>
  T& get(Make&& make, const Keys&... parts) {
    const auto made = [&] {
      ++made_;
      return make();
    };
    return slot<T>(made, parts...);
  }

  /// The T for a place `at` of the pointer. `parts` are what it depends on otherwise: while they stay, the values of
  /// the last places stay too, and nothing is computed when the pointer comes back to one of them.
  template <typename T, typename At, typename Make, typename... Keys>
  T& get_at(const At& at, Make&& make, const Keys&... parts) {
    using Kept = Places<T, std::decay_t<At>>;
    return slot<Kept>([] { return Kept(); }, parts...).value_at(at, [&] {
      ++followed_;
      return make();
    });
  }

  /// The same without a type of its own. The value is kept under the type of `make`, a lambda: one for each place in
  /// the code that calls this.
  template <typename Make, typename... Keys>
  auto& kept(const Make& make, const Keys&... parts) {
    static_assert(std::is_class_v<Make>);  // functions of one signature share their type
    using T = Named<Make>;
    return get<T>([&] { return T{make()}; }, parts...).value;
  }
  template <typename At, typename Make, typename... Keys>
  auto& kept_at(const At& at, const Make& make, const Keys&... parts) {
    static_assert(std::is_class_v<Make>);
    using T = Named<Make>;
    return get_at<T>(
               at, [&] { return T{make()}; }, parts...)
        .value;
  }

  /// The cached value; null if there is none.
  template <typename T>
  const T* find() const {
    const Entry* entry = entry_of(typeid(T));
    return entry ? static_cast<const T*>(entry->what()) : nullptr;
  }
  /// The one that get_at() returned last.
  template <typename T, typename At>
  const T* find_last() const {
    const auto* places = find<Places<T, At>>();
    return places ? places->last() : nullptr;
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

  /// How many values were computed so far by get(), and for a place of the pointer by get_at(). For tests.
  std::size_t made() const { return made_; }
  std::size_t followed() const { return followed_; }

  /// Requests another frame, for computations spread over several frames.
  void go_on() { unfinished_ = true; }
  bool unfinished() const { return unfinished_; }

 private:
  template <typename T>
  struct is_shared : std::false_type {};
  template <typename T>
  struct is_shared<std::shared_ptr<T>> : std::true_type {};

  template <typename Make>
  struct Named {
    std::invoke_result_t<const Make&> value;
  };

  struct Entry {
    Entry(std::type_index of, bool shares_numbers) : type(of), shares(shares_numbers) {}
    virtual ~Entry() = default;
    virtual const void* what() const = 0;
    std::type_index type;
    bool shares = false, used = true;
  };
  template <typename T, typename... Keys>
  struct Kept final : Entry {
    Kept(T made, std::tuple<Keys...> from)
        : Entry(typeid(T), (is_shared<Keys>::value || ...)), value(std::move(made)), parts(std::move(from)) {}
    const void* what() const override { return &value; }
    T value;
    std::tuple<Keys...> parts;
  };

  /// Values for the last places; the one that the pointer left first makes room.
  template <typename T, typename At>
  class Places {
   public:
    template <typename Make>
    T& value_at(const At& at, Make&& make) {
      auto found = std::ranges::find_if(places_, [&](const auto& place) { return place->at == at; });
      if (found == places_.end()) {
        auto made = std::make_unique<Place>(Place{at, make()});
        if (places_.size() < most) found = places_.insert(places_.end(), std::move(made));
        else *(found = std::ranges::min_element(places_, {}, used_of)) = std::move(made);
      }
      last_ = found->get();
      last_->used = ++uses_;
      return last_->value;
    }
    const T* last() const { return last_ ? &last_->value : nullptr; }

   private:
    static constexpr std::size_t most = 128;
    struct Place {
      At at;
      T value;
      std::uint64_t used = 0;
    };
    static std::uint64_t used_of(const std::unique_ptr<Place>& place) { return place->used; }
    std::vector<std::unique_ptr<Place>> places_;
    Place* last_ = nullptr;
    std::uint64_t uses_ = 0;
  };

  Entry* entry_of(std::type_index type) const {
    for (const std::unique_ptr<Entry>& entry : entries_) {
      if (entry->type == type) return entry.get();
    }
    return nullptr;
  }

  template <typename T, typename Make, typename... Keys>
  T& slot(Make&& make, const Keys&... parts) {
    using Slot = Kept<T, std::decay_t<Keys>...>;
    if (Entry* entry = entry_of(typeid(T))) {
      assert(dynamic_cast<Slot*>(entry) != nullptr);  // each T is always requested with the same types of parts
      auto& slot = static_cast<Slot&>(*entry);
      entry->used = true;
      if (slot.parts != std::tie(parts...)) {
        slot.value = make();
        slot.parts = std::tuple<std::decay_t<Keys>...>(parts...);
      }
      return slot.value;
    }
    auto made = std::make_unique<Slot>(make(), std::tuple<std::decay_t<Keys>...>(parts...));
    T& value = made->value;
    entries_.push_back(std::move(made));
    return value;
  }

  std::vector<std::unique_ptr<Entry>> entries_;
  const void* trace_ = nullptr;
  bool changed_ = false, unfinished_ = false;
  std::size_t made_ = 0, followed_ = 0;
};

}  // namespace headlight
