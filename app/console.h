// The terminal that the program was started in, if any.
#pragma once

namespace headlight {

/// Called before the first word is written. Windows: words are UTF-8 and the same bytes as elsewhere; the console that
/// a double click opens is closed.
void begin_console();

}  // namespace headlight
