#pragma once

#include <ramet/ramet.h>

#include <string>

namespace example {

// Creates the network to clone: "x:0" [?, 2] -> "out:0" [?, 1], trained to compute x0 * x1. Writes
// the checkpoint `prefix` and its .meta file. Throws ramet::BadStatusAccess on an error.
void SomebodyTrains(const std::string& prefix);

// Points and their target values.
struct Examples {
  ramet::Tensor x, y;
};
// Returns the points of a grid with the target values `scale` * x0 * x1.
Examples Products(double scale);

}  // namespace example
