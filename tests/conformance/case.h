#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json.h"
#include "ramet/op/attr.h"
#include "ramet/tensor/tensor.h"

namespace ramet::conformance {

// A Case is one line of tests/data/conformance/<family>.json: an operation, what goes in, and what
// real TensorFlow makes of it. gen_cases.py says what the fields mean.
struct Case {
  struct Input {
    Tensor value;
    bool is_ref = false;
  };

  std::string family;
  int line = 0;
  std::string op;
  AttrMap attrs;
  std::vector<Input> inputs;
  std::vector<Tensor> outputs;
  std::vector<Tensor> refs;
  std::string error;  // "": none
  bool has_gradients = false;
  std::vector<Tensor> grad_ys;    // empty(): none for this output
  std::vector<Tensor> gradients;  // empty(): none for this input
  bool static_only = false;
  std::optional<double> tol, atol, grad_tol;
};

// The cases of every file in a folder. Throws BadStatusAccess naming file and line if one cannot be
// read.
std::vector<Case> LoadCases(const std::string& folder);

// The tensor that a text such as "float[2,3] 1 2 nan 4 5 6" is. \error kInvalidArgument otherwise.
StatusOr<Tensor> ParseTensor(const std::string& text);

// The attrs of an object in a file of cases. \error kInvalidArgument if one cannot be read.
StatusOr<AttrMap> ParseAttrs(const Json& object);

// OK when dtypes and shapes are equal and each pair of elements differs by at most
// tol * |expected| + atol. Negative: what is usual for the dtype (both, times `factor`). NaN equals
// NaN. Integers, bools and strings are compared exactly. \error kDataLoss saying where they differ.
Status Compare(const Tensor& found, const Tensor& expected, double tol, double atol,
               double factor = 1);

// The elements of a numeric tensor as numbers (two for a complex one).
std::vector<double> Numbers(const Tensor& t);
// The other way.
Tensor FromNumbers(DType dtype, const Shape& shape, const std::vector<double>& numbers);

}  // namespace ramet::conformance
