#pragma once

#include <string>

#include "ramet/tensor/tensor.h"
#include "random.h"

// Draws shapes, numbers, strings and tensors: plausible ones and hostile ones.
namespace ramet::fuzz {

// A shape of at most a few hundred elements; now and then one without elements and with dimensions
// of 2^40, or of a high rank.
Shape DrawShape(Random& random);
// A shape that is related to `base`: equal, broadcastable, a part, permuted, or off by one.
Shape DrawRelatedShape(Random& random, const Shape& base);
// A shape attr: also partial ones.
Shape DrawPartialShape(Random& random);

// 0, -1, powers of two and their neighbors, the ends of int32 and int64.
int64_t HostileInt(Random& random);
// NaN, infinities, denormals, the largest, the smallest, integers out of every integer's range.
double HostileNumber(Random& random);
// Empty, with NUL bytes, not UTF-8, long, a number, a pattern, a path without a folder.
std::string DrawString(Random& random);

// The kind of elements that a drawn tensor has.
enum class Values {
  kPlausible,  // small numbers
  kMixed,      // with a few hostile ones among them
  kHostile,
};
Values DrawValuesKind(Random& random);

// A tensor in host memory. Resources and variants are empty ones.
// \error kResourceExhausted, kInvalidArgument as Tensor::Allocate.
StatusOr<Tensor> DrawTensor(Random& random, DType dtype, const Shape& shape, Values values);
// The same, or a vector of one element where there can be no tensor of that shape.
Tensor DrawValue(Random& random, DType dtype, const Shape& shape, Values values);
// Integers, each in [low, high], of any numeric dtype.
Tensor DrawIntegers(Random& random, DType dtype, const Shape& shape, int64_t low, int64_t high);
// Integers as they are given, converted to a numeric dtype.
Tensor IntegersOf(DType dtype, const Shape& shape, const std::vector<int64_t>& values);
// Overwrites one element of a numeric or string tensor with a hostile one.
void SpoilElement(Random& random, Tensor* tensor);

}  // namespace ramet::fuzz
