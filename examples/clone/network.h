#pragma once

#include <ramet/ramet.h>

#include <string>

namespace example {

// What somebody made and left in files: "x:0" [?, 2] -> "out:0" [?, 1], which has learned x0 * x1.
// Writes the checkpoint `prefix` and its .meta file; throws ramet::BadStatusAccess on an error.
void SomebodyTrains(const std::string& prefix);

// Points, and what a network shall learn to say of them.
struct Examples {
  ramet::Tensor x, y;
};
Examples Products(double scale);

}  // namespace example
