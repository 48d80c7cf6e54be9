#pragma once

#include <span>
#include <string_view>

namespace ramet::gpu {

// How the inputs of an element-wise op fit together.
enum class ElementwiseForm {
  kUnary,
  kBroadcast,  // two inputs, broadcast
  kPairs,      // two inputs with as many elements; the output has the shape of the first
  kSameShape   // two inputs of the same shape
};

// An element-wise op: its result as expressions of the dialect in `a` and `b`. An empty expression
// means that the op has no kernel for these dtypes. The expressions may use the macros of
// elementwise.cc: K(0.5) for constants of the type, and ADD, SUB and MUL, which wrap around.
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

// Returns the row of an op, which must have one.
const ElementwiseRow& ElementwiseRowOf(std::string_view op);

}  // namespace ramet::gpu
