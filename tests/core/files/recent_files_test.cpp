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
  mine.add(rooted("/a"));
  other.add(rooted("/b"));
  mine.add(rooted("/c"));
  CHECK(mine.paths() == std::vector<std::string>{rooted("/c"), rooted("/b"), rooted("/a")});
  for (int i = 0; i < 20; ++i) mine.add(rooted("/" + std::to_string(i)));
  CHECK(mine.paths().size() == RecentFiles::most);
  CHECK(mine.paths().front() == rooted("/19"));
}

TEST_CASE("a damaged list of recent files keeps its valid lines") {
  const TempFolder folder;
  const std::string zero("/zero\0byte\n", 11), sound = rooted("/sound.npz");
  write_text(folder / "recent", "\xff\xfe\nrelative.npz\n" + zero + "\n" + sound + "\n" + sound + "\n");
  CHECK(RecentFiles(folder / "recent").paths() == std::vector<std::string>{sound});
  std::filesystem::create_directory(folder / "a folder");
  RecentFiles nowhere(folder / "a folder");
  CHECK(nowhere.paths().empty());
  nowhere.add(rooted("/x.npz"));  // the list cannot be written, but is kept in memory
  CHECK(nowhere.paths() == std::vector<std::string>{rooted("/x.npz")});
}

TEST_CASE("a shipped model is kept by its name, also one that an older version stored as a path") {
  const TempFolder folder;
  RecentFiles recent(folder / "recent");
  const std::string file = rooted("/a.npz");
  recent.add(file);
  recent.add("model:english");
  CHECK(recent.paths() == std::vector<std::string>{"model:english", file});
  CHECK(RecentFiles(folder / "recent").paths() == recent.paths());
  write_text(folder / "recent", rooted("/home/user/model:english") + "\n" + file + "\n");
  CHECK(RecentFiles(folder / "recent").paths() == std::vector<std::string>{"model:english", file});
}
