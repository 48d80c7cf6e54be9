#include <algorithm>

#include "ramet/linalg/broadcast.h"
#include "ramet/ops/math/broadcast_loop.h"
#include "ramet/ops/string/map.h"

// Substr: parts of strings.

namespace ramet {
namespace {

// Returns the offset of each character of a string, and its size.
std::vector<int64_t> Boundaries(const std::string& text) {
  std::vector<int64_t> at;
  for (int64_t i = 0; i < std::ssize(text); ++i) {
    if (i == 0 || BeginsCharacter(text[i])) at.push_back(i);
  }
  at.push_back(std::ssize(text));
  return at;
}

// Returns `pos`, counted from the end if negative, as a position in [0, size], or -1 if it is out
// of range.
int64_t BeginOf(int64_t pos, int64_t size) {
  if (pos > size || pos < -size) return -1;
  return pos < 0 ? pos + size : pos;
}

class Cutter {
 public:
  explicit Cutter(bool characters) : characters_(characters) {}

  Status Cut(const std::string& text, int64_t pos, int64_t len, int64_t element,
             std::string* out) const {
    if (characters_) return CutCharacters(text, pos, len, element, out);
    const int64_t begin = BeginOf(pos, std::ssize(text));
    if (begin < 0) {
      return InvalidArgument("pos ", pos, " out of range for string b'", text, "' at index ",
                             element);
    }
    *out = text.substr(begin, len < 0 ? std::string::npos : static_cast<size_t>(len));
    return OkStatus();
  }

 private:
  static Status CutCharacters(const std::string& text, int64_t pos, int64_t len, int64_t element,
                              std::string* out) {
    const std::vector<int64_t> at = Boundaries(text);
    const int64_t count = std::ssize(at) - 1, begin = BeginOf(pos, count);
    if (begin < 0 || (pos < 0 && len < 0)) {
      return InvalidArgument("pos ", pos, " out of range for string at index ", element);
    }
    const int64_t end = begin + std::clamp<int64_t>(len, 0, count - begin);
    *out = text.substr(at[begin], at[end] - at[begin]);
    return OkStatus();
  }

  const bool characters_;
};

template <class T>
class SubstrKernel final : public Kernel {
 public:
  explicit SubstrKernel(bool characters) : cutter_(characters) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<SubstrKernel>(CountsCharacters(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    const Tensor &x = c.input(0), &pos = c.input(1), &len = c.input(2);
    if (pos.shape() != len.shape()) {
      return InvalidArgument("pos and len should have the same shape, got: ", pos.shape(), " vs. ",
                             len.shape());
    }
    RAMET_ASSIGN_OR_RETURN(const Shape shape, BroadcastShapes(x.shape(), pos.shape()));
    linalg::BroadcastPlan plan;
    if (!linalg::BroadcastPlan::Make(x.shape().dims(), pos.shape().dims(), &plan)) {
      return InvalidArgument("the broadcast of ", x.shape(), " and ", pos.shape(),
                             " has too many elements");
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, kString, shape));
    Status status;
    ForEachBroadcast<2>(plan, [&](int64_t i, const std::array<int64_t, 2>& at) {
      if (!status.ok()) return;
      status = cutter_.Cut(x.data<std::string>()[at[0]], pos.data<T>()[at[1]], len.data<T>()[at[1]],
                           i, &y->mutable_data<std::string>()[i]);
    });
    return status;
  }

 private:
  const Cutter cutter_;
};

Status SubstrShape(ShapeContext& c) {
  if (!c.input(1).unknown_rank() && !c.input(2).unknown_rank() &&
      c.input(1).rank() != c.input(2).rank()) {
    return InvalidArgument("pos and len must have same rank");
  }
  RAMET_RETURN_IF_ERROR(c.input(1).MergeWith(c.input(2)).status());
  return BroadcastBinaryShape(c);
}

RAMET_OP("Substr")
    .Input("input: string")
    .Input("pos: T")
    .Input("len: T")
    .Output("output: string")
    .Attr("T: {int32, int64}")
    .Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'")
    .Doc(
        "Returns the parts of the strings that start at pos (negative values count from the end) "
        "and are len bytes long, or len characters with unit UTF8_CHAR; they are shorter if the "
        "string ends first. The output has the shape of input and pos broadcast. Error: pos is "
        "outside its string; the shapes of pos and len differ or do not broadcast with that of "
        "input.")
    .Shape(SubstrShape)
    .CpuKernelClasses<SubstrKernel, int32_t, int64_t>("T");

}  // namespace
}  // namespace ramet
