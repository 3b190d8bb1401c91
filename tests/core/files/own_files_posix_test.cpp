// Files that the program writes by itself, where somebody else has been before: owners, modes and links of POSIX.
#include <cstdlib>

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/files/own_files.h"
#include "core/base/files/places.h"
#include "core/base/files/recent_files.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;
using namespace headlight::samples;

namespace {

namespace fs = std::filesystem;

/// XDG_STATE_HOME and a umask for the length of a test.
struct StateHome {
  explicit StateHome(const fs::path& home, mode_t mask = 022) : umask_before(::umask(mask)) {
    ::setenv("XDG_STATE_HOME", home.c_str(), 1);
  }
  ~StateHome() {
    ::unsetenv("XDG_STATE_HOME");
    ::umask(umask_before);
  }
  mode_t umask_before;
};

unsigned mode_of(const fs::path& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 ? about.st_mode & 0777 : 0;
}

}  // namespace

TEST_CASE("folders for own files are private whatever the umask, also those of an older version") {
  for (const mode_t mask : {000, 022, 077, 0777}) {
    const TempFolder folder;
    const StateHome home(folder / "made" / "state", mask);
    CHECK(write_own_file(state_folder() / "watch" / "run" / "a", "text").empty());
    ::umask(022);
    for (const fs::path& made : {fs::path("made"), fs::path("made/state"), fs::path("made/state/headlight"),
                                 fs::path("made/state/headlight/watch/run")})
      CHECK(mode_of(folder.path() / made) == 0700);
    CHECK((mode_of(state_folder() / "watch" / "run" / "a") & 0177) == 0);
    ::chmod(state_folder().c_str(), 0777);
    CHECK(touch_own_file(state_folder() / "welcomed"));
    CHECK(mode_of(state_folder()) == 0700);
  }
}

TEST_CASE("an own file is never written through a link, into a folder behind one, or into a pipe") {
  const TempFolder folder;
  const StateHome home(folder.path());
  const fs::path state = state_folder(), victim = folder / "victim";
  write_text(victim, "precious");
  fs::create_directory(folder / "elsewhere");
  fs::create_directories(state);
  for (const char* name : {"lock", "looking"}) fs::create_symlink(victim, state / name);
  fs::create_hard_link(victim, state / "hard");
  fs::create_directory_symlink(folder / "elsewhere", state / "watch");
  ::mkfifo((state / "pipe").c_str(), 0600);
  CHECK_FALSE(touch_own_file(state / "looking"));
  CHECK_FALSE(touch_own_file(state / "hard"));
  CHECK_FALSE(touch_own_file(state / "pipe"));
  CHECK(lock_own_file(state / "lock") < 0);
  CHECK(lock_own_file(state / "pipe") < 0);
  CHECK_FALSE(read_own_file(state / "looking", 100));
  CHECK_FALSE(read_own_file(state / "pipe", 100));
  CHECK_FALSE(write_own_file(state / "watch" / "a", "text").empty());
  CHECK(fs::is_empty(folder / "elsewhere"));
  CHECK(write_own_file(state / "looking", "text").empty());  // the link is replaced
  CHECK(read_own_file(state / "looking", 100) == "text");
  CHECK_FALSE(read_own_file(state / "looking", 3));
  CHECK(read_bytes(victim) == "precious");
}

TEST_CASE("a folder of somebody else gets no own files") {
  if (::geteuid() != 0) return;  // only root can make one
  const TempFolder folder;
  const StateHome home(folder.path());
  fs::create_directories(state_folder());
  REQUIRE(::chown(state_folder().c_str(), 12345, 12345) == 0);
  CHECK_FALSE(write_own_file(state_folder() / "recent", "text").empty());
  CHECK(lock_own_file(state_folder() / "open" / "1.lock") < 0);
  CHECK(fs::is_empty(state_folder()));
}
