#include "core/base/files/recent_files.h"

#include "core/base/text/utf8_path.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;
using namespace headlight::samples;

TEST_CASE("the file opened last comes first and only once, and the next run has the list") {
  const TempFolder folder;
  const std::filesystem::path list = folder / "deep" / "recent";
  RecentFiles recent(list);
  CHECK(recent.paths().empty());
  for (const char* name : {"a.npz", "b.pt", "a.npz", "模型.npz"}) recent.add(utf8_from(folder / name));
  const std::vector<std::string> expected{utf8_from(folder / "模型.npz"), utf8_from(folder / "a.npz"),
                                          utf8_from(folder / "b.pt")};
  CHECK(recent.paths() == expected);
  CHECK(RecentFiles(list).paths() == expected);
}

TEST_CASE("files that another window opened meanwhile are kept, and the oldest are dropped") {
  const TempFolder folder;
  RecentFiles mine(folder / "recent"), other(folder / "recent");
  mine.add("/a");
  other.add("/b");
  mine.add("/c");
  CHECK(mine.paths() == std::vector<std::string>{"/c", "/b", "/a"});
  for (int i = 0; i < 20; ++i) mine.add("/" + std::to_string(i));
  CHECK(mine.paths().size() == RecentFiles::most);
  CHECK(mine.paths().front() == "/19");
}

TEST_CASE("a damaged list of recent files keeps its valid lines") {
  const TempFolder folder;
  const std::string zero("/zero\0byte\n", 11);
  write_text(folder / "recent", "\xff\xfe\nrelative.npz\n" + zero + "\n/sound.npz\n/sound.npz\n");
  CHECK(RecentFiles(folder / "recent").paths() == std::vector<std::string>{"/sound.npz"});
  std::filesystem::create_directory(folder / "a folder");
  RecentFiles nowhere(folder / "a folder");
  CHECK(nowhere.paths().empty());
  nowhere.add("/x.npz");  // the list cannot be written, but is kept in memory
  CHECK(nowhere.paths() == std::vector<std::string>{"/x.npz"});
}

TEST_CASE("a shipped model is kept by its name, also one that an older version stored as a path") {
  const TempFolder folder;
  RecentFiles recent(folder / "recent");
  recent.add("/a.npz");
  recent.add("model:english");
  CHECK(recent.paths() == std::vector<std::string>{"model:english", "/a.npz"});
  CHECK(RecentFiles(folder / "recent").paths() == recent.paths());
  write_text(folder / "recent", "/home/user/model:english\n/a.npz\n");
  CHECK(RecentFiles(folder / "recent").paths() == std::vector<std::string>{"model:english", "/a.npz"});
}
