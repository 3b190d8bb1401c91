#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <io.h>

#include "app/console.h"
#include "core/base/files/windows.h"

namespace headlight {
namespace {

UINT code_page_before = 0;

/// A console that nobody else uses was opened for this program: by a double click, not in a terminal.
bool has_own_console() {
  DWORD processes[2];
  return ::GetConsoleProcessList(processes, 2) == 1;
}

}  // namespace

void begin_console() {
  for (std::FILE* stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
  if (has_own_console()) {
    ::FreeConsole();
    return;
  }
  code_page_before = ::GetConsoleOutputCP();
  if (code_page_before == 0) return;  // there is no console
  ::SetConsoleOutputCP(CP_UTF8);
  std::atexit([] { ::SetConsoleOutputCP(code_page_before); });
}

}  // namespace headlight
