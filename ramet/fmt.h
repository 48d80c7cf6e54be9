#pragma once

// Formatters of Ramet's types for the library fmt: fmt::print("{}\n", tensor). ramet.h does not
// include this header, because Ramet does not need fmt.

#include <fmt/format.h>

#include "ramet/formatter.h"

RAMET_DEFINE_FORMATTERS(fmt)
