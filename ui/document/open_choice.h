// What stands in the dialogs that open files: what is typed and marked in them. Part of the View.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/scenario/layer_list.h"

namespace headlight {

/// The open dialog.
struct OpenChoice {
  std::string typed;   ///< a folder and the beginning of a name in it
  int marked = -1;     ///< among the entries that `typed` leaves; −1: none
  int visit = 0;       ///< counts the times the dialog came up, each of which reads the folder anew
  bool focus = false;  ///< the field is to take the keyboard
  bool masks = false;  ///< what is chosen becomes the mask of what is open; only files that can be one are listed
  bool operator==(const OpenChoice&) const = default;
};

/// The dialog that asks which attention of a file is meant.
struct LayerChoice {
  std::shared_ptr<const LayerQuestion> question;
  std::string search;          ///< layers that hold this text are listed
  std::string layer;           ///< the marked one
  std::optional<Index> heads;  ///< where the file does not say
  bool focus = false;
  bool operator==(const LayerChoice&) const = default;
};

/// What a matrix from the clipboard is to be.
enum class PasteUse : std::uint8_t { input, mask, bias };

}  // namespace headlight
