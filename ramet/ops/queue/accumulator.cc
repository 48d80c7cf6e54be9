#include "ramet/ops/queue/accumulator.h"

#include <vector>

#include "ramet/ops/array/move.h"

namespace ramet {
namespace {

// Adds x to y.
template <class T>
void AddAll(const T* x, T* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, Half>) {
      y[i] = Half(static_cast<float>(y[i]) + static_cast<float>(x[i]));
    } else {
      y[i] += x[i];
    }
  }
}

template <class T>
void DivideAll(T* y, int64_t n, int64_t divisor) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, Half>) {
      const float rounded = static_cast<float>(Half(static_cast<float>(divisor)));
      y[i] = Half(static_cast<float>(y[i]) / rounded);
    } else {
      y[i] /= static_cast<T>(divisor);
    }
  }
}

template <class T>
class TypedDenseAccumulator final : public DenseAccumulator {
 public:
  using DenseAccumulator::DenseAccumulator;

 protected:
  Status Check(const Tensor& gradient) const override {
    const Shape& expected = count() > 0 ? sum_.shape() : spec().shape;
    if (expected.IsCompatibleWith(gradient.shape())) return OkStatus();
    return InvalidArgument("Shape mismatch: expected ", expected, ", got ", gradient.shape());
  }
  Status Start(Tensor gradient) override {
    RAMET_ASSIGN_OR_RETURN(sum_, gradient.DeepCopy());
    return OkStatus();
  }
  Status Add(const Tensor& gradient) override {
    AddAll(gradient.data<T>(), sum_.mutable_data<T>(), sum_.num_elements());
    return OkStatus();
  }
  StatusOr<Tensor> Total() override {
    if (spec().mean) DivideAll(sum_.mutable_data<T>(), sum_.num_elements(), count());
    return std::move(sum_);
  }

 private:
  Tensor sum_;
};

// Sums rows by their index. Rows are merged as if the indices were sorted, as in TensorFlow, so
// gradients with unsorted indices may leave several rows of the same index.
template <class T>
class TypedSparseAccumulator final : public SparseAccumulator {
 public:
  using SparseAccumulator::SparseAccumulator;

 protected:
  Status Check(const SparseGradient& g) const override {
    if (g.indices.rank() != 1) {
      return InvalidArgument("Input indices should be vector but received shape: ",
                             g.indices.shape());
    }
    if (g.values.rank() == 0) return InvalidArgument("Values cannot be 0-dimensional.");
    if (g.values.dim(0) != g.indices.dim(0)) {
      return InvalidArgument("Expected ", g.indices.dim(0), " non-empty input values, got ",
                             g.values.dim(0));
    }
    if (!g.shape.empty()) RAMET_RETURN_IF_ERROR(CheckShape(g));
    RAMET_RETURN_IF_ERROR(CheckRows(g));
    return CheckIndices(g);
  }

  Status Start(SparseGradient g) override {
    RAMET_ASSIGN_OR_RETURN(values_, g.values.DeepCopy());
    indices_.assign(g.indices.flat<int64_t>().begin(), g.indices.flat<int64_t>().end());
    counts_.assign(indices_.size(), 1);
    return OkStatus();
  }

  Status Add(const SparseGradient& g) override {
    const std::vector<Row> merged = Merge(g.indices.flat<int64_t>());
    const int64_t width = Width();
    Shape shape = values_.shape();
    shape.set_dim(0, std::ssize(merged));
    RAMET_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(spec().dtype, shape));
    std::vector<int64_t> indices, counts;
    T* to = values.mutable_data<T>();
    for (const Row& row : merged) {
      indices.push_back(row.mine >= 0 ? indices_[row.mine] : g.indices.data<int64_t>()[row.other]);
      counts.push_back((row.mine >= 0 ? counts_[row.mine] : 0) + (row.other >= 0 ? 1 : 0));
      const T* first = row.mine >= 0 ? values_.data<T>() + row.mine * width
                                     : g.values.data<T>() + row.other * width;
      std::copy(first, first + width, to);
      if (row.mine >= 0 && row.other >= 0)
        AddAll(g.values.data<T>() + row.other * width, to, width);
      to += width;
    }
    values_ = std::move(values);
    indices_ = std::move(indices);
    counts_ = std::move(counts);
    return OkStatus();
  }

  StatusOr<SparseGradient> Total() override {
    const int64_t width = Width();
    for (size_t i = 0; spec().mean && i < counts_.size(); ++i) {
      DivideAll(values_.mutable_data<T>() + static_cast<int64_t>(i) * width, width, counts_[i]);
    }
    std::vector<int64_t> dims(values_.shape().dims().begin(), values_.shape().dims().end());
    dims[0] = spec().shape.rank() > 0 ? spec().shape.dim(0) : -1;
    return SparseGradient{Tensor::Vector(indices_), std::move(values_), Tensor::Vector(dims)};
  }

 private:
  // A row of the next sum: a row of this one, of the gradient, or the sum of both; -1 is none.
  struct Row {
    int64_t mine, other;
  };

  int64_t Width() const {
    return values_.dim(0) == 0 ? 0 : values_.num_elements() / values_.dim(0);
  }

  std::vector<Row> Merge(std::span<const int64_t> others) const {
    std::vector<Row> rows;
    int64_t i = 0, j = 0;
    while (i < std::ssize(indices_) || j < std::ssize(others)) {
      if (j == std::ssize(others) || (i < std::ssize(indices_) && indices_[i] < others[j])) {
        rows.push_back({i++, -1});
      } else if (i == std::ssize(indices_) || others[j] < indices_[i]) {
        rows.push_back({-1, j++});
      } else {
        rows.push_back({i++, j++});
      }
    }
    return rows;
  }

  Status CheckShape(const SparseGradient& g) const {
    if (g.shape.rank() != 1) {
      return InvalidArgument("Input shape should be vector but received shape: ", g.shape.shape());
    }
    const Shape& declared = spec().shape;
    const int64_t rank = std::max(declared.rank(), g.values.rank());
    if (g.shape.num_elements() < rank) {
      return InvalidArgument("Shape mismatch: expected shape rank at least ", rank, ", got ",
                             g.shape.num_elements());
    }
    for (int i = 0; i < declared.rank(); ++i) {
      const int64_t found = g.shape.data<int64_t>()[i];
      if (declared.dim(i) < 0 || declared.dim(i) == found) continue;
      return InvalidArgument("Shape mismatch: expected shape dim ", i, " to be ", declared.dim(i),
                             ", got ", found);
    }
    return OkStatus();
  }

  // Checks the dimensions of a row.
  Status CheckRows(const SparseGradient& g) const {
    const Shape& expected = count() > 0 ? values_.shape() : spec().shape;
    // A declared shape of rank 0 stands for any shape, as in TensorFlow.
    if (expected.unknown_rank() || expected.rank() == 0) return OkStatus();
    if (expected.rank() != g.values.rank()) {
      return InvalidArgument("Shape mismatch: expected values rank ", expected.rank(), ", got ",
                             g.values.rank());
    }
    for (int i = 1; i < expected.rank(); ++i) {
      if (expected.dim(i) < 0 || expected.dim(i) == g.values.dim(i)) continue;
      return InvalidArgument("Shape mismatch: expected values dim ", i, " to be ", expected.dim(i),
                             ", got ", g.values.dim(i));
    }
    return OkStatus();
  }

  Status CheckIndices(const SparseGradient& g) const {
    const Shape& declared = spec().shape;
    if (declared.rank() <= 0 || declared.dim(0) < 0) return OkStatus();
    for (int64_t i = 0; i < g.indices.num_elements(); ++i) {
      const int64_t index = g.indices.data<int64_t>()[i];
      if (index < declared.dim(0)) continue;
      return InvalidArgument("Shape mismatch: index of slice ", i,
                             " exceeded limits of shape; index is ", index, " exceeded ",
                             declared.dim(0));
    }
    return OkStatus();
  }

  std::vector<int64_t> indices_, counts_;
  Tensor values_;
};

template <class A, template <class> class Typed>
StatusOr<std::shared_ptr<A>> MakeAccumulator(const KernelNode& node, const std::string& name) {
  AccumulatorSpec spec;
  spec.name = name;
  spec.dtype = node.attrs->GetOr("dtype", DType::kInvalid);
  spec.shape = node.attrs->GetOr("shape", Shape::Unknown());
  spec.mean = node.attrs->GetOr<std::string>("reduction_type", "MEAN") == "MEAN";
  std::shared_ptr<A> made;
  if (spec.dtype == kFloat) {
    made = std::make_shared<Typed<float>>(std::move(spec));
  } else if (spec.dtype == kDouble) {
    made = std::make_shared<Typed<double>>(std::move(spec));
  } else if (spec.dtype == DType::kHalf) {
    made = std::make_shared<Typed<Half>>(std::move(spec));
  } else {
    return InvalidArgument("No kernel of ", node.op, " for dtype=", DTypeName(spec.dtype),
                           " (node '", node.name, "'); there are kernels for half, float, double");
  }
  return made;
}

}  // namespace

StatusOr<std::shared_ptr<DenseAccumulator>> MakeDenseAccumulator(const KernelNode& node,
                                                                 const std::string& name) {
  return MakeAccumulator<DenseAccumulator, TypedDenseAccumulator>(node, name);
}

StatusOr<std::shared_ptr<SparseAccumulator>> MakeSparseAccumulator(const KernelNode& node,
                                                                   const std::string& name) {
  return MakeAccumulator<SparseAccumulator, TypedSparseAccumulator>(node, name);
}

}  // namespace ramet
