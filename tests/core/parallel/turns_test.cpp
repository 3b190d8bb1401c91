#include <string>

#include "core/base/parallel/jobs.h"
#include "tests/catch.h"

using namespace headlight;

TEST_CASE("one job is done at a time, the first owner's before the next one's", "[turns]") {
  int a = 2, b = 1;
  std::string done;
  const auto job = [&done](int& waiting, char name) {
    return [&done, &waiting, name] {
      if (waiting == 0) return false;
      --waiting;
      done += name;
      return true;
    };
  };
  add_job(&a, job(a, 'a'));
  add_job(&b, job(b, 'b'));
  while (do_job()) {}
  CHECK(done == "aab");
  remove_job(&a);
  a = b = 1;
  CHECK(do_job());
  CHECK_FALSE(do_job());
  CHECK(done == "aabb");
  remove_job(&b);
  CHECK_FALSE(do_job());
}

TEST_CASE("a look may take itself away", "[turns]") {
  int looked = 0;
  const int owner = 0;
  add_poll(&owner, [&] {
    ++looked;
    remove_poll(&owner);
  });
  poll_all();
  poll_all();
  CHECK(looked == 1);
}
