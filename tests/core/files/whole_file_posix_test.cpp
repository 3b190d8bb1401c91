// Files that are written whole or not at all: killed processes, modes and long names of POSIX.
#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/catch.h"
#include "tests/core/files/whole_files.h"

using namespace headlight;
using namespace headlight::samples;

TEST_CASE("the next write removes what killed programs left beside it, and nothing that is in use") {
  const TempFolder folder;
  const Temporary in_use(folder.path(), folder / "a.txt");
  write_text(in_use.path(), "half of");
  const pid_t killed = fork();
  if (killed == 0) {
    const Temporary abandoned(folder.path(), folder / "a.txt");
    std::filesystem::create_directory(abandoned.path());
    write_text(abandoned.path() / "data.npy", "half of");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(killed, nullptr, 0);
  for (const char* name : {".headlight-1.tmp", ".other-1.tmp", ".headlight-rc"}) write_text(folder / name, "mine");
  CHECK(files_in(folder) == 5);
  write_whole(folder / "a.txt", "whole");
  CHECK(files_in(folder) == 5);  // one is gone, a.txt is new
  CHECK(read_bytes(in_use.path()) == "half of");
}

TEST_CASE("a file that is replaced keeps its mode") {
  const TempFolder folder;
  write_whole(folder / "a.txt", "old");
  using std::filesystem::perms;
  const perms only_mine = perms::owner_read | perms::owner_write;
  std::filesystem::permissions(folder / "a.txt", only_mine);
  write_whole(folder / "a.txt", "new");
  CHECK(std::filesystem::status(folder / "a.txt").permissions() == only_mine);
}

TEST_CASE("a file name may have 255 bytes, and a longer one is refused") {
  const TempFolder folder;
  const std::string name = std::string(251, 'n') + ".txt";
  write_whole(folder / name, "text");
  CHECK(read_bytes(folder / name) == "text");
  CHECK(files_in(folder) == 1);
  CHECK(has(sentence_of([&] { write_whole(folder / ("n" + name), "text"); }), "cannot be written: File name too long"));
  CHECK(files_in(folder) == 1);
}

#ifdef __linux__

TEST_CASE("a program killed while it writes leaves the old file or the new one, and no temporary") {
  const TempFolder folder;
  const std::string old_text(1000, 'a'), new_text(300'000, 'b');
  write_whole(folder / "a.txt", old_text);
  int killed = 0;
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (;;) {
        write_whole(folder / "a.txt", new_text);
        write_whole(folder / "a.txt", old_text);
      }
    }
    ::usleep(static_cast<useconds_t>(500 + 977 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    killed += WIFSIGNALED(status) ? 1 : 0;
    const std::string now = read_bytes(folder / "a.txt");
    CHECK((now == old_text || now == new_text));
  }
  CHECK(killed == 20);
  CHECK(files_in(folder) <= 2);  // a kill just before the rename can leave one temporary
}
#endif
