#include "ramet/runtime/element_ops.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace ramet {
namespace {

using linalg::BinaryOp;
using linalg::ReduceOp;
using linalg::Type;
using linalg::UnaryOp;
using Kind = linalg::ElementInstruction::Kind;
using Rule = FusedElementwise::ShapeRule;

// The instruction of an op.
struct Entry {
  Kind kind;
  uint8_t op;
  Rule rule;
};

constexpr Entry Map(UnaryOp op) {
  return {Kind::kUnary, static_cast<uint8_t>(op), Rule::kUnchanged};
}
constexpr Entry Pair(BinaryOp op) {
  return {Kind::kBinary, static_cast<uint8_t>(op), Rule::kBroadcast};
}
// Both operands have one shape.
constexpr Entry Zip(BinaryOp op) { return {Kind::kBinary, static_cast<uint8_t>(op), Rule::kSame}; }
constexpr Entry Fold(ReduceOp op) {
  return {Kind::kReduce, static_cast<uint8_t>(op), Rule::kReduce};
}

using Table = std::unordered_map<std::string_view, Entry>;

// long: it is one table.
const Table& Entries() {
  static const auto* const table = new Table{
      {"Neg", Map(UnaryOp::kNeg)},
      {"Abs", Map(UnaryOp::kAbs)},
      {"Sign", Map(UnaryOp::kSign)},
      {"Square", Map(UnaryOp::kSquare)},
      {"Sqrt", Map(UnaryOp::kSqrt)},
      {"Rsqrt", Map(UnaryOp::kRsqrt)},
      {"Reciprocal", Map(UnaryOp::kReciprocal)},
      {"Inv", Map(UnaryOp::kReciprocal)},
      {"Exp", Map(UnaryOp::kExp)},
      {"Expm1", Map(UnaryOp::kExpm1)},
      {"Log", Map(UnaryOp::kLog)},
      {"Log1p", Map(UnaryOp::kLog1p)},
      {"Tanh", Map(UnaryOp::kTanh)},
      {"Sigmoid", Map(UnaryOp::kSigmoid)},
      {"Sin", Map(UnaryOp::kSin)},
      {"Cos", Map(UnaryOp::kCos)},
      {"Tan", Map(UnaryOp::kTan)},
      {"Asin", Map(UnaryOp::kAsin)},
      {"Acos", Map(UnaryOp::kAcos)},
      {"Atan", Map(UnaryOp::kAtan)},
      {"Sinh", Map(UnaryOp::kSinh)},
      {"Cosh", Map(UnaryOp::kCosh)},
      {"Asinh", Map(UnaryOp::kAsinh)},
      {"Acosh", Map(UnaryOp::kAcosh)},
      {"Atanh", Map(UnaryOp::kAtanh)},
      {"Erf", Map(UnaryOp::kErf)},
      {"Erfc", Map(UnaryOp::kErfc)},
      {"Lgamma", Map(UnaryOp::kLgamma)},
      {"Floor", Map(UnaryOp::kFloor)},
      {"Ceil", Map(UnaryOp::kCeil)},
      {"Rint", Map(UnaryOp::kRint)},
      {"Round", Map(UnaryOp::kRound)},
      {"IsNan", Map(UnaryOp::kIsNan)},
      {"IsInf", Map(UnaryOp::kIsInf)},
      {"IsFinite", Map(UnaryOp::kIsFinite)},
      {"LogicalNot", Map(UnaryOp::kLogicalNot)},
      {"Relu", Map(UnaryOp::kRelu)},
      {"Relu6", Map(UnaryOp::kRelu6)},
      {"Elu", Map(UnaryOp::kElu)},
      {"Selu", Map(UnaryOp::kSelu)},
      {"Softplus", Map(UnaryOp::kSoftplus)},
      {"Softsign", Map(UnaryOp::kSoftsign)},
      {"Add", Pair(BinaryOp::kAdd)},
      {"AddV2", Pair(BinaryOp::kAdd)},
      {"Sub", Pair(BinaryOp::kSub)},
      {"Mul", Pair(BinaryOp::kMul)},
      {"Div", Pair(BinaryOp::kDiv)},
      {"RealDiv", Pair(BinaryOp::kDiv)},
      {"FloorDiv", Pair(BinaryOp::kFloorDiv)},
      {"FloorMod", Pair(BinaryOp::kFloorMod)},
      {"Mod", Pair(BinaryOp::kMod)},
      {"TruncateMod", Pair(BinaryOp::kMod)},
      {"Pow", Pair(BinaryOp::kPow)},
      {"Maximum", Pair(BinaryOp::kMaximum)},
      {"Minimum", Pair(BinaryOp::kMinimum)},
      {"SquaredDifference", Pair(BinaryOp::kSquaredDifference)},
      {"Atan2", Pair(BinaryOp::kAtan2)},
      {"DivNoNan", Pair(BinaryOp::kDivNoNan)},
      {"MulNoNan", Pair(BinaryOp::kMulNoNan)},
      {"Xdivy", Pair(BinaryOp::kXdivy)},
      {"Xlogy", Pair(BinaryOp::kXlogy)},
      {"Xlog1py", Pair(BinaryOp::kXlog1py)},
      {"Equal", Pair(BinaryOp::kEqual)},
      {"NotEqual", Pair(BinaryOp::kNotEqual)},
      {"Less", Pair(BinaryOp::kLess)},
      {"LessEqual", Pair(BinaryOp::kLessEqual)},
      {"Greater", Pair(BinaryOp::kGreater)},
      {"GreaterEqual", Pair(BinaryOp::kGreaterEqual)},
      {"LogicalAnd", Pair(BinaryOp::kLogicalAnd)},
      {"LogicalOr", Pair(BinaryOp::kLogicalOr)},
      {"BiasAdd", {Kind::kBinary, static_cast<uint8_t>(BinaryOp::kAdd), Rule::kBias}},
      {"BiasAddV1", {Kind::kBinary, static_cast<uint8_t>(BinaryOp::kAdd), Rule::kBias}},
      {"AddN", Zip(BinaryOp::kAdd)},
      {"ReluGrad", Zip(BinaryOp::kReluGrad)},
      {"Relu6Grad", Zip(BinaryOp::kRelu6Grad)},
      {"EluGrad", Zip(BinaryOp::kEluGrad)},
      {"SeluGrad", Zip(BinaryOp::kSeluGrad)},
      {"SoftplusGrad", Zip(BinaryOp::kSoftplusGrad)},
      {"SoftsignGrad", Zip(BinaryOp::kSoftsignGrad)},
      {"SigmoidGrad", Zip(BinaryOp::kSigmoidGrad)},
      {"TanhGrad", Zip(BinaryOp::kTanhGrad)},
      {"SqrtGrad", Zip(BinaryOp::kSqrtGrad)},
      {"RsqrtGrad", Zip(BinaryOp::kRsqrtGrad)},
      {"ReciprocalGrad", Zip(BinaryOp::kReciprocalGrad)},
      {"InvGrad", Zip(BinaryOp::kReciprocalGrad)},
      {"Select", {Kind::kSelect, 0, Rule::kSame}},
      {"SelectV2", {Kind::kSelect, 0, Rule::kBroadcast}},
      {"Cast", {Kind::kCast, 0, Rule::kUnchanged}},
      {"Fill", {Kind::kRepeat, 0, Rule::kSizes}},
      {"BroadcastTo", {Kind::kRepeat, 0, Rule::kSizes}},
      {"Tile", {Kind::kRepeat, 0, Rule::kMultiples}},
      {"ZerosLike", {Kind::kConstant, 0, Rule::kLike}},
      {"OnesLike", {Kind::kConstant, 1, Rule::kLike}},
      {"Sum", Fold(ReduceOp::kSum)},
      {"Mean", Fold(ReduceOp::kMean)},
      {"Max", Fold(ReduceOp::kMax)},
      {"Min", Fold(ReduceOp::kMin)},
      {"Prod", Fold(ReduceOp::kProd)},
  };
  return *table;
}

bool IsSupported(DType dtype) {
  return IsFloating(dtype) || IsInteger(dtype) || dtype == DType::kBool;
}

Type LinalgTypeOf(DType dtype) { return static_cast<Type>(dtype); }

// Reports whether an op may find that integers have no result.
bool MayFail(BinaryOp op) {
  return (op >= BinaryOp::kDiv && op <= BinaryOp::kPow) || op == BinaryOp::kReciprocalGrad;
}

// Sets the types of an instruction. Returns false if it does not support them.
bool SetTypes(const Entry& entry, const AttrMap& attrs, linalg::ElementInstruction* made) {
  const bool casts = entry.kind == Kind::kCast;
  const bool is_logical =
      !casts && attrs.Find("T") == nullptr;  // LogicalAnd and its like have no attr
  const DType dtype = is_logical
                          ? DType::kBool
                          : BaseType(attrs.GetOr<DType>(casts ? "SrcT" : "T", DType::kInvalid));
  if (!IsSupported(dtype)) return false;
  const Type type = LinalgTypeOf(dtype);
  made->type = made->result = type;
  switch (entry.kind) {
    case Kind::kUnary: {
      const auto op = static_cast<UnaryOp>(entry.op);
      if (!linalg::HasUnary(op, type)) return false;
      made->result = linalg::UnaryResultType(op, type);
      return op != UnaryOp::kReciprocal || IsFloating(dtype);
    }
    case Kind::kBinary: {
      const auto op = static_cast<BinaryOp>(entry.op);
      if (!linalg::HasBinary(op, type)) return false;
      made->result = linalg::BinaryResultType(op, type);
      return !MayFail(op) || IsFloating(dtype);
    }
    case Kind::kSelect: return true;
    case Kind::kCast: {
      const DType to = BaseType(attrs.GetOr<DType>("DstT", DType::kInvalid));
      made->result = LinalgTypeOf(to);
      return IsSupported(to);
    }
    case Kind::kRepeat: return true;
    case Kind::kConstant: return IsFloating(dtype);
    case Kind::kReduce: return dtype == DType::kFloat || dtype == DType::kDouble;
  }
  return false;
}

int NumOperands(Kind kind) {
  if (kind == Kind::kSelect) return 3;
  if (kind == Kind::kConstant) return 0;
  return kind == Kind::kBinary ? 2 : 1;
}

std::vector<int64_t> IntegersOf(const Tensor& t) {
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    integers.push_back(t.dtype() == DType::kInt32 ? int64_t{t.data<int32_t>()[i]}
                                                  : t.data<int64_t>()[i]);
  }
  return integers;
}

// Sets the axis of a reduction. Returns false unless it is one that is known and may be the last.
bool SetAxis(const FusionBuilder& builder, const Step& step, ElementOp* op) {
  const Tensor* const axes = builder.ConstantIn(builder.InputSlot(step, 1));
  if (axes == nullptr || axes->num_elements() != 1) return false;
  if (axes->dtype() != DType::kInt32 && axes->dtype() != DType::kInt64) return false;
  const int64_t axis = IntegersOf(*axes)[0];
  const Shape& x = builder.InputShape(step, 0);
  const bool is_last = axis == -1 || (!x.unknown_rank() && axis == x.rank() - 1);
  if (!is_last || x.rank() == 0) return false;
  op->part.axis = static_cast<int32_t>(axis);
  if (builder.AttrsOf(step).GetOr<bool>("keep_dims", false)) {
    op->part.rule = Rule::kReduceInPlace;
  }
  const int64_t n = x.unknown_rank() ? -1 : x.dim(x.rank() - 1);
  const int64_t width = op->part.instruction.width();
  return n != 1 && n <= linalg::ElementProgram::kMaxRowBytes / width;
}

// Sets where the shape of the result is given. Returns false if it is a scalar.
bool SetGivenShape(const FusionBuilder& builder, const Step& step, ElementOp* op) {
  const bool like = op->part.rule == Rule::kLike;
  const bool sizes_first = builder.OpOf(step) == "Fill";
  op->first_operand = sizes_first ? 1 : 0;
  op->given_input = like || sizes_first ? 0 : 1;
  if (like) return true;
  const Tensor* const sizes = builder.ConstantIn(builder.InputSlot(step, op->given_input));
  if (sizes == nullptr) return true;
  op->given_input = -1;
  op->part.given.constant = IntegersOf(*sizes);
  return sizes->rank() == 1 && sizes->num_elements() > 0;
}

// Returns an op whose output is its input, or null.
std::optional<ElementOp> AliasOf(std::string_view name, const AttrMap& attrs) {
  const bool reads = name == "ReadVariableOp";
  if (!reads && name != "Identity" && name != "StopGradient") return std::nullopt;
  const DType dtype = BaseType(attrs.GetOr<DType>(reads ? "dtype" : "T", DType::kInvalid));
  if (!IsSupported(dtype)) return std::nullopt;
  ElementOp op;
  op.form = reads ? ElementOp::Form::kRead : ElementOp::Form::kAlias;
  op.part.instruction.type = op.part.instruction.result = LinalgTypeOf(dtype);
  return op;
}

bool MayBroadcastTo(const Shape& small, const Shape& wide) {
  if (small.unknown_rank() || wide.unknown_rank()) return true;
  const int lead = wide.rank() - small.rank();
  if (lead < 0) return false;
  for (int d = 0; d < small.rank(); ++d) {
    const int64_t a = small.dim(d), b = wide.dim(lead + d);
    if (a != b && a != 1 && a >= 0 && b >= 0) return false;
  }
  return true;
}

}  // namespace

std::optional<ElementOp> ElementOpOf(const FusionBuilder& builder, const Step& step) {
  const std::string_view name = builder.OpOf(step);
  const AttrMap& attrs = builder.AttrsOf(step);
  const auto found = Entries().find(name);
  if (found == Entries().end()) return AliasOf(name, attrs);
  ElementOp op;
  op.part.instruction.kind = found->second.kind;
  op.part.instruction.op = found->second.op;
  op.part.rule = found->second.rule;
  if (!SetTypes(found->second, attrs, &op.part.instruction)) return std::nullopt;
  op.num_operands = NumOperands(found->second.kind);
  if (name == "AddN") {
    op.form = ElementOp::Form::kSum;
    op.num_operands = step.inputs.size;
    if (op.num_operands < 2) return std::nullopt;
  }
  if (op.reduces() && !SetAxis(builder, step, &op)) return std::nullopt;
  if (op.part.rule == Rule::kBias && attrs.GetOr<std::string>("data_format", "NHWC") != "NHWC") {
    return std::nullopt;
  }
  if (op.fills() && !SetGivenShape(builder, step, &op)) return std::nullopt;
  const auto& instruction = op.part.instruction;
  if (instruction.kind == Kind::kCast && instruction.type == instruction.result) {
    op.form = ElementOp::Form::kAlias;
  }
  return op;
}

bool MayFuseShapes(const FusionBuilder& builder, const Step& step, const ElementOp& op) {
  if (op.reduces() || op.fills() || op.form != ElementOp::Form::kPart) return true;
  const Shape& result = builder.OutputShape(step);
  bool any = false;
  for (int i = 0; i < op.num_operands; ++i) {
    const Shape& operand = builder.InputShape(step, i);
    const bool compatible = operand.IsCompatibleWith(result);
    if (!compatible && (op.part.rule == Rule::kSame || !MayBroadcastTo(operand, result))) {
      return false;
    }
    any = any || compatible;
  }
  return any;
}

bool MayShareBlocks(const Shape& made, const Shape& read) {
  if (made.IsCompatibleWith(read) || made.unknown_rank() || read.unknown_rank()) return true;
  const bool single = std::ranges::all_of(made.dims(), [](int64_t d) { return d < 0 || d == 1; });
  return single || (made.rank() == read.rank() && made.dim(made.rank() - 1) == 1);
}

}  // namespace ramet
