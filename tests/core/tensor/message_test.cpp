#include "core/base/tensor/message.h"

#include <map>

#include "core/base/tensor/error.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

/// Translates with a small table of invented translations.
std::string translated(const Message& message) {
  static const std::map<std::string, std::string> table{{"{0}: {1}", "{0}：{1}"},
                                                        {"{0}; {1}", "{0}；{1}"},
                                                        {"no such file", "没有这个文件"},
                                                        {"which one?", "哪一个？"},
                                                        {"expected {0}", "应为 {0}"},
                                                        {"a list of names", "名称的列表"},
                                                        {"its {0} lies on {1}", "{1} 上有它的 {0}"},
                                                        {"\"{0}\"", "“{0}”"}};
  return message.translated([](const std::string& english) {
    const auto found = table.find(english);
    return found == table.end() ? nullptr : &found->second;
  });
}

}  // namespace

TEST_CASE("a message puts its values into its template, and a literal is a template while a string is text") {
  CHECK(Message("{1} does not divide {0}", 12, std::string("five")).english() == "five does not divide 12");
  CHECK(translated("no such file") == "没有这个文件");
  CHECK(translated(std::string("no such file")) == "no such file");
  CHECK(translated(Message("its {0} lies on {1}", "a list of names", std::string("a list of names"))) ==
        "a list of names 上有它的名称的列表");
}

TEST_CASE("braces in a value stay, and so do those that are no slot") {
  CHECK(Message("{0} and {0, 4}", std::string("{0}{1}")).english() == "{0}{1} and {0, 4}");
  CHECK(Message("{3}", 1).english() == "{3}");
}

TEST_CASE("parts without a translation stay English, and no blank is put between wide characters") {
  CHECK(translated(Message("expected {0}", "a list of names")) == "应为名称的列表");
  CHECK(translated(Message("expected {0}", "others")) == "应为 others");
  CHECK(translated(Message("expected {0}", Message("\"{0}\"", std::string("x")))) == "应为“x”");
  CHECK(translated(Message("it burns: {0}", "no such file")) == "it burns: 没有这个文件");
}

TEST_CASE("an error keeps its message, whose English is what() and which is cut in each language") {
  const FileError error(std::string("a.json"), "no such file", Message("expected {0}", "a list of names"));
  CHECK(error.what() == std::string("a.json: no such file; expected a list of names"));
  CHECK(translated(error.message()) == "a.json：没有这个文件；应为名称的列表");
  CHECK(translated(error.sentence()) == "没有这个文件；应为名称的列表");
  CHECK(translated(FileError("", "which one?", "no such file").message()) == "哪一个？没有这个文件");
  CHECK(translated(message_of(error)) == translated(error.message()));
  const FileError named(std::string(1000, 'x') + "\n.npz", "no such file");
  CHECK(named.message() == Message(std::string(named.what())));
  CHECK(translated(named.message()).size() < 330);
  CHECK(translated(named.message()).ends_with(" … " + std::string(95, 'x') + "\\x0a.npz：没有这个文件"));
}
