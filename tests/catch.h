// The one door to Catch2, 2 and 3.
#pragma once

#ifdef HEADLIGHT_CATCH3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
