// What a program without threads has in their place: jobs that are done between its frames, and looks at the clock.
//
// The frame loop calls do_job() on a stack that it can leave in the middle (or on its own, and then waits for it), and
// look_around() with each frame. Only the *_turns.cpp, which such a program is built from, have jobs and looks.
#pragma once

#include <functional>

namespace headlight {

/// `job` does one job that waits, whole; false where none does. Known by `owner`, until it is removed.
void add_job(const void* owner, std::function<bool()> job);
void remove_job(const void* owner);
/// Does one job of any owner, those that were there first before others; false where none waits.
bool do_job();

/// `look` is short and throws nothing.
void add_look(const void* owner, std::function<void()> look);
void remove_look(const void* owner);
void look_around();

/// Called in the midst of long work, some thousand operations apart: a frame may have its turn. Does nothing unless
/// breathe_by() was called, which a program without threads does once, before all work.
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
