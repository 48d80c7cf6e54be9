#pragma once

#include <span>
#include <string_view>

#include "ramet/backends/gpu/gpu_device.h"

namespace ramet::gpu {

// How the inputs of an element-wise op fit together.
enum class ElementwiseForm {
  kUnary,
  kBroadcast,  // two inputs, broadcast
  kBias,       // the second input has a number for each element of the last of several dimensions
  kPairs,      // two inputs with as many elements; the output has the shape of the first
  kSameShape   // two inputs of the same shape
};

// An element-wise op: its result as expressions of the dialect in `a` and `b`. An empty expression
// means that the op has no kernel for these dtypes. The expressions may use kElementwiseMacros and
// the function floor_mod(a, b) of kFloorMod.
struct ElementwiseRow {
  std::string_view op;
  ElementwiseForm form;
  std::string_view floats;
  std::string_view ints;
  unsigned flags = 0;
  std::string_view bools = "";
};

// Bits of ElementwiseRow::flags.
inline constexpr unsigned kReturnsBool = 1;
inline constexpr unsigned kOnlyPlainFloats = 2;  // no half and bfloat16
inline constexpr unsigned kOnlySignedInts = 4;

std::span<const ElementwiseRow> ElementwiseTable();

// Macros for expressions: V, the type of the operands; K(0.5) for constants of it; ADD, SUB and MUL
// of integers, which wrap around; SHIFT(b), a number of bits. They need the definitions T, the tag
// of the operands; IS_FLOAT, IS_DOUBLE; and U, an unsigned type that is at least as wide as T and
// at least 32 bits wide.
extern const std::string_view kElementwiseMacros;
extern const std::string_view kFloorMod;  // needs these macros
Definitions ElementwiseDefinitions(DType dtype);

// Returns the row of an op, which must have one.
const ElementwiseRow& ElementwiseRowOf(std::string_view op);

}  // namespace ramet::gpu
