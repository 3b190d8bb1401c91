// A matrix from the clipboard: what it can be in the document that is open, and making it that.
#pragma once

#include <string>
#include <vector>

#include "ui/document/document.h"
#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// What `matrix` [rows, cols] may become beside the numbers that are shown: an input where its width is the input's, or
/// where the weights are drawn to fit; a mask or a bias where it is [n_q, n_k] of fitting numbers.
std::vector<PasteUse> paste_uses(const Tensor& matrix, const Trace& shown);
/// The scenario with the matrix in that place.
Scenario with_pasted(Scenario scenario, const Tensor& matrix, PasteUse use);

/// Takes the text over where it can only be one thing, asks by the paste dialog where it can be several, and says what
/// is wrong with it where it can be none.
void paste_into(Document& document, const std::string& text, const Words& words);
/// The answer to the dialog.
void use_pasted(Document& document, PasteUse use, const Words& words);

void draw_paste_dialog(const Frame& frame, Rect place);

}  // namespace headlight
