// What --version and the window say of this program.
#pragma once

#include <string>

namespace headlight {

/// "1.0.0 (97446e26)": the version, and the commit that was built; "-dirty" behind it where files were changed. Without
/// git and outside of an archive of the source, the version alone.
std::string version_text();

}  // namespace headlight
