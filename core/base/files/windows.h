// The Windows API with its narrow names and macros left out; only files that end in _windows.cpp include it.
#pragma once

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#undef far
#undef near
#undef small
#undef ERROR

#include <filesystem>

#include "core/base/files/descriptor.h"

namespace headlight {

/// CreateFileW() as a descriptor; on failure it is not open, and errno says why (EBUSY: another program holds it).
Descriptor open_file(const std::filesystem::path& path, unsigned long access, unsigned long share,
                     unsigned long creation);

}  // namespace headlight
