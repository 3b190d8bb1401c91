#include "ui/export/take_mask.h"

#include <imgui.h>

#include "core/files/free_path.h"
#include "core/tensor/error.h"

namespace headlight {

void take_mask(Document& document, MaskFormat format, const Words& words) {
  if (!document.trace) return;
  document.error.clear();
  document.notice.clear();
  try {
    if (is_code(format)) {
      const std::string code = mask_code(*document.trace, format);
      ImGui::SetClipboardText(code.c_str());
      const bool reads_file = code.find("file_mask.npy") != std::string::npos;
      document.notice = words(reads_file ? "mask_take.copied_reading" : "mask_take.copied");
    } else {
      const View& view = document.view;
      const std::u8string path =
          export_mask(*document.trace, view.batch, view.head, format, writable_folder("Downloads")).u8string();
      document.notice = words.fill("mask_take.saved", {std::string(path.begin(), path.end())});
    }
  } catch (const InputError& error) { document.error = error.what(); }
}

}  // namespace headlight
