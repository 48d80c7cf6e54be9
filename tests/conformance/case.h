#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json.h"
#include "ramet/op/attr.h"
#include "ramet/tensor/tensor.h"

namespace ramet::conformance {

// A Case is one line of tests/data/conformance/<family>.json: an operation, its inputs, and real
// TensorFlow's results. gen_cases.py documents the fields.
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
  std::string error;  // "" if there is none
  bool has_gradients = false;
  std::vector<Tensor> grad_ys;    // empty() if there is none for this output
  std::vector<Tensor> gradients;  // empty() if there is none for this input
  bool static_only = false;
  std::optional<double> tol, atol, grad_tol;
};

// Returns the cases of every file in a folder. Throws BadStatusAccess naming the file and line if
// one cannot be parsed.
std::vector<Case> LoadCases(const std::string& folder);

// Parses a tensor such as "float[2,3] 1 2 nan 4 5 6".
// \error kInvalidArgument: the text is malformed.
StatusOr<Tensor> ParseTensor(const std::string& text);

// Parses the attrs of an object in a file of cases.
// \error kInvalidArgument: an attr is malformed.
StatusOr<AttrMap> ParseAttrs(const Json& object);

// Returns OK if dtypes and shapes are equal and each pair of elements differs by at most tol *
// |expected| + atol. Negative tolerances mean the defaults for the dtype (both times `factor`). NaN
// equals NaN. Integers, bools and strings are compared exactly.
// \error kDataLoss: the tensors differ. Describes where.
Status Compare(const Tensor& found, const Tensor& expected, double tol, double atol,
               double factor = 1);

// Returns the elements of a numeric tensor as numbers (two per complex element).
std::vector<double> Numbers(const Tensor& t);
// The inverse of Numbers.
Tensor FromNumbers(DType dtype, const Shape& shape, const std::vector<double>& numbers);

}  // namespace ramet::conformance
