// The items of ImGui that the last frame drew, by id: where a test finds a button without looking for it pixel by
// pixel.
#pragma once

#include <optional>

#include <imgui_internal.h>

namespace headlight::test {

/// What is drawn from now on is another frame's.
void forget_drawn_items();
/// The item's rectangle as far as its window shows it; nothing where the last frame drew no such item.
std::optional<ImRect> drawn_item(ImGuiID id);
/// Whether items are recorded at all: tests/CMakeLists.txt has the linker lead ImGui::ItemAdd here, which not all can.
bool records_items();

}  // namespace headlight::test
