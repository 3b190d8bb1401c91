#include "core/parallel/turns.h"

#include <utility>
#include <vector>

namespace headlight {
namespace {

template <typename Function>
class Registry {
 public:
  void add(const void* owner, Function function) { entries_.emplace_back(owner, std::move(function)); }
  void remove(const void* owner) {
    std::erase_if(entries_, [owner](const auto& entry) { return entry.first == owner; });
  }
  /// A copy: the functions that are called may add and remove entries.
  std::vector<std::pair<const void*, Function>> entries() const { return entries_; }

 private:
  std::vector<std::pair<const void*, Function>> entries_;
};

Registry<std::function<bool()>>& jobs() {
  static Registry<std::function<bool()>> all;
  return all;
}

Registry<std::function<void()>>& looks() {
  static Registry<std::function<void()>> all;
  return all;
}

void (*give_way_function)() = nullptr;
thread_local int uninterrupted = 0;

}  // namespace

void add_job(const void* owner, std::function<bool()> job) { jobs().add(owner, std::move(job)); }
void remove_job(const void* owner) { jobs().remove(owner); }

bool do_job() {
  for (const auto& [owner, job] : jobs().entries()) {
    if (job()) return true;
  }
  return false;
}

void add_look(const void* owner, std::function<void()> look) { looks().add(owner, std::move(look)); }
void remove_look(const void* owner) { looks().remove(owner); }

void look_around() {
  for (const auto& [owner, look] : looks().entries()) look();
}

void breathe() {
  if (give_way_function != nullptr && uninterrupted == 0) give_way_function();
}

void breathe_by(void (*give_way)()) { give_way_function = give_way; }

Uninterrupted::Uninterrupted() { ++uninterrupted; }
Uninterrupted::~Uninterrupted() { --uninterrupted; }

}  // namespace headlight
