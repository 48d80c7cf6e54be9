#include <algorithm>
#include <limits>

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"

// The sequences of one input of EditDistance: the rows of a sparse tensor.

namespace ramet {
namespace {

struct Sequences {
  const Tensor& indices;
  const Tensor& values;
  const Tensor& shape;
  std::string_view name;

  Status Check() const {
    if (indices.rank() != 2) {
      return InvalidArgument(name, "_indices should be a matrix, but got shape: ", indices.shape());
    }
    if (values.rank() != 1) {
      return InvalidArgument(name, "_values should be a vector, but got shape: ", values.shape());
    }
    if (shape.rank() != 1) {
      return InvalidArgument(name, "_shape should be a vector, but got shape: ", shape.shape());
    }
    if (values.dim(0) != indices.dim(0)) {
      return InvalidArgument("Expected ", name, "_values.NumElements == #rows(", name,
                             "_indices), their shapes are: ", values.shape(), " and ",
                             indices.shape());
    }
    for (const int64_t d : shape.flat<int64_t>()) {
      if (d < 0) return InvalidArgument("Dimension ", d, " must be >= 0");
    }
    if (shape.dim(0) != indices.dim(1)) {
      return InvalidArgument("Expected ", name, "_shape.NumElements == #cols(", name,
                             "_indices), their shapes are: ", shape.shape(), " and ",
                             indices.shape());
    }
    return OkStatus();
  }
  Status CheckRank() const {
    if (rank() >= 2) return OkStatus();
    return InvalidArgument("Input SparseTensors must have rank at least 2, but ", name,
                           "_shape rank is: ", rank());
  }

  int64_t count() const { return indices.dim(0); }
  int64_t rank() const { return indices.dim(1); }
  const int64_t* row(int64_t i) const { return indices.data<int64_t>() + i * rank(); }
};

// The sequence in rows [first, last), which belongs to element `element` of the output.
struct Group {
  int64_t element = -1, first = 0, last = 0;
};

// Groups consecutive rows with the same element into one sequence.
StatusOr<std::vector<Group>> Groups(const Sequences& s, const Shape& output) {
  std::vector<Group> groups;
  for (int64_t i = 0; i < s.count(); ++i) {
    int64_t element = 0;
    for (int d = 0; d < output.rank(); ++d) {
      const int64_t at = s.row(i)[d];
      if (at < 0 || at >= output.dim(d)) {
        return InvalidArgument(s.name, "_indices[", i, "] is outside of the output's shape ",
                               output);
      }
      element = element * output.dim(d) + at;
    }
    if (groups.empty() || groups.back().element != element) groups.push_back({element, i, i});
    groups.back().last = i + 1;
  }
  return groups;
}

// Returns the Levenshtein distance between x[0, n) and y[0, m).
template <class T>
int64_t Distance(const T* x, int64_t n, const T* y, int64_t m, std::vector<int64_t>& row) {
  row.resize(m + 1);
  for (int64_t j = 0; j <= m; ++j) row[j] = j;
  for (int64_t i = 1; i <= n; ++i) {
    int64_t diagonal = row[0];
    row[0] = i;
    for (int64_t j = 1; j <= m; ++j) {
      const int64_t changed = diagonal + (x[i - 1] == y[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[m];
}

// Returns the element-wise maximum of both shapes, without the last dimension.
StatusOr<Shape> OutputShape(const Sequences& a, const Sequences& b) {
  if (a.rank() != b.rank()) {
    return InvalidArgument("Expected hypothesis and truth to have matching ranks, but got: ",
                           a.rank(), " and ", b.rank());
  }
  std::vector<int64_t> dims;
  for (int64_t d = 0; d + 1 < a.rank(); ++d) {
    dims.push_back(std::max(a.shape.data<int64_t>()[d], b.shape.data<int64_t>()[d]));
  }
  return Shape::Make(dims);
}

template <class T>
Status EditDistance(KernelContext& c, bool normalize) {
  const Sequences hypothesis{c.input(0), c.input(1), c.input(2), "hypothesis"};
  const Sequences truth{c.input(3), c.input(4), c.input(5), "truth"};
  RAMET_RETURN_IF_ERROR(hypothesis.Check());
  RAMET_RETURN_IF_ERROR(truth.Check());
  RAMET_RETURN_IF_ERROR(truth.CheckRank());
  RAMET_RETURN_IF_ERROR(hypothesis.CheckRank());
  RAMET_ASSIGN_OR_RETURN(Shape shape, OutputShape(hypothesis, truth));
  RAMET_ASSIGN_OR_RETURN(std::vector<Group> found, Groups(hypothesis, shape));
  RAMET_ASSIGN_OR_RETURN(std::vector<Group> wanted, Groups(truth, shape));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, kFloat, shape));
  float* out = y->mutable_data<float>();
  std::fill_n(out, y->num_elements(), 0.0F);
  const auto missing = [&](const Group& g) {
    const auto length = static_cast<float>(g.last - g.first);
    return normalize ? std::numeric_limits<float>::infinity() : length;
  };
  std::vector<int64_t> row;
  size_t i = 0, k = 0;
  while (i < found.size() || k < wanted.size()) {
    if (k == wanted.size() || (i < found.size() && found[i].element < wanted[k].element)) {
      out[found[i].element] = missing(found[i]);
      ++i;
    } else if (i == found.size() || wanted[k].element < found[i].element) {
      const auto length = static_cast<float>(wanted[k].last - wanted[k].first);
      out[wanted[k].element] = normalize ? 1.0F : length;
      ++k;
    } else {
      const Group &x = found[i++], &z = wanted[k++];
      const auto distance =
          static_cast<float>(Distance(hypothesis.values.data<T>() + x.first, x.last - x.first,
                                      truth.values.data<T>() + z.first, z.last - z.first, row));
      out[x.element] = normalize ? distance / static_cast<float>(z.last - z.first) : distance;
    }
  }
  return OkStatus();
}

template <class T>
class EditDistanceKernel final : public Kernel {
 public:
  explicit EditDistanceKernel(bool normalize) : normalize_(normalize) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<EditDistanceKernel>(node.attrs->GetOr("normalize", true));
  }
  Status Compute(KernelContext& c) override { return EditDistance<T>(c, normalize_); }

 private:
  const bool normalize_;
};

Status EditDistanceShape(ShapeContext& c) {
  for (int i : {0, 3}) RAMET_RETURN_IF_ERROR(c.WithRank(i, 2).status());
  for (int i : {1, 2, 4, 5}) RAMET_RETURN_IF_ERROR(c.WithRank(i, 1).status());
  const Tensor *a = c.constant(2), *b = c.constant(5);
  if (a == nullptr || b == nullptr || a->num_elements() != b->num_elements()) return OkStatus();
  std::vector<int64_t> dims;
  for (int64_t d = 0; d + 1 < a->num_elements(); ++d) {
    dims.push_back(std::max(IntegerAt(*a, d), IntegerAt(*b, d)));
  }
  RAMET_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

RAMET_OP("EditDistance")
    .Input("hypothesis_indices: int64")
    .Input("hypothesis_values: T")
    .Input("hypothesis_shape: int64")
    .Input("truth_indices: int64")
    .Input("truth_values: T")
    .Input("truth_shape: int64")
    .Output("output: float")
    .Attr("normalize: bool = true")
    .Attr("T: type")
    .HostMemory({"hypothesis_shape", "truth_shape"})
    .Doc(
        "Returns the Levenshtein distance between the sequences of the sparse tensors `hypothesis` "
        "and `truth`: the number of insertions, deletions and substitutions that turn one into the "
        "other. With `normalize`, distances are divided by the length of the truth sequence, which "
        "gives infinity if that length is 0. Sequences lie along the last dimension; the output "
        "has the remaining dimensions. Error: an input is not a sparse tensor of rank 2 or more; "
        "the ranks differ; an index is outside the shape of the output.")
    .Shape(EditDistanceShape)
    .NotDifferentiable()
    .CpuKernelClasses<EditDistanceKernel, float, double, Half, BFloat16, int8_t, int16_t, int32_t,
                      int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool, std::string,
                      std::complex<float>, std::complex<double>>();

}  // namespace
}  // namespace ramet
