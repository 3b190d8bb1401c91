#include "core/base/assets/version.h"

#include "commit.h"  // written by cmake/Commit.cmake with every build

namespace headlight {

std::string version_text() {
  const std::string commit = HEADLIGHT_COMMIT;
  return HEADLIGHT_VERSION + (commit.empty() ? "" : " (" + commit + ")");
}

}  // namespace headlight
