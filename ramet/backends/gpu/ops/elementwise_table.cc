#include "ramet/backends/gpu/ops/elementwise_table.h"

#include <algorithm>

#include "ramet/backends/gpu/codegen/dialect.h"

namespace ramet::gpu {
namespace {

using enum ElementwiseForm;

#define RAMET_SELU_SCALE "K(1.0507009873554804934193349852946)"
#define RAMET_SELU_SCALE_ALPHA "K(1.7580993408473768599402175208123)"

// Integer division, remainder and power can fail; cpu_kernels.cc has them.
constexpr ElementwiseRow kRows[] = {
    {"Neg", kUnary, "-a", "SUB(0, a)", kOnlySignedInts},
    {"Abs", kUnary, "fabs(a)", "a < 0 ? SUB(0, a) : a", kOnlySignedInts},
    {"Sign", kUnary, "isnan(a) ? a : (V)((a > 0) - (a < 0))", "(V)((a > 0) - (a < 0))",
     kOnlySignedInts},
    {"Square", kUnary, "a * a", "MUL(a, a)"},
    {"Sqrt", kUnary, "sqrt(a)", ""},
    {"Rsqrt", kUnary, "K(1.0) / sqrt(a)", ""},
    {"Reciprocal", kUnary, "K(1.0) / a", ""},
    {"Inv", kUnary, "K(1.0) / a", ""},
    {"Exp", kUnary, "exp(a)", ""},
    {"Expm1", kUnary, "expm1(a)", ""},
    {"Log", kUnary, "log(a)", ""},
    {"Log1p", kUnary, "log1p(a)", ""},
    {"Tanh", kUnary, "tanh(a)", ""},
    {"Sigmoid", kUnary, "K(1.0) / (K(1.0) + exp(-a))", ""},
    {"Sin", kUnary, "sin(a)", ""},
    {"Cos", kUnary, "cos(a)", ""},
    {"Tan", kUnary, "tan(a)", ""},
    {"Asin", kUnary, "asin(a)", ""},
    {"Acos", kUnary, "acos(a)", ""},
    {"Atan", kUnary, "atan(a)", ""},
    {"Sinh", kUnary, "sinh(a)", ""},
    {"Cosh", kUnary, "cosh(a)", ""},
    {"Asinh", kUnary, "asinh(a)", ""},
    {"Acosh", kUnary, "acosh(a)", ""},
    {"Atanh", kUnary, "atanh(a)", ""},
    {"Erf", kUnary, "erf(a)", ""},
    {"Erfc", kUnary, "erfc(a)", ""},
    {"Lgamma", kUnary, "lgamma(a)", ""},
    {"Round", kUnary, "rint(a)", "a", kOnlySignedInts},
    {"Floor", kUnary, "floor(a)", ""},
    {"Ceil", kUnary, "ceil(a)", ""},
    {"Rint", kUnary, "rint(a)", "", kOnlyPlainFloats},
    {"IsNan", kUnary, "isnan(a)", "", kReturnsBool},
    {"IsInf", kUnary, "isinf(a)", "", kReturnsBool},
    {"IsFinite", kUnary, "isfinite(a)", "", kReturnsBool},
    {"LogicalNot", kUnary, "", "", 0, "!a"},
    {"Invert", kUnary, "", "(V)~a"},
    {"Relu", kUnary, "a < 0 ? K(0.0) : a", "a < 0 ? 0 : a"},
    {"Relu6", kUnary, "a < 0 ? K(0.0) : a > 6 ? K(6.0) : a", "a < 0 ? 0 : a > 6 ? 6 : a"},
    {"Elu", kUnary, "a < 0 ? expm1(a) : a", ""},
    {"Selu", kUnary, "a < 0 ? " RAMET_SELU_SCALE_ALPHA " * expm1(a) : " RAMET_SELU_SCALE " * a",
     ""},
    {"Softplus", kUnary, "(a > 0 ? a : a < 0 ? K(0.0) : a) + log1p(exp(-fabs(a)))", ""},
    {"Softsign", kUnary, "a / (fabs(a) + K(1.0))", ""},
    {"Add", kBroadcast, "a + b", "ADD(a, b)"},
    {"AddV2", kBroadcast, "a + b", "ADD(a, b)"},
    {"Sub", kBroadcast, "a - b", "SUB(a, b)"},
    {"Mul", kBroadcast, "a * b", "MUL(a, b)"},
    {"Div", kBroadcast, "a / b", ""},
    {"RealDiv", kBroadcast, "a / b", ""},
    {"TruncateDiv", kBroadcast, "trunc(a / b)", ""},
    {"FloorDiv", kBroadcast, "floor(a / b)", ""},
    {"FloorMod", kBroadcast, "floor_mod(a, b)", ""},
    {"Mod", kBroadcast, "fmod(a, b)", "", kOnlyPlainFloats},
    {"TruncateMod", kBroadcast, "fmod(a, b)", "", kOnlyPlainFloats},
    {"Maximum", kBroadcast, "a > b || isnan(a) ? a : b", "a > b ? a : b"},
    {"Minimum", kBroadcast, "a < b || isnan(a) ? a : b", "a < b ? a : b"},
    {"Pow", kBroadcast, "pow(a, b)", ""},
    {"SquaredDifference", kBroadcast, "(a - b) * (a - b)", "MUL(SUB(a, b), SUB(a, b))"},
    {"DivNoNan", kBroadcast, "b == 0 ? K(0.0) : a / b", ""},
    {"MulNoNan", kBroadcast, "b == 0 ? K(0.0) : a * b", ""},
    {"Xdivy", kBroadcast, "a == 0 ? K(0.0) : a / b", ""},
    {"Xlogy", kBroadcast, "a == 0 ? K(0.0) : a * log(b)", ""},
    {"Xlog1py", kBroadcast, "a == 0 ? K(0.0) : a * log1p(b)", ""},
    {"Atan2", kBroadcast, "atan2(a, b)", ""},
    {"Less", kBroadcast, "a < b", "a < b", kReturnsBool},
    {"LessEqual", kBroadcast, "a <= b", "a <= b", kReturnsBool},
    {"Greater", kBroadcast, "a > b", "a > b", kReturnsBool},
    {"GreaterEqual", kBroadcast, "a >= b", "a >= b", kReturnsBool},
    {"Equal", kBroadcast, "a == b", "a == b", kReturnsBool, "a == b"},
    {"NotEqual", kBroadcast, "a != b", "a != b", kReturnsBool, "a != b"},
    {"LogicalAnd", kBroadcast, "", "", 0, "a && b"},
    {"LogicalOr", kBroadcast, "", "", 0, "a || b"},
    {"BitwiseAnd", kBroadcast, "", "a & b"},
    {"BitwiseOr", kBroadcast, "", "a | b"},
    {"BitwiseXor", kBroadcast, "", "a ^ b"},
    {"LeftShift", kBroadcast, "", "(V)((U)a << SHIFT(b))"},
    {"RightShift", kBroadcast, "", "(V)(a >> SHIFT(b))"},
    {"ReluGrad", kSameShape, "b > 0 ? a : K(0.0)", "b > 0 ? a : 0"},
    {"Relu6Grad", kSameShape, "b > 0 && b < 6 ? a : K(0.0)", "b > 0 && b < 6 ? a : 0"},
    {"EluGrad", kSameShape, "b < 0 ? a * (b + K(1.0)) : a", ""},
    {"SeluGrad", kSameShape, "b < 0 ? a * (b + " RAMET_SELU_SCALE_ALPHA ") : a * " RAMET_SELU_SCALE,
     ""},
    {"SoftplusGrad", kSameShape, "a / (exp(-b) + K(1.0))", ""},
    {"SoftsignGrad", kSameShape, "a / ((fabs(b) + K(1.0)) * (fabs(b) + K(1.0)))", ""},
    {"SigmoidGrad", kPairs, "b * a * (K(1.0) - a)", ""},
    {"TanhGrad", kPairs, "b * (K(1.0) - a * a)", ""},
    {"SqrtGrad", kPairs, "b == 0 ? K(0.0) : b * (K(0.5) / a)", ""},
    {"RsqrtGrad", kPairs, "b == 0 ? K(0.0) : b * (K(-0.5) * a * a * a)", ""},
    {"ReciprocalGrad", kPairs, "b == 0 ? K(0.0) : -b * (a * a)", ""},
    {"InvGrad", kPairs, "b == 0 ? K(0.0) : -b * (a * a)", ""},
};

}  // namespace

const std::string_view kElementwiseMacros = R"(
#define V VALUE(T)
#if IS_DOUBLE
#define K(x) (x)
#else
#define K(x) ((V)x##f)
#endif
#if IS_FLOAT
#else
#define ADD(a, b) ((V)((U)(a) + (U)(b)))
#define SUB(a, b) ((V)((U)(a) - (U)(b)))
#define MUL(a, b) ((V)((U)(a) * (U)(b)))
#endif
#define SHIFT(b) ((b) < 0 ? 0 : (b) > (V)(sizeof(V) * 8 - 1) ? (int)(sizeof(V) * 8 - 1) : (int)(b))
)";

const std::string_view kFloorMod = R"(
#if IS_FLOAT
FUNCTION V floor_mod(V a, V b) {
  const V rest = fmod(a, b);
  return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}
#endif
)";

Definitions ElementwiseDefinitions(DType dtype) {
  return {{"T", std::string(DialectTag(dtype))},
          {"U", DTypeSize(dtype) == 8 ? "u64" : "u32"},
          {"IS_FLOAT", IsFloating(dtype) ? "1" : "0"},
          {"IS_DOUBLE", dtype == kDouble ? "1" : "0"}};
}

std::span<const ElementwiseRow> ElementwiseTable() { return kRows; }

const ElementwiseRow& ElementwiseRowOf(std::string_view op) {
  return *std::ranges::find(kRows, op, &ElementwiseRow::op);
}

}  // namespace ramet::gpu
