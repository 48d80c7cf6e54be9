#include "ramet/op/tensor_math.h"

#include "ramet/device/device.h"
#include "ramet/linalg/argmax.h"
#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/select.h"
#include "ramet/linalg/softmax.h"

namespace ramet {
namespace {

linalg::Type TypeOf(const Tensor& t) { return static_cast<linalg::Type>(t.dtype()); }

template <class T, class Computed>
void DivideAs(Tensor& y, int64_t divisor) {
  for (T& v : y.mutable_flat<T>()) v = T(static_cast<Computed>(v) / static_cast<Computed>(divisor));
}

void Divide(Tensor& y, int64_t divisor) {
  switch (y.dtype()) {
    case DType::kFloat: return DivideAs<float, float>(y, divisor);
    case DType::kDouble: return DivideAs<double, double>(y, divisor);
    case DType::kHalf: return DivideAs<Half, float>(y, divisor);
    default: return DivideAs<BFloat16, float>(y, divisor);
  }
}

}  // namespace

const DeviceMath* DeviceMath::Of(const Tensor& t) {
  if (t.memory() == nullptr) return nullptr;
  const auto* const has = dynamic_cast<const HasDeviceMath*>(t.memory());
  return has == nullptr ? nullptr : &has->math();
}

Status Reduce(linalg::ReduceOp op, const linalg::ReducePlan& plan, const Tensor& x, Tensor& y,
              int64_t divisor) {
  if (const DeviceMath* math = DeviceMath::Of(y)) return math->Reduce(op, plan, x, y, divisor);
  linalg::Reduce(op, TypeOf(x), plan, x.raw_data(), y.raw_data());
  if (divisor != 1) Divide(y, divisor);
  return OkStatus();
}

Status AddRepeated(const Tensor& a, const Tensor& b, int64_t inner, Tensor& y) {
  if (y.num_elements() == 0) return OkStatus();
  if (const DeviceMath* math = DeviceMath::Of(y)) return math->AddRepeated(a, b, inner, y);
  const int64_t count = b.num_elements();
  const int64_t a_dims[3] = {y.num_elements() / (count * inner), count, inner};
  const int64_t b_dims[2] = {count, 1};
  linalg::BroadcastPlan plan;
  linalg::BroadcastPlan::Make(a_dims, b_dims, &plan);
  linalg::Binary(linalg::BinaryOp::kAdd, TypeOf(y), plan, a.raw_data(), b.raw_data(), y.raw_data());
  return OkStatus();
}

Status Select(const linalg::BroadcastPlan& plan, const Tensor& condition, const Tensor& a,
              const Tensor& b, Tensor& y) {
  if (const DeviceMath* math = DeviceMath::Of(y)) return math->Select(plan, condition, a, b, y);
  linalg::Select(static_cast<int64_t>(DTypeSize(y.dtype())), plan, condition.data<bool>(),
                 a.raw_data(), b.raw_data(), y.raw_data());
  return OkStatus();
}

Status ArgReduce(bool max, int64_t outer, int64_t n, int64_t inner, const Tensor& x, Tensor& y) {
  if (const DeviceMath* math = DeviceMath::Of(y)) {
    return math->ArgReduce(max, outer, n, inner, x, y);
  }
  (max ? linalg::ArgMax : linalg::ArgMin)(TypeOf(x), TypeOf(y), outer, n, inner, x.raw_data(),
                                          y.raw_data());
  return OkStatus();
}

Status MapRows(Rows function, int64_t columns, const Tensor& x, Tensor& y) {
  if (const DeviceMath* math = DeviceMath::Of(y)) return math->MapRows(function, columns, x, y);
  (function == Rows::kSoftmax ? linalg::Softmax : linalg::LogSoftmax)(
      TypeOf(x), x.num_elements() / columns, columns, x.raw_data(), y.raw_data());
  return OkStatus();
}

Status SoftmaxXent(const Tensor& logits, const Tensor& labels, Tensor& loss, Tensor& backprop) {
  if (const DeviceMath* math = DeviceMath::Of(loss)) {
    return math->SoftmaxXent(logits, labels, loss, backprop);
  }
  linalg::SoftmaxXent(TypeOf(logits), logits.dim(0), logits.dim(1), logits.raw_data(),
                      labels.raw_data(), loss.raw_data(), backprop.raw_data());
  return OkStatus();
}

Status Convolve(ConvPart part, const linalg::ConvGeometry& g, const Tensor& a, const Tensor& b,
                Tensor& result) {
  if (const DeviceMath* math = DeviceMath::Of(result)) {
    return math->Convolve(part, g, a, b, result);
  }
  const auto convolve = part == ConvPart::kForward         ? linalg::Conv
                        : part == ConvPart::kBackpropInput ? linalg::ConvBackpropInput
                                                           : linalg::ConvBackpropFilter;
  convolve(TypeOf(result), g, a.raw_data(), b.raw_data(), result.raw_data());
  return OkStatus();
}

Status Pool(Pooling part, const linalg::PoolGeometry& g, const Tensor* x, const Tensor* grad,
            Tensor& y) {
  if (const DeviceMath* math = DeviceMath::Of(y)) return math->Pool(part, g, x, grad, y);
  const linalg::Type type = TypeOf(y);
  switch (part) {
    case Pooling::kMax: linalg::MaxPool(type, g, x->raw_data(), y.raw_data()); break;
    case Pooling::kAvg: linalg::AvgPool(type, g, x->raw_data(), y.raw_data()); break;
    case Pooling::kMaxGrad:
      linalg::MaxPoolGrad(type, g, x->raw_data(), grad->raw_data(), y.raw_data());
      break;
    case Pooling::kMaxGradGrad:
      linalg::MaxPoolGradGrad(type, g, x->raw_data(), grad->raw_data(), y.raw_data());
      break;
    case Pooling::kAvgGrad: linalg::AvgPoolGrad(type, g, grad->raw_data(), y.raw_data()); break;
  }
  return OkStatus();
}

Status BatchMoments(const linalg::NormGeometry& g, const Tensor& x, Tensor& mean,
                    Tensor& variance) {
  if (const DeviceMath* math = DeviceMath::Of(mean)) {
    return math->BatchMoments(g, x, mean, variance);
  }
  linalg::BatchMoments(TypeOf(x), g, x.raw_data(), mean.mutable_data<float>(),
                       variance.mutable_data<float>());
  return OkStatus();
}

Status BatchNormalize(const linalg::NormGeometry& g, const NormVectors& v, const Tensor& x,
                      const Tensor& offset, Tensor& y) {
  if (const DeviceMath* math = DeviceMath::Of(y)) return math->BatchNormalize(g, v, x, offset, y);
  linalg::BatchNormalize(TypeOf(x), g, x.raw_data(), v.mean.data<float>(), v.variance.data<float>(),
                         v.epsilon, v.scale.data<float>(), offset.data<float>(), y.raw_data());
  return OkStatus();
}

Status BatchNormGrad(const linalg::NormGeometry& g, const NormVectors& v, bool training,
                     const Tensor& x, const Tensor& dy, Tensor& dx, Tensor& dscale,
                     Tensor& doffset) {
  if (const DeviceMath* math = DeviceMath::Of(dx)) {
    return math->BatchNormGrad(g, v, training, x, dy, dx, dscale, doffset);
  }
  linalg::BatchNormGrad(TypeOf(x), g, x.raw_data(), dy.raw_data(), v.mean.data<float>(),
                        v.variance.data<float>(), v.epsilon, v.scale.data<float>(), training,
                        dx.raw_data(), dscale.mutable_data<float>(), doffset.mutable_data<float>());
  return OkStatus();
}

Status Fill(Draw draw, const linalg::Philox& generator, Tensor& y) {
  if (y.num_elements() == 0) return OkStatus();
  if (const DeviceMath* math = DeviceMath::Of(y)) return math->Fill(draw, generator, y);
  const auto fill = draw == Draw::kUniform  ? linalg::FillUniform
                    : draw == Draw::kNormal ? linalg::FillNormal
                                            : linalg::FillTruncatedNormal;
  fill(TypeOf(y), generator, y.raw_data(), y.num_elements());
  return OkStatus();
}

Status FillUniformInt(const linalg::Philox& generator, int64_t low, int64_t high, Tensor& y) {
  if (y.num_elements() == 0) return OkStatus();
  if (const DeviceMath* math = DeviceMath::Of(y)) {
    return math->FillUniformInt(generator, low, high, y);
  }
  const bool narrow = DTypeSize(y.dtype()) == 4;
  linalg::FillUniformInt(narrow ? linalg::Type::kInt32 : linalg::Type::kInt64, generator, low, high,
                         y.raw_data(), y.num_elements());
  return OkStatus();
}

}  // namespace ramet
