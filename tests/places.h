// Where tests find what is in the repository and what was built.
#pragma once

#include <filesystem>
#include <string>

namespace headlight::places {

std::string fixtures();   ///< tests/fixtures
std::string sentences();  ///< tests/fixtures/sentences, a small trained GPT-2
std::string assets();     ///< assets
std::string baselines();  ///< tests/baselines
std::string program();    ///< the built headlight

/// All of a file; "" where there is none.
std::string text_of(const std::filesystem::path& path);

}  // namespace headlight::places
