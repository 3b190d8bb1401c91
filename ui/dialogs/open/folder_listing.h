// The content of a folder in the open dialog, as plain data: folders and files that can be opened.
#pragma once

#include <filesystem>
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
  std::vector<FolderEntry> entries;  ///< folders first, each group by name
  bool readable = true;
  bool model = false;  ///< the folder itself is one
};

/// "2024-05-31 14:02", local time.
std::string local_time(std::filesystem::file_time_type changed);

/// Lists a folder (as returned by folder_part) without hidden entries. `masks`: lists files that can hold a mask,
/// instead of those that can hold attention.
FolderListing list_folder(const std::string& folder, bool masks = false);

/// The typed text up to its last slash. "~/" is the home folder; relative paths start at the current directory. "//" or
/// "/~/" begins a new path, for paths pasted behind the current folder.
std::string folder_part(const std::string& typed);
std::string name_part(const std::string& typed);
/// The parent folder, ending with a slash; the same at the root.
std::string folder_above(const std::string& folder);

/// Entries whose names begin with `part`, then those that contain it, ignoring case.
std::vector<std::size_t> matching(const FolderListing& listing, std::string_view part);
/// The longest common beginning of all entries that begin with `part`; `part` itself if there are none.
std::string completed(const FolderListing& listing, const std::string& part);

}  // namespace headlight
