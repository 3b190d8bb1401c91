// Objects of C libraries, destroyed by the library's own function: std::unique_ptr<cairo_t,
// Destroy<cairo_destroy>>.
#pragma once

namespace headlight {

template <auto destroy>
struct Destroy {
  template <typename T>
  void operator()(T* object) const {
    destroy(object);
  }
};

}  // namespace headlight
