// The folders and files whose places the system decides: one file for each kind of system.
#pragma once

#include <filesystem>
#include <vector>

namespace headlight {

/// The file of the running program; empty where the system cannot be asked.
std::filesystem::path running_program();
/// The user's own folder; empty if the system names none.
std::filesystem::path home_folder();
/// The folder for the program's state for this user: $XDG_STATE_HOME or ~/.local/state, %APPDATA%, or
/// ~/Library/Application Support, followed by "headlight". Empty if the system names none.
std::filesystem::path state_folder();
/// The user's folder for lessons, colour maps and styles, laid out like the shipped one; it need not exist. Empty
/// without a home folder.
std::vector<std::filesystem::path> own_data_folders();
/// Where the files that ship with the program can be, as that folder is laid out: beside the program, below
/// `program_folder`, and where the system keeps what all users share.
std::vector<std::filesystem::path> data_folders_of_program(const std::filesystem::path& program_folder);
std::vector<std::filesystem::path> shared_data_folders();

}  // namespace headlight
