#include "ramet/backends/gpu/kernels/kernels.h"
#include "ramet/base/strings.h"

namespace ramet::gpu {
namespace {

std::string WidthTag(size_t width) { return StrCat("u", 8 * width); }
std::string SumTag(DType dtype) { return TagOf(SumType(dtype)); }

std::string WorstOf(bool max, DType dtype) {
  if (!IsFloating(dtype)) return "LOAD(X, x, start)";  // integers have no NaNs
  return max ? "(VALUE(X))AS_F32(0xFF800000u)" : "(VALUE(X))AS_F32(0x7F800000u)";
}

std::string LowestOf(DType dtype) {
  switch (dtype) {
    case kFloat:
    case kHalf:
    case kBFloat16: return "(-0x1.fffffep127f)";
    case kDouble: return "(-0x1.fffffffffffffp1023)";
    case kInt8: return "(-128)";
    case kInt16: return "(-32768)";
    case kInt32: return "(-2147483647 - 1)";
    case kInt64: return "(-(i64)9223372036854775807 - 1)";
    default: return "0";
  }
}

// Returns TYPE of kRandomProgram.
std::string TypeNumber(DType dtype) {
  switch (dtype) {
    case kFloat: return "0";
    case kDouble: return "1";
    case kHalf: return "2";
    case kBFloat16: return "3";
    default: return DTypeSize(dtype) == 4 ? "4" : "5";
  }
}

std::string CombineOf(RowUpdate update, bool is_floating) {
  switch (update) {
    case RowUpdate::kDiv: return "((a) / (b))";
    case RowUpdate::kMax: return "((b) > (a) ? (b) : (a))";
    case RowUpdate::kMin: return "((b) < (a) ? (b) : (a))";
    default: return is_floating ? "((a) * (b))" : "((T)((Bits)(a) * (Bits)(b)))";
  }
}

}  // namespace

DType SumType(DType dtype) {
  if (dtype == kDouble) return kDouble;
  if (IsFloating(dtype)) return kFloat;
  if (dtype == kBool) return kInt32;
  const bool is_unsigned = dtype == kUInt8 || dtype == kUInt16 || dtype == kUInt32;
  return is_unsigned || dtype == kUInt64 ? kUInt64 : kInt64;
}

DType RowSumType(DType dtype) {
  if (dtype == kDouble) return kDouble;
  if (IsFloating(dtype)) return kFloat;
  return DTypeSize(dtype) == 8 ? kInt64 : kInt32;
}

Definitions CopyDefinitions(size_t width, int rank) {
  return {{"T", WidthTag(width)}, {"RANK", StrCat(rank)}};
}

Definitions SelectDefinitions(size_t width) { return {{"T", WidthTag(width)}}; }

Definitions AddDefinitions(DType dtype) { return {{"T", TagOf(dtype)}, {"S", SumTag(dtype)}}; }

Definitions RootDefinitions(DType dtype) { return {{"T", TagOf(dtype)}}; }

Definitions LeakyReluDefinitions(DType dtype) {
  return {{"T", TagOf(dtype)}, {"C", SumTag(dtype)}};
}

Definitions ClipDefinitions(DType dtype) { return {{"T", TagOf(dtype)}}; }

Definitions InTopKDefinitions(DType target) { return {{"I", TagOf(target)}}; }

Definitions TopKDefinitions(DType dtype, DType index) {
  return {{"T", TagOf(dtype)}, {"I", TagOf(index)}};
}

Definitions ScanDefinitions(linalg::ReduceOp op, DType dtype) {
  const bool is_sum = op == linalg::ReduceOp::kSum;
  return {{"T", TagOf(dtype)},
          {"S", SumTag(dtype)},
          {"JOIN(a, b)", is_sum ? "((a) + (b))" : "((a) * (b))"},
          {"NEUTRAL", is_sum ? "0" : "1"}};
}

Definitions SegmentDefinitions(linalg::ReduceOp op, DType dtype) {
  return {{"T", TagOf(dtype)}, {"S", SumTag(dtype)}, {"OP", StrCat(static_cast<int>(op))}};
}

Definitions LrnDefinitions(DType dtype) { return {{"T", TagOf(dtype)}}; }

Definitions WeightsDefinitions(DType dtype, DType weight) {
  return {{"T", TagOf(dtype)}, {"W", TagOf(weight)}};
}

Definitions ReduceDefinitions(linalg::ReduceOp op, int map, DType x, DType y, ReduceRanks ranks) {
  return {{"X", TagOf(x)},
          {"S", SumTag(x)},
          {"Y", TagOf(y)},
          {"OP", StrCat(static_cast<int>(op))},
          {"MAP", StrCat(map)},
          {"KEPT", StrCat(ranks.kept)},
          {"REDUCED", StrCat(ranks.reduced)}};
}

Definitions ArgDefinitions(bool max, DType x, DType y) {
  return {{"X", TagOf(x)},
          {"Y", TagOf(y)},
          {"BETTER(a, b)", max ? "((a) > (b))" : "((a) < (b))"},
          {"WORST", WorstOf(max, x)}};
}

Definitions RowsDefinitions(DType dtype, DType label) {
  return {{"T", TagOf(dtype)}, {"S", SumTag(dtype)}, {"L", TagOf(label)}};
}

Definitions ProductDefinitions(int kind, DType dtype, DType result) {
  return {{"T", TagOf(dtype)}, {"S", SumTag(dtype)}, {"Y", TagOf(result)}, {"KIND", StrCat(kind)}};
}

Definitions GroupedDefinitions(DType dtype) { return {{"T", TagOf(dtype)}, {"S", SumTag(dtype)}}; }

Definitions PoolDefinitions(DType dtype) {
  return {{"T", TagOf(dtype)}, {"S", SumTag(dtype)}, {"LOWEST", LowestOf(dtype)}};
}

Definitions NormDefinitions(DType dtype) { return {{"T", TagOf(dtype)}}; }

Definitions IndexDefinitions(size_t width, DType index) {
  return {{"T", WidthTag(width)}, {"I", TagOf(index)}};
}

Definitions RowSumDefinitions(DType dtype, DType index) {
  const DType sum = RowSumType(dtype);
  return {{"X", TagOf(dtype)},
          {"T", TagOf(sum)},
          {"I", TagOf(index)},
          {"WIDE", DTypeSize(sum) == 8 ? "1" : "0"},
          {"IS_FLOAT", IsFloating(sum) ? "1" : "0"}};
}

Definitions RowCombineDefinitions(RowUpdate update, DType dtype, DType index) {
  Definitions definitions = RowSumDefinitions(dtype, index);
  definitions.emplace_back("COMBINE(a, b)", CombineOf(update, IsFloating(dtype)));
  return definitions;
}

Definitions RandomDefinitions(DType dtype) {
  return {{"T", TagOf(dtype)}, {"TYPE", TypeNumber(dtype)}};
}

}  // namespace ramet::gpu
