#include "tests/ui/headless.h"

#include <functional>
#include <string_view>
#include <utility>

#include <imgui_internal.h>

#include "tests/places.h"
#include "tests/ui/drawn_items.h"

namespace headlight::test {

HeadlessWindow::Context::Context(ImVec2 size) : imgui(ImGui::CreateContext()) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = size;
  io.DeltaTime = 1.0f / 60;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
#if IMGUI_VERSION_NUM >= 19200
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
#if IMGUI_VERSION_NUM < 18700
  for (int key = 0; key < ImGuiKey_COUNT; ++key) io.KeyMap[key] = 400 + key;
  for (const auto& [key, letter] : {std::pair{ImGuiKey_A, 'A'},
                                    {ImGuiKey_C, 'C'},
                                    {ImGuiKey_V, 'V'},
                                    {ImGuiKey_X, 'X'},
                                    {ImGuiKey_Y, 'Y'},
                                    {ImGuiKey_Z, 'Z'}})
    io.KeyMap[key] = letter;  // the keys for undo, copy and paste in a field
#endif
}

HeadlessWindow::Context::~Context() { ImGui::DestroyContext(imgui); }

HeadlessWindow::HeadlessWindow(Document start, ImVec2 size, RecentFiles recent)
    : context_(size),
      session(
          std::move(start), [] {}, std::move(recent)) {
  move({-100, -100});
  settle();
}

void HeadlessWindow::frame() {
  session.update();
  session.prepare_fonts(1);
  painter.quads.clear();
  painter.images.clear();
  forget_drawn_items();
  ImGui::NewFrame();
  session.draw(painter);
  ImGui::Render();
  if (session.wants_pixels() && document().view.exporting.kind == ExportKind::window)
    session.take_pixels(Image(preview_width, 5, {1, 2, 3}));  // the window's loop would deliver the pixels here
}

void HeadlessWindow::settle() {
  for (int round = 0; round < 3; ++round) {
    frame();
    session.wait();
  }
  frame();
  for (int more = 0; more < 100 && !session.idle(); ++more) frame();  // some pictures need one frame each
}

void HeadlessWindow::move(ImVec2 to) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddMousePosEvent(to.x, to.y);
#else
  ImGui::GetIO().MousePos = to;
#endif
}

void HeadlessWindow::button(bool down, int which) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddMouseButtonEvent(which, down);
#else
  ImGui::GetIO().MouseDown[which] = down;
#endif
}

void HeadlessWindow::wheel(float turns) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddMouseWheelEvent(0, turns);
#else
  ImGui::GetIO().MouseWheel = turns;
#endif
  frame();
}

void HeadlessWindow::click(ImVec2 at) {
  move(at);
  frame();
  button(true);
  frame();
  button(false);
  frame();
  settle();
}

void HeadlessWindow::rest() {
  for (int i = 0; i < 20; ++i) frame();
}

void HeadlessWindow::ctrl_click(ImVec2 at) {
  rest();
  hold({true, false, false});
  click(at);
  hold({});
}

void HeadlessWindow::double_click(ImVec2 at) {
  rest();
  click(at);
  click(at);
}

void HeadlessWindow::right_click(ImVec2 at) {
  move(at);
  frame();
  button(true, 1);
  frame();
  button(false, 1);
  frame();
  settle();
}

void HeadlessWindow::drag(ImVec2 from, ImVec2 to, int which) {
  move(from);
  frame();
  button(true, which);
  frame();
  constexpr int steps = 8;
  for (int i = 1; i <= steps; ++i) {
    const float share = static_cast<float>(i) / steps;
    move({from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share});
    frame();
    settle();  // a hand is slower than what it changes
  }
  button(false, which);
  frame();
  settle();
}

void HeadlessWindow::press_index(compat::KeyIndex key) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddKeyEvent(key, true);
  frame();
  ImGui::GetIO().AddKeyEvent(key, false);
#else
  ImGui::GetIO().KeysDown[key] = true;
  frame();
  ImGui::GetIO().KeysDown[key] = false;
#endif
  frame();
  frame();
}

void HeadlessWindow::hold(Modifiers held) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
  io.AddKeyEvent(ImGuiMod_Ctrl, held.ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, held.shift);
  io.AddKeyEvent(ImGuiMod_Alt, held.alt);
#else
  io.KeyCtrl = held.ctrl;
  io.KeyShift = held.shift;
  io.KeyAlt = held.alt;
#endif
}

void HeadlessWindow::press(compat::Key key, Modifiers held) {
  hold(held);
  press_index(compat::index_of(key));
  hold({});
}

void HeadlessWindow::press(char letter, Modifiers held) {
  hold(held);
  press_index(compat::index_of(letter));
  hold({});
}

std::size_t HeadlessWindow::drawn() const {
  std::size_t sum = 17;
  const ImDrawData& data = *ImGui::GetDrawData();
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    const std::string_view bytes(reinterpret_cast<const char*>(list.VtxBuffer.Data),
                                 static_cast<std::size_t>(list.VtxBuffer.size_in_bytes()));
    sum = sum * 1000003 ^ std::hash<std::string_view>{}(bytes);
  }
  for (const MatrixQuad& quad : painter.quads) {
    sum = sum * 1000003 ^ static_cast<std::size_t>(quad.revealed + 2);
    const MatrixView matrix = quad.values.matrix(quad.batch, quad.head);
    sum = sum * 1000003 ^ std::hash<float>{}(matrix(matrix.rows - 1, 0)) ^
          std::hash<float>{}(quad.min.x * 31 + quad.max.y);
  }
  return sum;
}

void HeadlessWindow::type(const char* text) {
  ImGui::GetIO().AddInputCharactersUTF8(text);
  frame();
  frame();
}

void HeadlessWindow::type_and_enter(const char* text) {
  ImGui::GetIO().AddInputCharactersUTF8(text);
  frame();
  press_index(compat::index_of(compat::Key::enter));
  settle();
}

ImVec2 HeadlessWindow::find(const char* window, std::initializer_list<const char*> ids) {
  const ImGuiWindow* found = ImGui::FindWindowByName(window);
  for (const ImGuiWindow* each : ImGui::GetCurrentContext()->Windows) {
    if (found == nullptr && each->Active && std::string_view(each->Name).starts_with(window))
      found = each;  // ImGui appends a number to a child's name
  }
  if (found == nullptr) return {0, 0};
  ImGuiID id = found->ID;
  for (const char* part : ids) id = ImHashStr(part, 0, id);
  const ImVec2 size = found->Size;
  if (!records_items()) return hovered(id, {found->Pos, {found->Pos.x + size.x, found->Pos.y + size.y}}, 48, 5);
  frame();
  const std::optional<ImRect> item = drawn_item(id);
  return item ? hovered(id, *item, 8, std::max(1.0f, item->GetHeight() / 9)) : ImVec2{0, 0};
}

ImVec2 HeadlessWindow::hovered(unsigned int id, const ImRect& within, int columns, float step) {
  for (int column = 0; column < columns; ++column) {
    // Searches from the middle outwards, because most items span the whole width.
    const int from_middle = (column % 2 == 0 ? column : -column - 1) / 2;
    const float x =
        within.Min.x + within.GetWidth() * (0.5f + static_cast<float>(from_middle) / static_cast<float>(columns));
    for (float y = within.Min.y + step / 2; y < within.Max.y; y += step) {
      move({x, y});
      frame();
      if (ImGui::GetCurrentContext()->HoveredId == id) return {x, y};
    }
  }
  return {0, 0};
}

ImVec2 HeadlessWindow::cell(Stage stage, Index row, Index col) const {
  const Tensor& wanted = (*document().trace)[stage];
  for (const MatrixQuad& quad : painter.quads) {
    if (!identical(quad.values, wanted)) continue;
    const MatrixView matrix = wanted.matrix(quad.batch, quad.head);
    const auto along = [](float from, float to, Index index, Index count) {
      return from + (to - from) * (static_cast<float>(index) + 0.5f) / static_cast<float>(count);
    };
    return {along(quad.min.x, quad.max.x, col, matrix.cols), along(quad.min.y, quad.max.y, row, matrix.rows)};
  }
  return {0, 0};
}

Document sentence() {
  Document document;
  document.scenario.mask = "causal()";
  document.scenario.heads = 4;
  return document;
}

Document random_document(Index queries, Index d_model, Index heads) {
  Document document;
  document.scenario.source = Source::random;
  document.scenario.queries = queries;
  document.scenario.d_model = d_model;
  document.scenario.heads = heads;
  return document;
}

Document file_document(const std::string& fixture) {
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = places::fixtures() + "/" + fixture;
  return document;
}

}  // namespace headlight::test
