// The items that ImGui drew in the last frame, by id, so that a test can find a button without searching pixel by
// pixel.
#pragma once

#include <optional>

#include <imgui_internal.h>

namespace headlight::test {

/// Starts a new frame: forgets the items of the last one.
void forget_drawn_items();
/// The visible rectangle of the item; unset if the last frame did not draw it.
std::optional<ImRect> drawn_item(ImGuiID id);
/// Whether items are recorded: tests/CMakeLists.txt makes the linker redirect ImGui::ItemAdd here, which not every
/// linker can do.
bool records_items();

}  // namespace headlight::test
