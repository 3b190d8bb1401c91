#include "core/base/files/whole_file.h"

#include <chrono>
#include <csignal>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

#include "core/base/tensor/error.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;
using namespace headlight::samples;

namespace {

std::ptrdiff_t files_in(const TempFolder& folder) {
  return std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator());
}

void write(const std::filesystem::path& path, std::string_view text) {
  write_whole_file(path, std::as_bytes(std::span(text)));
}

}  // namespace

TEST_CASE("a file is replaced as a whole and no temporary is left") {
  const TempFolder folder;
  write(folder / "a.txt", "first, and rather long");
  write(folder / "a.txt", "second");
  CHECK(read_bytes(folder / "a.txt") == "second");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a write that fails half way leaves the old file as it was and no temporary") {
  const TempFolder folder;
  write(folder / "a.txt", "old");
  const auto half = [](const std::filesystem::path& temporary) {
    write_text(temporary, "ne");
    throw std::runtime_error("half way");
  };
  CHECK_THROWS_WITH(write_whole_file(folder / "a.txt", half), "half way");
  CHECK(read_bytes(folder / "a.txt") == "old");
  CHECK(files_in(folder) == 1);
}

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
  write(folder / "a.txt", "whole");
  CHECK(files_in(folder) == 5);  // one is gone, a.txt is new
  CHECK(read_bytes(in_use.path()) == "half of");
}

TEST_CASE("a folder is never written over") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "a");
  CHECK_THROWS_AS(write(folder / "a", "text"), FileError);
  CHECK_THROWS_AS(write(folder / "a/", "text"), FileError);
  CHECK(std::filesystem::is_directory(folder / "a"));
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a symbolic link keeps pointing to the file that is replaced") {
  const TempFolder folder;
  write(folder / "a.txt", "old");
  std::error_code error;
  std::filesystem::create_symlink(folder / "a.txt", folder / "link", error);
  if (error) return;  // some systems allow links only with a privilege
  write(folder / "link", "new");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(read_bytes(folder / "a.txt") == "new");
}

TEST_CASE("writing to a dangling symbolic link creates its target, and a circle of links is refused") {
  const TempFolder folder;
  std::error_code error;
  std::filesystem::create_symlink("real.txt", folder / "link", error);
  if (error) return;
  write(folder / "link", "new");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(read_bytes(folder / "real.txt") == "new");
  std::filesystem::create_symlink("b", folder / "a");
  std::filesystem::create_symlink("a", folder / "b");
  CHECK(has(sentence_of([&] { write(folder / "a", "text"); }), "circle"));
}

TEST_CASE("a file that is replaced keeps its mode") {
  const TempFolder folder;
  write(folder / "a.txt", "old");
  using std::filesystem::perms;
  const perms only_mine = perms::owner_read | perms::owner_write;
  std::filesystem::permissions(folder / "a.txt", only_mine);
  write(folder / "a.txt", "new");
  CHECK(std::filesystem::status(folder / "a.txt").permissions() == only_mine);
}

TEST_CASE("a file name may have 255 bytes, and a longer one is refused") {
  const TempFolder folder;
  const std::string name = std::string(251, 'n') + ".txt";
  write(folder / name, "text");
  CHECK(read_bytes(folder / name) == "text");
  CHECK(files_in(folder) == 1);
  CHECK(has(sentence_of([&] { write(folder / ("n" + name), "text"); }), "cannot be written: File name too long"));
  CHECK(files_in(folder) == 1);
}

TEST_CASE("writing into a folder that no longer exists is refused in a sentence") {
  const TempFolder folder;
  CHECK(has(sentence_of([&] { write(folder / "gone/a.txt", "text"); }), "there is no folder"));
}

#ifdef __linux__
TEST_CASE("a program killed while it writes leaves the old file or the new one, and no temporary") {
  const TempFolder folder;
  const std::string old_text(1000, 'a'), new_text(300'000, 'b');
  write(folder / "a.txt", old_text);
  int killed = 0;
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (;;) {
        write(folder / "a.txt", new_text);
        write(folder / "a.txt", old_text);
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
