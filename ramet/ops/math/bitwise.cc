#include <bit>

#include "ramet/ops/math/elementwise.h"
#include "ramet/ops/math/types.h"

// Operations on the bits of integers.

namespace ramet {
namespace {

using linalg::BinaryOp;
using linalg::UnaryOp;

template <class T>
Status PopulationCount(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kUInt8, x.shape()));
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const auto bits = static_cast<std::make_unsigned_t<T>>(x.data<T>()[i]);
    y->mutable_data<uint8_t>()[i] = static_cast<uint8_t>(std::popcount(bits));
  }
  return OkStatus();
}

constexpr char kAttrIntegers[] = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}";

#define RAMET_BITWISE_OP(name, kind)                                            \
  RAMET_OP(name)                                                                \
      .Foldable()                                                               \
      .Input("x: T")                                                            \
      .Input("y: T")                                                            \
      .Output("z: T")                                                           \
      .Attr(kAttrIntegers)                                                      \
      .Shape(BroadcastBinaryShape)                                              \
      .CpuKernels<RAMET_SIGNED, RAMET_UNSIGNED>(BinaryKernel<BinaryOp::kind>()) \
      .NotDifferentiable()

RAMET_BITWISE_OP("BitwiseAnd", kBitwiseAnd)
    .Commutative()
    .Doc(
        "Returns the bitwise AND of x and y, element-wise with broadcasting. Error: the shapes do "
        "not broadcast.");

RAMET_BITWISE_OP("BitwiseOr", kBitwiseOr)
    .Commutative()
    .Doc(
        "Returns the bitwise OR of x and y, element-wise with broadcasting. Error: the shapes do "
        "not broadcast.");

RAMET_BITWISE_OP("BitwiseXor", kBitwiseXor)
    .Commutative()
    .Doc(
        "Returns the bitwise XOR of x and y, element-wise with broadcasting. Error: the shapes do "
        "not broadcast.");

RAMET_BITWISE_OP("LeftShift", kLeftShift)
    .Doc(
        "Returns x shifted left by y bits, element-wise with broadcasting. y is clamped to [0, "
        "width - 1]. Error: the shapes do not broadcast.");

RAMET_BITWISE_OP("RightShift", kRightShift)
    .Doc(
        "Returns x shifted right by y bits, element-wise with broadcasting. The sign is kept, and "
        "y is clamped to [0, width - 1]. Error: the shapes do not broadcast.");

RAMET_OP("Invert")
    .Foldable()
    .Input("x: T")
    .Output("y: T")
    .Attr(kAttrIntegers)
    .Doc("Returns the bitwise complement of x, element-wise. y has the shape of x.")
    .Shape(UnchangedShape)
    .CpuKernels<RAMET_SIGNED, RAMET_UNSIGNED>(UnaryKernel<UnaryOp::kInvert>())
    .NotDifferentiable();

RAMET_OP("PopulationCount")
    .Foldable()
    .Input("x: T")
    .Output("y: uint8")
    .Attr(kAttrIntegers)
    .Doc("Returns the number of bits set in x, element-wise. y has the shape of x.")
    .Shape(UnchangedShape)
    .NotDifferentiable()
    .CpuKernels<RAMET_SIGNED, RAMET_UNSIGNED>([]<class T>(KernelContext& c) {
      return PopulationCount<T>(c);
    });

}  // namespace
}  // namespace ramet
