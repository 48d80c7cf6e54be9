#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"

namespace ramet {
namespace {

// A number with as many digits as TensorFlow gives it: few if they are enough to tell it.
std::string NumberText(double x, bool single) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", single ? 6 : 15, x);
  const bool enough = single ? std::strtof(text, nullptr) == static_cast<float>(x)
                             : std::strtod(text, nullptr) == x;
  if (!enough) std::snprintf(text, sizeof text, "%.*g", single ? 9 : 17, x);
  return text;
}

// Element i of a tensor, as TensorFlow's messages show it.
std::string ElementText(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kString: return t.data<std::string>()[i];
    case DType::kBool: return t.data<bool>()[i] ? "1" : "0";
    case DType::kFloat: return NumberText(t.data<float>()[i], true);
    case DType::kDouble: return NumberText(t.data<double>()[i], false);
    case DType::kHalf: return NumberText(static_cast<float>(t.data<Half>()[i]), true);
    case DType::kBFloat16: return NumberText(static_cast<float>(t.data<BFloat16>()[i]), true);
    case DType::kUInt64: return StrCat(t.data<uint64_t>()[i]);
    default: break;
  }
  if (IsInteger(t.dtype())) return StrCat(IntegerAt(t, i));
  return "?";
}

// A Summary shows the first `limit` elements of a tensor, in the brackets of its dimensions.
class Summary {
 public:
  Summary(const Tensor& t, int64_t limit) : t_(t), limit_(limit) {
    const int64_t n = t.num_elements();
    if (limit_ < 0 || limit_ > n) limit_ = n;
    if (t.rank() == 0) {
      text_ = n > 0 && limit_ > 0 ? ElementText(t, 0) : "";
    } else {
      Append(0);
    }
    if (n > limit_) text_ += "...";
  }

  const std::string& text() const { return text_; }

 private:
  void Append(int dim) {
    if (next_ >= limit_) return;
    const bool last = dim == t_.rank() - 1;
    for (int64_t i = 0; i < t_.dim(dim) && next_ < limit_; ++i) {
      if (last) {
        if (i > 0) text_ += ' ';
        text_ += ElementText(t_, next_++);
        continue;
      }
      text_ += '[';
      Append(dim + 1);
      text_ += ']';
    }
    const bool cut = last && dim > 0 && next_ % std::max<int64_t>(t_.dim(dim), 1) != 0;
    if (cut) text_ += "...";
  }

  const Tensor& t_;
  int64_t limit_;
  int64_t next_ = 0;
  std::string text_;
};

class AssertKernel final : public Kernel {
 public:
  explicit AssertKernel(const AttrMap& attrs) : summarize_(attrs.GetOr("summarize", int64_t{3})) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<AssertKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& condition = c.input(0);
    if (condition.rank() != 0) {
      return InvalidArgument("In[0] should be a scalar: ", condition.shape());
    }
    if (condition.scalar<bool>()) return OkStatus();
    std::string message = "assertion failed: ";
    for (int i = 1; i < c.num_inputs(); ++i) {
      message += StrCat(i > 1 ? " " : "", "[", Summary(c.input(i), summarize_).text(), "]");
    }
    return InvalidArgument(message);
  }

 private:
  const int64_t summarize_;
};

}  // namespace

RAMET_OP("Assert")
    .Input("condition: bool")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .Attr("summarize: int = 3")
    .Stateful()
    .HostMemory({"condition", "data"})
    .Doc(
        "Stops the run with an error unless the scalar condition holds. The message shows the "
        "first\n"
        "`summarize` elements of each of the data (-1: all).\n"
        "\\error kInvalidArgument \"assertion failed: [...]\" if it does not hold; if it is no "
        "scalar.")
    .Shape(NoOutputs)
    .NotDifferentiable()
    .CpuKernelClass<AssertKernel>();

}  // namespace ramet
