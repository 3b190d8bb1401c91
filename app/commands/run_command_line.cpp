#include <csignal>
#include <iostream>

#include "app/commands/commands.h"
#include "core/tensor/error.h"
#include "core/tensor/memory.h"

namespace headlight {
namespace {

int dispatch(const CommandLine& line) {
  switch (line.kind) {
    case CommandKind::window: return window_command(line);
    case CommandKind::screenshot: return screenshot_command(line);
    case CommandKind::animation: return animation_command(line);
    case CommandKind::frames: return frames_command(line);
    case CommandKind::trace: return trace_command(line);
    case CommandKind::render: return render_command(line);
    case CommandKind::explain: return explain_command(line);
    case CommandKind::predict: return predict_command(line);
    case CommandKind::heads: return heads_command(line);
    case CommandKind::patch: return patch_command(line);
    case CommandKind::compare: return compare_command(line);
    case CommandKind::bundle: return bundle_command(line);
    case CommandKind::handout: return handout_command(line);
    case CommandKind::mask_code: return mask_code_command(line);
    case CommandKind::lesson: return lesson_command(line);
    case CommandKind::list: return list_command(line);
    case CommandKind::help: std::cout << help_text(); return 0;
    case CommandKind::version: std::cout << "headlight " HEADLIGHT_VERSION "\n"; return 0;
  }
  return 2;
}

int complain(const std::string& sentence) {
  std::cerr << "headlight: " << InputError("", sentence).what() << '\n';
  return 2;
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond ulimit -f fails like one on a full disk, and its temporary goes
#endif
  try {
    memory_budget();  // which refuses a HEADLIGHT_MEMORY that is no number
    const int status = dispatch(parse_command_line(arguments));
    std::cout.flush();
    if (!std::cout) return complain("standard output cannot be written");
    return status;
  } catch (const std::bad_alloc&) {
    return complain("the tensors do not fit in memory; expected smaller sizes");
  } catch (const InputError& error) {
    std::cerr << "headlight: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) { return complain(error.what()); }
}

}  // namespace headlight
