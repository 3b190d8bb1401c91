#include "app/console.h"

namespace headlight {

void begin_console() {}

}  // namespace headlight
