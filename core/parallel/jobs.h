// Computing in parallel: on the threads of a pool, or in a program without threads a part at a time between its frames.
#pragma once

#include <functional>
namespace headlight {

/// Calls `work` on the calling thread and on up to `helpers` pool threads; returns when all that took part have
/// finished. A busy helper does not take part, so `work` must be able to finish everything alone. It must not throw.
void work_together(int helpers, const std::function<void(bool caller)>& work);
/// The same on all processors.
void work_together(const std::function<void(bool caller)>& work);

// Background jobs in a program without threads: they run between its frames. The frame loop calls do_job() on a stack
// of its own that it can leave (or directly, and then waits for it), and look_around() in each frame. Jobs and looks
// are added by *_turns.cpp files alone.

/// `job` completes one waiting job, and returns false if none waits. It belongs to `owner` until removed.
void add_job(const void* owner, std::function<bool()> job);
void remove_job(const void* owner);
/// Runs one job of any owner, the oldest first; false if none waits.
bool do_job();

/// `look` must be short and must not throw.
void add_look(const void* owner, std::function<void()> look);
void remove_look(const void* owner);
void look_around();

/// Called within long computations, every few thousand operations, so that a frame can be drawn. Does nothing unless
/// breathe_by() was called, which a program without threads does once at the start.
void breathe();
void breathe_by(void (*give_way)());
/// While one lives, breathe() does nothing: for what a frame in its midst would ask for again.
class Uninterrupted {
 public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
};

}  // namespace headlight
