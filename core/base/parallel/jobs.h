// Parallel work: on the threads of a pool or, in a program without threads, in parts between its frames.
#pragma once

#include <functional>
namespace headlight {

/// Calls `work` on the calling thread and on up to `helpers` pool threads; returns when all of them have finished. A
/// busy helper does not take part, so `work` must be able to finish everything alone. It must not throw.
void work_together(int helpers, const std::function<void(bool caller)>& work);
/// The same on all processors.
void work_together(const std::function<void(bool caller)>& work);

// Background jobs in a program without threads: they run between its frames. In each frame, the frame loop calls
// poll_all() and do_job(). It runs do_job() on a separate stack that it can leave, or directly and waits for it.
// Only *_turns.cpp files add jobs and polls.

/// `job` completes one waiting job, and returns false if none waits. It belongs to `owner` until removed.
void add_job(const void* owner, std::function<bool()> job);
void remove_job(const void* owner);
/// Runs one job of any owner, the oldest first; false if none waits.
bool do_job();

/// `poll` must be short and must not throw.
void add_poll(const void* owner, std::function<void()> poll);
void remove_poll(const void* owner);
void poll_all();

/// Called within long computations, every few thousand operations, so that a frame can be drawn. Does nothing unless
/// breathe_by() was called, which a program without threads does once at the start.
void breathe();
void breathe_by(void (*give_way)());
/// While an instance exists, breathe() does nothing: for computations that the interrupting frame would request again.
class Uninterrupted {
 public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
};

}  // namespace headlight
