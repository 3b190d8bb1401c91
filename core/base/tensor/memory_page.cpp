// The memory of a web page: what WebAssembly allows, less the size of its heap.
#include <emscripten/heap.h>
#include <malloc.h>

#include "core/base/tensor/memory.h"

namespace headlight {

std::uint64_t available_memory() {
  const std::uint64_t most = emscripten_get_heap_max(), grown = emscripten_get_heap_size();
  const std::uint64_t unused = static_cast<std::uint64_t>(static_cast<std::size_t>(mallinfo().fordblks));
  return (most - grown + unused) / 10 * 9;
}

double machine_memory() { return static_cast<double>(emscripten_get_heap_max()); }

}  // namespace headlight
