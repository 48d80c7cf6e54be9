#include "ramet/linalg/levels/binary_ops.h"
#include "ramet/linalg/levels/loops.h"
#include "ramet/linalg/levels/tables.h"

namespace ramet::linalg::RAMET_LEVEL {
namespace {

template <class T>
void AddArithmetic(KernelTable& t) {
  constexpr Type type = TypeOf<T>;
  t.Set(BinaryOp::kAdd, type, BinaryRows<Add, T>);
  t.Set(BinaryOp::kSub, type, BinaryRows<Sub, T>);
  t.Set(BinaryOp::kMul, type, BinaryRows<Mul, T>);
  t.Set(BinaryOp::kDiv, type, BinaryRows<Div, T>);
  t.Set(BinaryOp::kFloorDiv, type, BinaryRows<FloorDiv, T>);
  t.Set(BinaryOp::kMaximum, type, BinaryRows<Maximum, T>);
  t.Set(BinaryOp::kMinimum, type, BinaryRows<Minimum, T>);
  t.Set(BinaryOp::kSquaredDifference, type, BinaryRows<SquaredDifference, T>);
  t.Set(BinaryOp::kDivNoNan, type, BinaryRows<DivNoNan, T>);
  t.Set(BinaryOp::kMulNoNan, type, BinaryRows<MulNoNan, T>);
  t.Set(BinaryOp::kAtan2, type, BinaryRows<Atan2, T>);
  t.Set(BinaryOp::kXdivy, type, BinaryRows<Xdivy, T>);
  t.Set(BinaryOp::kEqual, type, BinaryRows<Equal, T, bool>);
  t.Set(BinaryOp::kNotEqual, type, BinaryRows<NotEqual, T, bool>);
  t.Set(BinaryOp::kLess, type, BinaryRows<Less, T, bool>);
  t.Set(BinaryOp::kLessEqual, type, BinaryRows<LessEqual, T, bool>);
  t.Set(BinaryOp::kGreater, type, BinaryRows<Greater, T, bool>);
  t.Set(BinaryOp::kGreaterEqual, type, BinaryRows<GreaterEqual, T, bool>);
}

template <class T>
void AddGradients(KernelTable& t) {
  constexpr Type type = TypeOf<T>;
  t.Set(BinaryOp::kReluGrad, type, BinaryRows<ReluGrad, T>);
  t.Set(BinaryOp::kRelu6Grad, type, BinaryRows<Relu6Grad, T>);
  t.Set(BinaryOp::kEluGrad, type, BinaryRows<EluGrad, T>);
  t.Set(BinaryOp::kSeluGrad, type, BinaryRows<SeluGrad, T>);
  t.Set(BinaryOp::kSoftplusGrad, type, BinaryRows<SoftplusGrad, T>);
  t.Set(BinaryOp::kSoftsignGrad, type, BinaryRows<SoftsignGrad, T>);
  t.Set(BinaryOp::kSigmoidGrad, type, BinaryRows<SigmoidGrad, T>);
  t.Set(BinaryOp::kTanhGrad, type, BinaryRows<TanhGrad, T>);
  t.Set(BinaryOp::kSqrtGrad, type, BinaryRows<SqrtGrad, T>);
  t.Set(BinaryOp::kRsqrtGrad, type, BinaryRows<RsqrtGrad, T>);
  t.Set(BinaryOp::kReciprocalGrad, type, BinaryRows<ReciprocalGrad, T>);
}

}  // namespace

void AddBinary(KernelTable& t) {
  AddArithmetic<float>(t);
  AddArithmetic<double>(t);
  AddGradients<float>(t);
  AddGradients<double>(t);
  t.Set(BinaryOp::kXlogy, Type::kFloat, BinaryRows<Xlogy, float>);
  t.Set(BinaryOp::kXlog1py, Type::kFloat, BinaryRows<Xlog1py, float>);
}

}  // namespace ramet::linalg::RAMET_LEVEL
