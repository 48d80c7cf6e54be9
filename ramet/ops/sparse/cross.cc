#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "ramet/base/hash.h"
#include "ramet/op/op.h"
#include "ramet/ops/sparse/sparse.h"

// SparseCross and its siblings: for each example of a batch, all combinations of one feature per
// column, joined to a string or hashed.

namespace ramet {
namespace {

constexpr uint64_t kCrossMultiplier = 0xc6a4a7935bd1e995;

uint64_t MixShift(uint64_t value) { return value ^ (value >> 47); }

// Combines two fingerprints in this order.
uint64_t ConcatFingerprints(uint64_t a, uint64_t b) {
  uint64_t result = a ^ kCrossMultiplier;
  result ^= MixShift(b * kCrossMultiplier) * kCrossMultiplier;
  result *= kCrossMultiplier;
  return MixShift(MixShift(result) * kCrossMultiplier);
}

// The values of one column for one example: values [first, first + count).
struct CrossRun {
  int64_t example, first, count;
};

// One column. A sparse column has a run for each example with features; a dense one has `width`
// features for each example.
struct CrossColumn {
  const Tensor* values;
  bool is_dense;
  int64_t width;
  std::vector<CrossRun> runs;

  CrossRun RunOf(int64_t example) const {
    if (is_dense) return {example, example * width, width};
    const auto run = std::ranges::lower_bound(runs, example, {}, &CrossRun::example);
    return run != runs.end() && run->example == example ? *run : CrossRun{example, 0, 0};
  }
  std::string TextAt(int64_t i) const {
    if (values->dtype() == kString) return values->data<std::string>()[i];
    return StrCat(values->data<int64_t>()[i]);
  }
};

struct CrossInputs {
  int64_t batch = 0;
  std::vector<CrossColumn> columns;

  // Returns the examples that may have features in all columns.
  std::vector<int64_t> Examples() const {
    std::vector<int64_t> examples;
    const auto sparse = std::ranges::find(columns, false, &CrossColumn::is_dense);
    if (sparse != columns.end()) {
      for (const CrossRun& run : sparse->runs) examples.push_back(run.example);
      return examples;
    }
    examples.resize(columns.empty() ? 0 : batch);
    std::iota(examples.begin(), examples.end(), 0);
    return examples;
  }
};

Status CheckSparseColumn(const SparseView& s, int position) {
  if (s.indices.rank() != 2) {
    return InvalidArgument("Input indices should be a matrix but received shape ",
                           s.indices.shape(), " at position ", position);
  }
  if (s.indices.dim(1) != 2) {
    return InvalidArgument("Expected D2 of index to be 2 got ", s.indices.dim(1), " at position ",
                           position);
  }
  if (s.values.rank() != 1) {
    return InvalidArgument("Input values should be a vector but received shape ", s.values.shape(),
                           " at position ", position);
  }
  if (s.indices.dim(0) != s.values.dim(0)) {
    return InvalidArgument("Expected size of values to be ", s.indices.dim(0), " got ",
                           s.values.dim(0), " at position ", position);
  }
  if (s.shape.rank() != 1) {
    return InvalidArgument("Input shapes should be a vector but received shape ", s.shape.shape(),
                           " at position ", position);
  }
  if (s.shape.dim(0) == 2) return OkStatus();
  return InvalidArgument("shape should imply a 2D tensor, but got ", s.shape.shape(),
                         " at position ", position);
}

// Finds the features of each example: the run of elements in its row. A row that is out of order or
// out of range ends the column, as in TensorFlow.
CrossColumn SparseColumn(const SparseView& s, int64_t batch) {
  CrossColumn column{&s.values, false, 0, {}};
  int64_t last = -1;
  for (int64_t at = 0; at < s.count();) {
    const int64_t row = s.row(at)[0], first = at;
    if (row <= last || row >= batch) break;
    while (at < s.count() && s.row(at)[0] == row) ++at;
    column.runs.push_back({row, first, at - first});
    last = row;
  }
  return column;
}

// Checks the inputs: `sparse` sparse tensors (all indices, all values, all shapes), then `dense`
// matrices.
StatusOr<CrossInputs> ReadColumns(const KernelContext& c, int sparse, int dense) {
  CrossInputs inputs;
  const auto view = [&](int i) {
    return SparseView{c.input(i), c.input(sparse + i), c.input(2 * sparse + i)};
  };
  for (int i = 0; i < sparse; ++i) RAMET_RETURN_IF_ERROR(CheckSparseColumn(view(i), i));
  for (int i = 0; i < dense; ++i) {
    if (c.input(3 * sparse + i).rank() == 2) continue;
    return InvalidArgument("Dense inputs should be a matrix but received shape ",
                           c.input(3 * sparse + i).shape(), " at position ", i);
  }
  if (sparse + dense == 0) return inputs;
  inputs.batch = sparse > 0 ? view(0).dims()[0] : c.input(0).dim(0);
  for (int i = 0; i < sparse; ++i) {
    if (view(i).dims()[0] == inputs.batch) continue;
    return InvalidArgument("Expected batch size ", inputs.batch, " got ", view(i).dims()[0],
                           " at position ", i);
  }
  for (int i = 0; i < dense; ++i) {
    if (c.input(3 * sparse + i).dim(0) == inputs.batch) continue;
    return InvalidArgument("Expected batch size ", inputs.batch, " got ",
                           c.input(3 * sparse + i).dim(0), " at dense tensor ", i);
  }
  if (inputs.batch < 0) {
    return InvalidArgument("the batch size must not be negative, but is ", inputs.batch);
  }
  for (int i = 0; i < sparse; ++i) inputs.columns.push_back(SparseColumn(view(i), inputs.batch));
  for (int i = 0; i < dense; ++i) {
    const Tensor& values = c.input(3 * sparse + i);
    inputs.columns.push_back({&values, true, values.dim(1), {}});
  }
  return inputs;
}

// The runs of all columns for one example, and the number of their combinations.
struct CrossExample {
  std::vector<CrossRun> runs;
  int64_t combinations = 1;
};

// \error kInvalidArgument: the number of combinations overflows.
StatusOr<CrossExample> ExampleOf(const CrossInputs& inputs, int64_t example) {
  CrossExample result;
  for (const CrossColumn& column : inputs.columns) result.runs.push_back(column.RunOf(example));
  if (std::ranges::count(result.runs, 0, &CrossRun::count) > 0) {
    result.combinations = 0;
    return result;
  }
  for (const CrossRun& run : result.runs) {
    if (!MultiplyNonNegative(result.combinations, run.count, &result.combinations)) {
      return InvalidArgument("example ", example, " has more than 2^63 - 1 feature crosses");
    }
  }
  return result;
}

// Calls `use(positions)` with the positions of one value per column for each combination; the last
// column changes fastest.
template <class Use>
void ForEachCombination(const CrossExample& example, Use&& use) {
  std::vector<int64_t> positions(example.runs.size());
  for (int64_t n = 0; n < example.combinations; ++n) {
    int64_t rest = n;
    for (int i = static_cast<int>(positions.size()) - 1; i >= 0; --i) {
      const CrossRun& run = example.runs[i];
      positions[i] = run.first + rest % run.count;
      rest /= run.count;
    }
    use(positions);
  }
}

// Writes the three outputs. `make(inputs, positions)` returns the value of a combination.
template <class T, class Make>
Status WriteCrosses(KernelContext& c, const CrossInputs& inputs, Make&& make) {
  int64_t total = 0, widest = 0;
  std::vector<CrossExample> examples;
  const std::vector<int64_t> numbers = inputs.Examples();
  for (const int64_t number : numbers) {
    RAMET_ASSIGN_OR_RETURN(CrossExample example, ExampleOf(inputs, number));
    if (__builtin_add_overflow(total, example.combinations, &total)) {
      return InvalidArgument("there are more than 2^63 - 1 feature crosses");
    }
    widest = std::max(widest, example.combinations);
    examples.push_back(std::move(example));
  }
  const int64_t dims[] = {inputs.batch, widest};
  RAMET_ASSIGN_OR_RETURN(const SparseOutputs out,
                         AllocateSparse(c, 0, DTypeOf<T>::value, total, dims));
  int64_t* row = out.indices->mutable_data<int64_t>();
  T* value = out.values->template mutable_data<T>();
  for (size_t e = 0; e < examples.size(); ++e) {
    int64_t n = 0;
    ForEachCombination(examples[e], [&](const std::vector<int64_t>& positions) {
      *row++ = numbers[e];
      *row++ = n++;
      *value++ = make(inputs, positions);
    });
  }
  return OkStatus();
}

std::string JoinFeatures(const CrossInputs& inputs, const std::vector<int64_t>& positions,
                         std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < positions.size(); ++i) {
    if (i > 0) text += separator;
    text += inputs.columns[i].TextAt(positions[i]);
  }
  return text;
}

// Reduces a hash to the buckets; without buckets, to the non-negative int64.
int64_t ToBucket(uint64_t hash, int64_t buckets) {
  const auto limit =
      static_cast<uint64_t>(buckets > 0 ? buckets : std::numeric_limits<int64_t>::max());
  return static_cast<int64_t>(hash % limit);
}

int DenseCount(const KernelNode& node) {
  return static_cast<int>(
      node.attrs->GetOr<std::vector<DType>>("dense_types", std::vector<DType>()).size());
}

int SparseCount(const KernelNode& node) {
  return static_cast<int>(node.attrs->GetOr<int64_t>("N", 0));
}

// Makes a kernel K, which finds its inputs by the numbers of sparse and dense columns.
// \error kInvalidArgument: `sparse_types` does not have one type per sparse column.
template <class K>
StatusOr<std::unique_ptr<Kernel>> MakeCross(const KernelNode& node) {
  const auto types = node.attrs->GetOr<std::vector<DType>>("sparse_types", std::vector<DType>());
  if (std::ssize(types) != SparseCount(node)) {
    return InvalidArgument("attr 'sparse_types' has ", types.size(),
                           " types, expected N = ", SparseCount(node),
                           ", one for each sparse column");
  }
  return std::unique_ptr<Kernel>(std::make_unique<K>(node));
}

class SparseCrossKernel final : public Kernel {
 public:
  explicit SparseCrossKernel(const KernelNode& node)
      : sparse_(SparseCount(node)),
        dense_(DenseCount(node)),
        hashed_(node.output_types[1] == kInt64),
        internal_(node.attrs->GetOr("internal_type", kInt64)),
        buckets_(node.attrs->GetOr<int64_t>("num_buckets", 0)),
        key_(static_cast<uint64_t>(node.attrs->GetOr<int64_t>("hash_key", 0))) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return MakeCross<SparseCrossKernel>(node);
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const CrossInputs inputs, ReadColumns(c, sparse_, dense_));
    for (const CrossColumn& column : inputs.columns) {
      if (internal_ != kString || column.values->dtype() == kString) continue;
      return InvalidArgument(column.is_dense ? "Dense inputs" : "Input values",
                             " should be of internal type ", static_cast<int>(internal_),
                             " but received ", static_cast<int>(column.values->dtype()));
    }
    if (!hashed_) {
      return WriteCrosses<std::string>(c, inputs, [](const auto& in, const auto& positions) {
        return JoinFeatures(in, positions, "_X_");
      });
    }
    return WriteCrosses<int64_t>(
        c, inputs, [this](const auto& in, const auto& positions) { return Hash(in, positions); });
  }

 private:
  int64_t Hash(const CrossInputs& inputs, const std::vector<int64_t>& positions) const {
    uint64_t hash = key_;
    for (size_t i = 0; i < positions.size(); ++i) {
      const Tensor& values = *inputs.columns[i].values;
      hash = ConcatFingerprints(hash,
                                values.dtype() == kString
                                    ? Fingerprint64(values.data<std::string>()[positions[i]])
                                    : static_cast<uint64_t>(values.data<int64_t>()[positions[i]]));
    }
    return ToBucket(hash, buckets_);
  }

  const int sparse_, dense_;
  const bool hashed_;
  const DType internal_;
  const int64_t buckets_;
  const uint64_t key_;
};

class SparseCrossV2Kernel final : public Kernel {
 public:
  explicit SparseCrossV2Kernel(const KernelNode& node)
      : sparse_(SparseCount(node)), dense_(DenseCount(node)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return MakeCross<SparseCrossV2Kernel>(node);
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const CrossInputs inputs, ReadColumns(c, sparse_, dense_));
    const Tensor& separator = c.input(3 * sparse_ + dense_);
    if (separator.rank() != 0) {
      return InvalidArgument("Input separator should be a scalar. Received: ",
                             separator.ToString());
    }
    return WriteCrosses<std::string>(c, inputs, [&](const auto& in, const auto& positions) {
      return JoinFeatures(in, positions, separator.scalar<std::string>());
    });
  }

 private:
  const int sparse_, dense_;
};

// The hash function of SparseCrossHashed.
struct CrossHash {
  int64_t buckets;
  bool strong;
  std::array<uint64_t, 2> salt;

  uint64_t OfText(std::string_view text) const {
    return strong ? SipHash(salt, text) : Fingerprint64(text);
  }
  // TensorFlow hashes the lower half of a number of a sparse column and takes a number of a dense
  // column as it is.
  uint64_t Of(const CrossColumn& column, int64_t i) const {
    if (column.values->dtype() == kString) return OfText(column.values->data<std::string>()[i]);
    const auto number = static_cast<uint64_t>(column.values->data<int64_t>()[i]);
    if (column.is_dense) return number;
    std::string bytes;
    for (int k = 0; k < 4; ++k) bytes.push_back(static_cast<char>(number >> (8 * k)));
    return OfText(bytes);
  }
};

StatusOr<CrossHash> ReadHash(const KernelContext& c, int first) {
  const Tensor &buckets = c.input(first), &strong = c.input(first + 1), &salt = c.input(first + 2);
  if (buckets.rank() != 0 || strong.rank() != 0) {
    return InvalidArgument("num_buckets and strong_hash must be scalars, but have shapes ",
                           buckets.shape(), " and ", strong.shape());
  }
  if (salt.rank() != 1 || salt.dim(0) != 2) {
    return InvalidArgument("Input \"salt\" must have length 2 but has length ",
                           salt.num_elements());
  }
  const int64_t* key = salt.data<int64_t>();
  return CrossHash{buckets.scalar<int64_t>(),
                   strong.scalar<bool>(),
                   {static_cast<uint64_t>(key[0]), static_cast<uint64_t>(key[1])}};
}

class SparseCrossHashedKernel final : public Kernel {
 public:
  explicit SparseCrossHashedKernel(const KernelNode& node)
      : sparse_(SparseCount(node)), dense_(DenseCount(node)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return MakeCross<SparseCrossHashedKernel>(node);
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const CrossInputs inputs, ReadColumns(c, sparse_, dense_));
    RAMET_ASSIGN_OR_RETURN(const CrossHash hash, ReadHash(c, 3 * sparse_ + dense_));
    return WriteCrosses<int64_t>(c, inputs, [&](const auto& in, const auto& positions) {
      uint64_t all = hash.Of(in.columns[0], positions[0]);
      for (size_t i = 1; i < positions.size(); ++i) {
        all = ConcatFingerprints(all, hash.Of(in.columns[i], positions[i]));
      }
      return ToBucket(all, hash.buckets);
    });
  }

 private:
  const int sparse_, dense_;
};

Status SparseCrossShape(ShapeContext& c) {
  SetSparseOutputs(c, 0, 2);
  return OkStatus();
}

#define RAMET_SPARSE_CROSS_DOC(how)                                                               \
  "Crosses the columns of a batch: for each example, returns each combination of one feature "    \
  "per column, " how                                                                              \
  ", as a sparse matrix with one row per example. Columns are sparse matrices (indices, values, " \
  "shapes) and dense ones, of strings or int64, with one row per example; the last column "       \
  "changes fastest. Error: the inputs are not the parts of sparse matrices, or not dense "        \
  "matrices; the batch sizes differ"
#define RAMET_SPARSE_CROSS(name)                        \
  RAMET_OP(name)                                        \
      .Input("indices: N * int64")                      \
      .Input("values: sparse_types")                    \
      .Input("shapes: N * int64")                       \
      .Input("dense_inputs: dense_types")               \
      .Attr("N: int >= 0")                              \
      .Attr("sparse_types: list({int64, string}) >= 0") \
      .Attr("dense_types: list({int64, string}) >= 0")  \
      .Shape(SparseCrossShape)

RAMET_SPARSE_CROSS("SparseCross")
    .Output("output_indices: int64")
    .Output("output_values: out_type")
    .Output("output_shape: int64")
    .Attr("hashed_output: bool")
    .Attr("num_buckets: int >= 0")
    .AttrRange("num_buckets", INT64_MIN, INT64_MAX)
    .Attr("hash_key: int")
    .AttrRange("hash_key", INT64_MIN, INT64_MAX)
    .Attr("out_type: {int64, string}")
    .Attr("internal_type: {int64, string}")
    .Doc(RAMET_SPARSE_CROSS_DOC("joined by \"_X_\", or hashed to num_buckets buckets (0: to all "
                                "non-negative int64) if out_type is int64") "; internal_type is "
         "string, but a column is not.")
    .CpuKernelClass<SparseCrossKernel>();

RAMET_SPARSE_CROSS("SparseCrossV2")
    .Input("sep: string")
    .Output("output_indices: int64")
    .Output("output_values: string")
    .Output("output_shape: int64")
    .Doc(RAMET_SPARSE_CROSS_DOC("joined by `sep`") "; `sep` is not a scalar.")
    .CpuKernelClass<SparseCrossV2Kernel>();

RAMET_SPARSE_CROSS("SparseCrossHashed")
    .Input("num_buckets: int64")
    .Input("strong_hash: bool")
    .Input("salt: int64")
    .Output("output_indices: int64")
    .Output("output_values: int64")
    .Output("output_shape: int64")
    .Doc(RAMET_SPARSE_CROSS_DOC("hashed to num_buckets buckets (0: to all non-negative int64) with "
                                "FarmHash, or with SipHash and the key `salt` if strong_hash is "
                                "true") "; num_buckets or strong_hash is not a scalar; `salt` does "
         "not have 2 elements.")
    .CpuKernelClass<SparseCrossHashedKernel>();

}  // namespace
}  // namespace ramet
