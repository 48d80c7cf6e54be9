#include <algorithm>
#include <cstring>
#include <map>

#include "ramet/linalg/reduce.h"
#include "ramet/linalg/strided_copy.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/linalg/einsum_equation.h"
#include "ramet/ops/math/batch_product.h"
#include "ramet/ops/math/types.h"

// Einsum: sums of products over named dimensions, computed as one product of stacks of matrices.

namespace ramet {
namespace {

using linalg::ReduceOp;

// A tensor whose dimensions have distinct labels. A label that occurs more than once selects a
// diagonal; its stride is the sum of the strides.
struct Operand {
  Tensor values;
  std::map<Label, int64_t> sizes;
  std::map<Label, int64_t> strides;

  static Operand Of(const Tensor& t, const Labels& labels) {
    Operand operand{t, {}, {}};
    int64_t stride = 1;
    for (int d = t.rank() - 1; d >= 0; --d) {
      operand.sizes[labels[d]] = t.dim(d);
      operand.strides[labels[d]] += stride;
      stride *= t.dim(d);
    }
    return operand;
  }
  bool Has(Label label) const { return sizes.contains(label); }
  // Returns the size of the dimension `label`, or 1 if the tensor does not have it.
  int64_t Size(Label label) const { return Has(label) ? sizes.at(label) : 1; }
  int64_t Count(const Labels& labels) const {
    int64_t n = 1;
    for (Label label : labels) n *= Size(label);
    return n;
  }
  std::vector<int64_t> Sizes(const Labels& labels) const {
    std::vector<int64_t> dims;
    for (Label label : labels) dims.push_back(Size(label));
    return dims;
  }
  std::vector<int64_t> Strides(const Labels& labels) const {
    std::vector<int64_t> result;
    for (Label label : labels) result.push_back(Has(label) ? strides.at(label) : 0);
    return result;
  }
  // Reports whether the elements are contiguous in the order of `labels`.
  bool LiesIn(const Labels& labels) const {
    int64_t stride = 1;
    for (size_t i = labels.size(); i-- > 0;) {
      if (Size(labels[i]) != 1 && strides.at(labels[i]) != stride) return false;
      stride *= Size(labels[i]);
    }
    return stride == values.num_elements();
  }
};

Labels Joined(std::initializer_list<const Labels*> parts) {
  Labels all;
  for (const Labels* part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

// Returns the elements of x in the order of `labels`, which must be all of its labels.
StatusOr<Tensor> Ordered(KernelContext& c, const Operand& x, const Labels& labels) {
  if (x.LiesIn(labels)) return x.values;
  const std::vector<int64_t> dims = x.Sizes(labels), from = x.Strides(labels);
  RAMET_ASSIGN_OR_RETURN(Tensor y, c.AllocateTemp(x.values.dtype(), Shape{x.Count(labels)}));
  std::vector<int64_t> to(labels.size());
  int64_t stride = 1;
  for (size_t i = labels.size(); i-- > 0; stride *= dims[i]) to[i] = stride;
  if (y.num_elements() > 0) {
    linalg::StridedCopy(static_cast<int64_t>(DTypeSize(y.dtype())), dims, x.values.raw_data(), from,
                        y.raw_data(), to);
  }
  return y;
}

// Returns x summed over the labels that are not in `kept`.
StatusOr<Operand> Summed(KernelContext& c, const Operand& x, const Labels& labels,
                         const Labels& kept) {
  Labels stay, go;
  for (Label label : Distinct(labels)) (Contains(kept, label) ? stay : go).push_back(label);
  if (go.empty()) return x;
  RAMET_ASSIGN_OR_RETURN(Tensor ordered, Ordered(c, x, Joined({&stay, &go})));
  const int64_t rows = x.Count(stay), columns = x.Count(go);
  Operand result;
  RAMET_ASSIGN_OR_RETURN(result.values, c.AllocateTemp(x.values.dtype(), Shape{rows}));
  if (rows > 0) {
    linalg::Reduce(ReduceOp::kSum, LinalgType(x.values.dtype()),
                   linalg::ReducePlan::Rows(rows, columns), ordered.raw_data(),
                   result.values.raw_data());
  }
  int64_t stride = 1;
  for (size_t i = stay.size(); i-- > 0; stride *= x.Size(stay[i])) {
    result.sizes[stay[i]] = x.Size(stay[i]);
    result.strides[stay[i]] = stride;
  }
  return result;
}

// The role of each label of two operands: batch dimension, summed over in the product (`met`), or
// free in one operand.
struct Roles {
  Labels batch, met, x_free, y_free;

  static Roles Of(const Operand& x, const Operand& y, const Labels& x_labels,
                  const Labels& output) {
    Roles roles;
    for (Label label : Distinct(output)) {
      const bool both = label >= kBroadcast || (x.Has(label) && y.Has(label));
      (both ? roles.batch : x.Has(label) ? roles.x_free : roles.y_free).push_back(label);
    }
    for (Label label : Distinct(x_labels)) {
      if (label < kBroadcast && y.Has(label) && !Contains(output, label)) {
        roles.met.push_back(label);
      }
    }
    return roles;
  }
};

// A stack of matrices, [batch, rows, columns], or [batch, columns, rows] if transposed.
struct Stack {
  Tensor values;
  bool transposed = false;
};

// Returns the operand as a stack of matrices, without a copy if the elements are in either order.
StatusOr<Stack> StackOf(KernelContext& c, const Operand& x, const Labels& batch, const Labels& rows,
                        const Labels& columns) {
  if (x.LiesIn(Joined({&batch, &columns, &rows})) && !x.LiesIn(Joined({&batch, &rows, &columns}))) {
    return Stack{x.values, true};
  }
  RAMET_ASSIGN_OR_RETURN(Tensor values, Ordered(c, x, Joined({&batch, &rows, &columns})));
  return Stack{std::move(values), false};
}

class EinsumKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const auto count = static_cast<int>(node.input_types.size());
    RAMET_ASSIGN_OR_RETURN(auto text, node.attrs->Get<std::string>("equation"));
    RAMET_ASSIGN_OR_RETURN(auto equation, EinsumEquation::Parse(text, count));
    return std::unique_ptr<Kernel>(std::make_unique<EinsumKernel>(std::move(equation)));
  }
  explicit EinsumKernel(EinsumEquation equation) : equation_(std::move(equation)) {}

  Status Compute(KernelContext& c) override {
    std::vector<Labels> labels(c.num_inputs());
    int broadcasting = 0;
    for (int i = 0; i < c.num_inputs(); ++i) {
      RAMET_ASSIGN_OR_RETURN(labels[i], equation_.InputLabels(i, c.input(i).rank()));
      broadcasting = std::max(broadcasting, CountBroadcasting(labels[i]));
    }
    RAMET_RETURN_IF_ERROR(CheckSizes(c, labels));
    RAMET_ASSIGN_OR_RETURN(const Labels output, equation_.OutputLabels(broadcasting));
    if (c.num_inputs() == 1) return Rearrange(c, labels[0], output);
    return Multiply(c, labels, output);
  }

 private:
  // Checks that each label has the same size everywhere.
  static Status CheckSizes(KernelContext& c, const std::vector<Labels>& labels) {
    std::map<Label, int64_t> sizes;
    for (size_t i = 0; i < labels.size(); ++i) {
      const Tensor& t = c.input(static_cast<int>(i));
      for (int d = 0; d < t.rank(); ++d) {
        if (labels[i][d] >= kBroadcast) continue;
        const int64_t size = sizes.try_emplace(labels[i][d], t.dim(d)).first->second;
        if (size == t.dim(d)) continue;
        return InvalidArgument("Expected dimension ", size, " at axis ", d, " of the input shaped ",
                               t.shape(), " but got dimension ", t.dim(d));
      }
    }
    return OkStatus();
  }

  static Status Rearrange(KernelContext& c, const Labels& labels, const Labels& output) {
    const Operand x = Operand::Of(c.input(0), labels);
    RAMET_ASSIGN_OR_RETURN(const Operand summed, Summed(c, x, labels, output));
    return Write(c, summed, output);
  }

  static Status Multiply(KernelContext& c, const std::vector<Labels>& labels,
                         const Labels& output) {
    Operand x = Operand::Of(c.input(0), labels[0]), y = Operand::Of(c.input(1), labels[1]);
    RAMET_ASSIGN_OR_RETURN(x, Summed(c, x, labels[0], Joined({&labels[1], &output})));
    RAMET_ASSIGN_OR_RETURN(y, Summed(c, y, labels[1], Joined({&labels[0], &output})));
    const Roles roles = Roles::Of(x, y, labels[0], output);
    linalg::BroadcastPlan plan;
    RAMET_RETURN_IF_ERROR(MakePlan(x, y, roles, &plan));
    Operand z;
    const Labels order = Joined({&roles.batch, &roles.x_free, &roles.y_free});
    for (Label label : order) z.sizes[label] = x.Size(label) == 1 ? y.Size(label) : x.Size(label);
    RAMET_ASSIGN_OR_RETURN(Shape shape, Shape::Make(z.Sizes(order)));
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0; stride *= z.sizes[order[i]]) {
      z.strides[order[i]] = stride;
    }
    const bool direct = order == output;
    if (direct) {
      RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, x.values.dtype(), shape));
      z.values = *out;
    } else {
      RAMET_ASSIGN_OR_RETURN(z.values, c.AllocateTemp(x.values.dtype(), shape));
    }
    if (z.values.num_elements() > 0) {
      RAMET_RETURN_IF_ERROR(Product(c, x, y, roles, plan, z.values));
    }
    return direct ? OkStatus() : Write(c, z, output);
  }

  static Status MakePlan(const Operand& x, const Operand& y, const Roles& roles,
                         linalg::BroadcastPlan* plan) {
    std::vector<int64_t> dims[2] = {x.Sizes(roles.batch), y.Sizes(roles.batch)};
    if (linalg::BroadcastPlan::Make(dims[0], dims[1], plan)) return OkStatus();
    for (int i = 0; i < 2; ++i) {
      const Operand& of = i == 0 ? x : y;
      const int64_t free = of.Count(i == 0 ? roles.x_free : roles.y_free);
      const int64_t met = of.Count(roles.met);
      for (int64_t d : {i == 0 ? free : met, i == 0 ? met : free}) dims[i].push_back(d);
    }
    return InvalidArgument("Invalid broadcasting dimensions: ", Shape(dims[0]), " vs. ",
                           Shape(dims[1]));
  }

  static Status Product(KernelContext& c, const Operand& x, const Operand& y, const Roles& roles,
                        const linalg::BroadcastPlan& plan, Tensor& z) {
    RAMET_ASSIGN_OR_RETURN(Stack a, StackOf(c, x, roles.batch, roles.x_free, roles.met));
    RAMET_ASSIGN_OR_RETURN(Stack b, StackOf(c, y, roles.batch, roles.met, roles.y_free));
    MultiplyBatches({.type = LinalgType(z.dtype()),
                     .transpose_x = a.transposed,
                     .transpose_y = b.transposed,
                     .m = x.Count(roles.x_free),
                     .n = y.Count(roles.y_free),
                     .k = x.Count(roles.met),
                     .x = static_cast<const char*>(a.values.raw_data()),
                     .y = static_cast<const char*>(b.values.raw_data()),
                     .z = static_cast<char*>(z.raw_data())},
                    plan);
    return OkStatus();
  }

  // Writes x to output 0 in the order of `output`, onto a diagonal if a label occurs twice.
  static Status Write(KernelContext& c, const Operand& x, const Labels& output) {
    const Labels distinct = Distinct(output);
    RAMET_ASSIGN_OR_RETURN(Shape shape, Shape::Make(x.Sizes(output)));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.values.dtype(), shape));
    if (y->num_elements() == 0) return OkStatus();
    if (distinct.size() < output.size()) std::memset(y->raw_data(), 0, y->bytes());
    const Operand target = Operand::Of(*y, output);
    linalg::StridedCopy(static_cast<int64_t>(DTypeSize(y->dtype())), x.Sizes(distinct),
                        x.values.raw_data(), x.Strides(distinct), y->raw_data(),
                        target.Strides(distinct));
    return OkStatus();
  }

  const EinsumEquation equation_;
};

template <class T>
using EinsumKernelOf = EinsumKernel;

// The sizes of labels, as far as shapes determine them.
class LabelSizes {
 public:
  Status Add(const Labels& labels, const Shape& shape) {
    for (int d = 0; d < shape.rank(); ++d) {
      const int64_t size = shape.dim(d);
      auto [it, added] = sizes_.try_emplace(labels[d], size);
      if (added) continue;
      if (labels[d] >= kBroadcast) {
        RAMET_ASSIGN_OR_RETURN(Shape both, BroadcastShapes(Shape{it->second}, Shape{size}));
        it->second = both.dim(0);
      } else {
        RAMET_ASSIGN_OR_RETURN(Shape both, Shape{it->second}.MergeWith(Shape{size}));
        it->second = both.dim(0);
      }
    }
    return OkStatus();
  }
  Shape ShapeOf(const Labels& labels) const {
    std::vector<int64_t> dims;
    for (Label label : labels) {
      auto it = sizes_.find(label);
      dims.push_back(it == sizes_.end() ? Shape::kUnknownDim : it->second);
    }
    return Shape(dims);
  }

 private:
  std::map<Label, int64_t> sizes_;
};

Status EinsumShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto text, c.attr<std::string>("equation"));
  RAMET_ASSIGN_OR_RETURN(auto equation, EinsumEquation::Parse(text, c.num_inputs()));
  LabelSizes sizes;
  int broadcasting = 0;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.input(i).unknown_rank()) {
      if (HasEllipsis(equation.inputs[i])) return OkStatus();
      continue;
    }
    RAMET_ASSIGN_OR_RETURN(const Labels labels, equation.InputLabels(i, c.input(i).rank()));
    broadcasting = std::max(broadcasting, CountBroadcasting(labels));
    RAMET_RETURN_IF_ERROR(sizes.Add(labels, c.input(i)));
  }
  RAMET_ASSIGN_OR_RETURN(const Labels output, equation.OutputLabels(broadcasting));
  c.set_output(0, sizes.ShapeOf(output));
  return OkStatus();
}

RAMET_OP("Einsum")
    .Input("inputs: N * T")
    .Output("output: T")
    .Attr("equation: string")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Doc(
        "Returns the sums of products given by `equation`, such as \"ij,jk->ik\". It names each "
        "dimension of one or two inputs, and then of the output, with a letter. Letters missing "
        "from the output are summed over. A letter that occurs twice in a tensor selects its "
        "diagonal. \"...\" stands for any number of dimensions, which broadcast. Error: the "
        "equation is malformed; a letter has two different sizes; a rank does not match the "
        "equation.")
    .Shape(EinsumShape)
    .Gradient(EinsumGradient)
    .CpuKernelClasses<EinsumKernelOf, RAMET_FLOATS, int32_t, int64_t, RAMET_COMPLEX>();

}  // namespace
}  // namespace ramet
