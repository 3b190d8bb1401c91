// What the open dialog shows of a folder, as plain data: its folders and the files that can be opened.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headlight {

struct FolderEntry {
  std::string name;
  bool folder = false, model = false;  ///< a model's folder opens as a whole
  const char* kind = "";               ///< a word of the table: "open.numpy"
  std::string size;                    ///< "1.3 MB"; "" for folders
  std::string changed;                 ///< "2024-05-31 14:02", local time
};

struct FolderListing {
  std::string folder;                ///< with its slash behind
  std::vector<FolderEntry> entries;  ///< folders first, each kind in the order of its names
  bool readable = true;
  bool model = false;  ///< the folder itself is one
};

/// The folder's entries; hidden ones are left out. `folder` as folder_part gives it. `masks`: files that can hold a
/// mask, in place of those that can hold an attention.
FolderListing list_folder(const std::string& folder, bool masks = false);

/// What is typed, cut behind its last slash; "~/" is the person's own folder, and what is not absolute is beside the
/// program's present folder. Behind "//" or "/~/" a path begins anew: whole ones are pasted behind the folder that
/// stands there.
std::string folder_part(const std::string& typed);
std::string name_part(const std::string& typed);
/// Where a person who has opened nothing yet begins.
std::string first_folder();
/// The folder above, with its slash behind; the same at the top.
std::string folder_above(const std::string& folder);

/// ASCII letters made small.
std::string lower_case(std::string_view text);
/// The entries whose names begin with `part`, then those that hold it elsewhere; capitals or not.
std::vector<std::size_t> matching(const FolderListing& listing, std::string_view part);
/// As much as every entry that begins with `part` goes on with; `part` itself where none does.
std::string completed(const FolderListing& listing, const std::string& part);

}  // namespace headlight
