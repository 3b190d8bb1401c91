// The paths of the repository's files and of the built program, for tests.
#pragma once

#include <filesystem>
#include <string>

namespace headlight::places {

std::string fixtures();   ///< tests/fixtures
std::string sentences();  ///< tests/fixtures/sentences, a small trained GPT-2
std::string assets();     ///< assets
std::string baselines();  ///< tests/baselines
std::string program();    ///< the built headlight

/// The contents of a file; "" if it does not exist.
std::string text_of(const std::filesystem::path& path);
/// What poppler's pdfinfo says of a PDF, a line each: "Subject: …", "Page size: 675 x 450 pts". A PDF may be
/// compressed.
std::string about_pdf(const std::filesystem::path& path);

}  // namespace headlight::places
