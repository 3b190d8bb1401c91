// Pasting a matrix into the document.
#pragma once

#include <string>
#include <vector>

#include "ui/document/document.h"
#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// What `matrix` [rows, cols] can be used as: an input if its width matches, or if the weights are drawn to fit; a mask
/// or a bias if it is [n_q, n_k] with suitable numbers.
std::vector<PasteUse> paste_uses(const Tensor& matrix, const Trace& shown);
/// The scenario with the matrix used so.
Scenario with_pasted(Scenario scenario, const Tensor& matrix, PasteUse use);

/// The file that a path or a file:// URI on the clipboard names; "" where it names none that is there.
std::string pasted_file(const std::string& text);
/// Uses the text if there is only one way to, asks if there are several, and shows an error if there is none.
void paste_into(Document& document, const std::string& text, const Words& words);
/// Applies the answer of the dialog.
void use_pasted(Document& document, PasteUse use, const Words& words);

void draw_paste_dialog(const Frame& frame, Rect place);

}  // namespace headlight
