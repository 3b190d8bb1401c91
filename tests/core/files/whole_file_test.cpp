// Files that are written whole or not at all, on every system. What takes processes and modes of POSIX is in
// whole_file_posix_test.cpp.
#include "core/base/files/whole_file.h"

#include <stdexcept>

#include "core/base/tensor/error.h"
#include "tests/catch.h"
#include "tests/core/files/whole_files.h"

using namespace headlight;
using namespace headlight::samples;

TEST_CASE("a file is replaced as a whole and no temporary is left") {
  const TempFolder folder;
  write_whole(folder / "a.txt", "first, and rather long");
  write_whole(folder / "a.txt", "second");
  CHECK(read_bytes(folder / "a.txt") == "second");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a write that fails half way leaves the old file as it was and no temporary") {
  const TempFolder folder;
  write_whole(folder / "a.txt", "old");
  const auto half = [](const std::filesystem::path& temporary) {
    write_text(temporary, "ne");
    throw std::runtime_error("half way");
  };
  CHECK_THROWS_WITH(write_whole_file(folder / "a.txt", half), "half way");
  CHECK(read_bytes(folder / "a.txt") == "old");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("the next write removes a temporary folder that no program holds, and none that one holds") {
  const TempFolder folder;
  const Temporary in_use(folder.path(), folder / "a.txt");
  write_text(in_use.path(), "half of");
  std::filesystem::create_directory(folder / abandonable_name(77));
  write_text(folder / abandonable_name(77) / "new", "half of");
  write_whole(folder / "a.txt", "whole");
  CHECK_FALSE(std::filesystem::exists(folder / abandonable_name(77)));
  CHECK(read_bytes(in_use.path()) == "half of");
  CHECK(read_bytes(folder / "a.txt") == "whole");
}

TEST_CASE("a folder is never written over") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "a");
  CHECK_THROWS_AS(write_whole(folder / "a", "text"), FileError);
  CHECK_THROWS_AS(write_whole(folder / "a/", "text"), FileError);
  CHECK(std::filesystem::is_directory(folder / "a"));
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a symbolic link keeps pointing to the file that is replaced") {
  const TempFolder folder;
  write_whole(folder / "a.txt", "old");
  std::error_code error;
  std::filesystem::create_symlink(folder / "a.txt", folder / "link", error);
  if (error) return;  // some systems allow links only with a privilege
  write_whole(folder / "link", "new");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(read_bytes(folder / "a.txt") == "new");
}

TEST_CASE("writing to a dangling symbolic link creates its target, and a circle of links is refused") {
  const TempFolder folder;
  std::error_code error;
  std::filesystem::create_symlink("real.txt", folder / "link", error);
  if (error) return;
  write_whole(folder / "link", "new");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(read_bytes(folder / "real.txt") == "new");
  std::filesystem::create_symlink("b", folder / "a");
  std::filesystem::create_symlink("a", folder / "b");
  CHECK(has(sentence_of([&] { write_whole(folder / "a", "text"); }), "circle"));
}

TEST_CASE("writing into a folder that no longer exists is refused in a sentence") {
  const TempFolder folder;
  CHECK(has(sentence_of([&] { write_whole(folder / "gone/a.txt", "text"); }), "there is no folder"));
}
