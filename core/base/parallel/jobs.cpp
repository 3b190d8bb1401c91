#include "core/base/parallel/jobs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif
namespace headlight {
namespace {

void spin_pause() {
#if defined(__SSE2__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

// The stages of a small run follow each other within microseconds, but waking a thread takes tens of them. So idle
// threads wait actively for this time.
constexpr auto spin_time = std::chrono::microseconds(60);

struct Task {
  const std::function<void(bool)>* work;
  int wanted;                  // helpers that may still join; under the pool's mutex, as is the list
  std::atomic<int> inside{0};  // helpers at work
};

class ThreadPool {
 public:
  ~ThreadPool() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
      ++calls_;
    }
    called_.notify_all();
    threads_.clear();
  }

  void run(int helpers, const std::function<void(bool)>& work) {
    Task task{&work, helpers};
    {
      const std::lock_guard lock(mutex_);
      grow(helpers);
      task.wanted = std::min(helpers, static_cast<int>(threads_.size()));
      tasks_.push_back(&task);
      calls_.fetch_add(1, std::memory_order_release);
      if (sleeping_ > 0) called_.notify_all();
    }
    work(true);
    {
      const std::lock_guard lock(mutex_);
      tasks_.remove(&task);  // no further thread joins
    }
    for (int i = 0; i < 2000 && task.inside.load(std::memory_order_acquire) > 0; ++i) spin_pause();
    if (task.inside.load(std::memory_order_acquire) == 0) return;
    std::unique_lock lock(mutex_);
    left_.wait(lock, [&] { return task.inside.load(std::memory_order_acquire) == 0; });
  }

 private:
  void grow(int helpers) {
    try {
      while (static_cast<int>(threads_.size()) < helpers) threads_.emplace_back([this] { help(); });
    } catch (const std::system_error&) {
      // The system allows no more threads: those that started do the work.
    }
  }

  // Call with the mutex held. Joins the first task that wants another helper.
  Task* join() {
    for (Task* task : tasks_) {
      if (task->wanted > 0) {
        --task->wanted;
        task->inside.fetch_add(1, std::memory_order_relaxed);
        return task;
      }
    }
    return nullptr;
  }

  void help() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
      if (Task* const task = join()) {
        lock.unlock();
        (*task->work)(false);
        lock.lock();
        // The last access: the task is on the stack of the caller, which waits until this number is 0.
        if (task->inside.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_all();
        continue;
      }
      const unsigned last_call = calls_.load(std::memory_order_relaxed);
      lock.unlock();
      const auto until = std::chrono::steady_clock::now() + spin_time;
      bool called = false;
      while (!called && std::chrono::steady_clock::now() < until) {
        for (int i = 0; i < 20 && !called; ++i) {
          spin_pause();
          called = calls_.load(std::memory_order_acquire) != last_call;
        }
      }
      lock.lock();
      if (called) continue;
      ++sleeping_;
      called_.wait(lock, [&] { return ends_ || calls_.load(std::memory_order_relaxed) != last_call; });
      --sleeping_;
    }
  }

  std::mutex mutex_;
  std::condition_variable called_, left_;
  std::list<Task*> tasks_;
  std::atomic<unsigned> calls_{0};
  int sleeping_ = 0;
  bool ends_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace

void work_together(const std::function<void(bool)>& work) {
  work_together(static_cast<int>(std::thread::hardware_concurrency()) - 1, work);
}

void work_together(int helpers, const std::function<void(bool)>& work) {
  static ThreadPool pool;
  if (helpers <= 0) return work(true);
  pool.run(helpers, work);
}

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

Registry<std::function<void()>>& polls() {
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

void add_poll(const void* owner, std::function<void()> poll) { polls().add(owner, std::move(poll)); }
void remove_poll(const void* owner) { polls().remove(owner); }

void poll_all() {
  for (const auto& [owner, poll] : polls().entries()) poll();
}

void breathe() {
  if (give_way_function != nullptr && uninterrupted == 0) give_way_function();
}

void breathe_by(void (*give_way)()) { give_way_function = give_way; }

Uninterrupted::Uninterrupted() { ++uninterrupted; }
Uninterrupted::~Uninterrupted() { --uninterrupted; }

}  // namespace headlight
