#pragma once

#include <vector>

#include "ramet/ramet.h"

namespace ramet::testing {

// A small classifier with random data, trained by gradient descent.
struct Mlp {
  explicit Mlp(Graph& graph, std::string_view device = "", int64_t inputs = 20,
               int64_t hidden = 16);

  Output x, y, out, loss;
  Variable w0, b0, w1, b1;
  Operation train, init;
  Tensor images, labels;

  Feeds Batch() const { return {{x, images}, {y, labels}}; }
  std::vector<Variable> variables() const { return {w0, b0, w1, b1}; }
};

// Returns numbers in [0, 1) that are the same on every machine.
Tensor PseudoRandom(const Shape& shape, uint32_t seed);

}  // namespace ramet::testing
