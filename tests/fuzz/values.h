#pragma once

#include <string>

#include "ramet/tensor/tensor.h"
#include "random.h"

// Draws shapes, numbers, strings and tensors: plausible ones and hostile ones.
namespace ramet::fuzz {

// Draws a shape of at most a few hundred elements, sometimes one without elements and with
// dimensions of 2^40, or of a high rank.
Shape DrawShape(Random& random);
// Draws a shape related to `base`: equal, broadcastable, a part, permuted, or off by one.
Shape DrawRelatedShape(Random& random, const Shape& base);
// Draws a shape attr, which may be partial.
Shape DrawPartialShape(Random& random);

// Returns 0, -1, powers of two and their neighbors, or the limits of int32 and int64.
int64_t HostileInt(Random& random);
// Returns NaN, infinities, denormals, the largest or smallest number, or integers out of range.
double HostileNumber(Random& random);
// Draws a string: empty, with NUL bytes, not UTF-8, long, a number, a pattern, a path without a
// folder.
std::string DrawString(Random& random);

// The kind of elements in a drawn tensor.
enum class Values {
  kPlausible,  // small numbers
  kMixed,      // plausible with a few hostile ones
  kHostile,
};
Values DrawValuesKind(Random& random);

// Draws a tensor in host memory. Resources and variants are empty.
// \error kResourceExhausted, kInvalidArgument: as Tensor::Allocate.
StatusOr<Tensor> DrawTensor(Random& random, DType dtype, const Shape& shape, Values values);
// Draws a tensor, or a vector of one element if a tensor of that shape is impossible.
Tensor DrawValue(Random& random, DType dtype, const Shape& shape, Values values);
// Draws integers in [low, high] of any numeric dtype.
Tensor DrawIntegers(Random& random, DType dtype, const Shape& shape, int64_t low, int64_t high);
// Returns the given integers, converted to a numeric dtype.
Tensor IntegersOf(DType dtype, const Shape& shape, const std::vector<int64_t>& values);
// Overwrites one element of a numeric or string tensor with a hostile one.
void SpoilElement(Random& random, Tensor* tensor);

}  // namespace ramet::fuzz
