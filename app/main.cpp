#include "app/commands/commands.h"
#include "app/console.h"
#include "core/base/assets/assets.h"

int main(int argc, char** argv) {
  headlight::begin_console();
  if (argc > 0) headlight::remember_executable(argv[0]);
  return headlight::run_command_line({argv + (argc > 0 ? 1 : 0), argv + argc});
}
