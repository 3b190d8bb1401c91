// What differs between Dear ImGui 1.86 (Debian 12) and 1.92, in one place.
#pragma once

#include <imgui.h>

#include <cstdint>

namespace headlight {

/// A texture of the program's graphics library as ImGui passes it on: a pointer before 1.91.4, then an integer.
inline ImTextureID imgui_texture(std::uintptr_t id) { return (ImTextureID)id; }

}  // namespace headlight
