#pragma once

#include <cstdint>

#include "ramet/linalg/broadcast.h"
#include "ramet/linalg/types.h"

// Elementwise functions on dense spans with the values of TensorFlow's CPU kernels. They use the
// calling thread's intra-op threads for large work, give the same bits for any number of threads,
// allocate nothing and are thread-safe.
//
// Types: F = half, bfloat16, float, double; I = int8..int64, uint8..uint64; C = complex64,
// complex128.

namespace ramet::linalg {

// y = op(x). The result has the operand's type unless noted. The comments list the types.
enum class UnaryOp : uint8_t {
  kNeg,         // F I C; unsigned wraps
  kAbs,         // F I; the smallest signed integer is unchanged
  kSign,        // F I C (C: x / |x|, 0 for 0); NaN for NaN
  kSquare,      // F I C
  kSqrt,        // F C
  kRsqrt,       // F C
  kReciprocal,  // F C and I (I: truncated; see Unary for 0)
  kExp,         // F C
  kExpm1,       // F C
  kLog,         // F C
  kLog1p,       // F C
  kTanh,        // F C
  kSigmoid,     // F C
  kSin,         // F C
  kCos,         // F C
  kTan,         // F C
  kAsin,        // F C
  kAcos,        // F C
  kAtan,        // F C
  kSinh,        // F C
  kCosh,        // F C
  kAsinh,       // F C
  kAcosh,       // F C
  kAtanh,       // F C
  kErf,         // F
  kErfc,        // F
  kLgamma,      // F
  kFloor,       // F
  kCeil,        // F
  kRint,        // F; halves to even
  kRound,       // F, and I unchanged; halves to even (TensorFlow's Round)
  kIsNan,       // F -> bool
  kIsInf,       // F -> bool
  kIsFinite,    // F -> bool
  kLogicalNot,  // bool
  kInvert,      // I; bitwise not
  kRelu,        // F I; NaN stays NaN
  kRelu6,       // F I
  kElu,         // F
  kSelu,        // F
  kSoftplus,    // F
  kSoftsign,    // F
  kConj,        // C
  kReal,        // C -> its real type
  kImag,        // C -> its real type
  kAngle,       // C -> its real type
  kComplexAbs,  // C -> its real type
};
inline constexpr int kNumUnaryOps = static_cast<int>(UnaryOp::kComplexAbs) + 1;

// Reports whether `op` supports `type`.
bool HasUnary(UnaryOp op, Type type);
// Returns the type of op's result (`type`, bool, or the real type).
Type UnaryResultType(UnaryOp op, Type type);
// y[i] = op(x[i]) for n elements. y may be x if both types have the same size; otherwise they must
// not overlap. Returns false if an element has no value (reciprocal of integer 0; y is 0 there).
// HasUnary must hold.
bool Unary(UnaryOp op, Type type, const void* x, void* y, int64_t n);

// y = op(a, b).
enum class BinaryOp : uint8_t {
  kAdd,                // F I C
  kSub,                // F I C
  kMul,                // F I C
  kDiv,                // F C, and I rounding towards zero (TensorFlow's Div, TruncateDiv, RealDiv)
  kFloorDiv,           // F I
  kMod,                // F I; sign of a, as in C (TensorFlow's Mod, TruncateMod)
  kFloorMod,           // F I; sign of b
  kPow,                // F I C
  kMaximum,            // F I; NaN if either is NaN
  kMinimum,            // F I; NaN if either is NaN
  kSquaredDifference,  // F I C; (a - b) * conj(a - b)
  kAtan2,              // F
  kDivNoNan,           // F C; 0 if b is 0
  kMulNoNan,           // F C; 0 if b is 0
  kXdivy,              // F C; 0 if a is 0, else a / b
  kXlogy,              // F C; 0 if a is 0, else a * log(b)
  kXlog1py,            // F C; 0 if a is 0, else a * log1p(b)
  kEqual,              // F I C bool -> bool
  kNotEqual,           // F I C bool -> bool
  kLess,               // F I -> bool
  kLessEqual,          // F I -> bool
  kGreater,            // F I -> bool
  kGreaterEqual,       // F I -> bool
  kLogicalAnd,         // bool
  kLogicalOr,          // bool
  kBitwiseAnd,         // I
  kBitwiseOr,          // I
  kBitwiseXor,         // I
  kLeftShift,          // I; the shift is clamped to [0, bits - 1]
  kRightShift,         // I; the shift is clamped to [0, bits - 1]; arithmetic for signed
  // Gradients, with the operand order of TensorFlow's op of that name.
  kReluGrad,        // F I; (gradient, feature or output): a if b > 0, else 0
  kRelu6Grad,       // F I; (gradient, feature or output): a if 0 < b < 6, else 0
  kEluGrad,         // F; (gradient, output)
  kSeluGrad,        // F; (gradient, output)
  kSoftplusGrad,    // F; (gradient, feature)
  kSoftsignGrad,    // F; (gradient, feature)
  kSigmoidGrad,     // F C; (output y, gradient): b * y * (1 - y)
  kTanhGrad,        // F C; (output y, gradient): b * (1 - y * y)
  kSqrtGrad,        // F C; (output y, gradient): b * conj(0.5 / y), 0 if b = 0
  kRsqrtGrad,       // F C; (output y, gradient): b * conj(-0.5 * y^3), 0 if b = 0
  kReciprocalGrad,  // F C; (output y, gradient): -b * conj(y^2), 0 if b = 0
};
inline constexpr int kNumBinaryOps = static_cast<int>(BinaryOp::kReciprocalGrad) + 1;

bool HasBinary(BinaryOp op, Type type);
// Returns `type`, or bool for comparisons.
Type BinaryResultType(BinaryOp op, Type type);
// y = op(a, b) with operands broadcast by `plan` (of two operands); y is dense. y may be an operand
// that is not broadcast. Returns false if an element has no value: integer division or modulo by 0,
// or a negative integer exponent. y is 0 there and correct elsewhere. The smallest integer divided
// by -1 wraps. HasBinary must hold.
bool Binary(BinaryOp op, Type type, const BroadcastPlan& plan, const void* a, const void* b,
            void* y);
// y = op(a, b) for spans of n elements each.
bool Binary(BinaryOp op, Type type, const void* a, const void* b, void* y, int64_t n);

// TensorFlow's LeakyRelu, x * alpha if x < 0, and its gradient: gradient if feature > 0, else
// gradient * alpha. For F. May run in place.
void LeakyRelu(Type type, double alpha, const void* x, void* y, int64_t n);
void LeakyReluGrad(Type type, double alpha, const void* gradient, const void* feature, void* y,
                   int64_t n);

// y += x for n elements (F I C). For AddN and gradient accumulation.
void AddTo(Type type, const void* x, void* y, int64_t n);

}  // namespace ramet::linalg
