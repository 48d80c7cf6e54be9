#include "ramet/op/op.h"
#include "ramet/ops/parsing/example_attrs.h"
#include "ramet/ops/parsing/example_parser.h"
#include "ramet/ops/parsing/input_cache.h"
#include "ramet/ops/parsing/parse_shapes.h"

// ParseExample, ParseExampleV2, ParseSingleExample.

namespace ramet {
namespace {

using Form = FeatureSpec::Form;
using Rank = FeatureColumn::Rank;
using Keys = ExampleKeys::List;

using Part = StatusOr<Tensor> (*)(FeatureColumn& column, Allocator* allocator);

// Outputs one tensor for each feature of a form, from output `*next` on.
Status OutputPart(KernelContext& c, std::vector<FeatureColumn>& columns, Form form, int* next,
                  Part part) {
  for (FeatureColumn& column : columns) {
    const bool wanted = form == Form::kFixed ? column.spec().dense() : column.spec().form == form;
    if (!wanted) continue;
    RAMET_ASSIGN_OR_RETURN(Tensor out, part(column, c.allocator()));
    c.SetOutput((*next)++, std::move(out));
  }
  return OkStatus();
}

Status OutputColumns(KernelContext& c, std::vector<FeatureColumn>& columns) {
  const Part indices = [](auto& column, auto* a) { return column.SparseIndices(a); };
  const Part values = [](auto& column, auto* a) { return column.Values(a); };
  const Part shapes = [](auto& column, auto* a) { return column.SparseShape(a); };
  const Part dense = [](auto& column, auto* a) { return column.Dense(a); };
  const Part splits = [](auto& column, auto* a) { return column.RowSplits(a); };
  int next = 0;
  RAMET_RETURN_IF_ERROR(OutputPart(c, columns, Form::kSparse, &next, indices));
  RAMET_RETURN_IF_ERROR(OutputPart(c, columns, Form::kSparse, &next, values));
  RAMET_RETURN_IF_ERROR(OutputPart(c, columns, Form::kSparse, &next, shapes));
  RAMET_RETURN_IF_ERROR(OutputPart(c, columns, Form::kFixed, &next, dense));
  RAMET_RETURN_IF_ERROR(OutputPart(c, columns, Form::kRagged, &next, values));
  return OutputPart(c, columns, Form::kRagged, &next, splits);
}

Status ParseAndOutput(KernelContext& c, const FeatureSpecs& specs,
                      std::span<const std::string> names) {
  const Tensor& serialized = c.input(0);
  const Rank rank = serialized.rank() == 0 ? Rank::kOne : Rank::kBatch;
  RAMET_ASSIGN_OR_RETURN(
      auto columns,
      ExampleParser::Parse(specs, rank, serialized.flat<std::string>(), names, c.allocator()));
  return OutputColumns(c, columns);
}

Status CheckNames(const Tensor& serialized, const Tensor& names) {
  if (names.num_elements() == 0 || names.shape() == serialized.shape()) return OkStatus();
  return InvalidArgument("Expected names have the same shape as serialized: name.shape=",
                         names.shape(), ", serialized.shape=", serialized.shape());
}

// The kernel of ParseExample, whose keys are scalar inputs.
class ParseExampleKernel final : public Kernel {
 public:
  explicit ParseExampleKernel(ExampleAttrs attrs) : attrs_(std::move(attrs)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    auto attrs = ExampleAttrs::Of(*node.attrs, "Nsparse");
    RAMET_RETURN_IF_ERROR(attrs.Check());
    return std::unique_ptr<Kernel>(std::make_unique<ParseExampleKernel>(std::move(attrs)));
  }

  Status Compute(KernelContext& c) override {
    if (c.input(0).rank() != 1) {
      return InvalidArgument("Expected serialized to be a vector, got shape: ", c.input(0).shape());
    }
    RAMET_RETURN_IF_ERROR(CheckNames(c.input(0), c.input(1)));
    const int dense = 2 + static_cast<int>(attrs_.num_sparse);
    const int defaults = dense + static_cast<int>(attrs_.num_dense());
    RAMET_ASSIGN_OR_RETURN(
        auto specs, cache_.Get(c, 2, c.num_inputs(), [&] { return Specs(c, dense, defaults); }));
    return ParseAndOutput(c, *specs, c.input(1).flat<std::string>());
  }

 private:
  StatusOr<std::shared_ptr<const FeatureSpecs>> Specs(KernelContext& c, int dense, int defaults) {
    ExampleKeys keys;
    for (int i = 2; i < defaults; ++i) {
      if (c.input(i).num_elements() != 1) {
        const bool is_dense = i >= dense;
        return InvalidArgument("Expected ", is_dense ? "dense" : "sparse", "_key to be a scalar");
      }
      (i < dense ? keys.sparse : keys.dense).push_back(c.input(i).scalar<std::string>());
    }
    return MakeFeatureSpecs(c, attrs_, std::move(keys), defaults);
  }

  const ExampleAttrs attrs_;
  InputCache<FeatureSpecs> cache_;
};

// The kernel of ParseExampleV2, whose keys are vectors.
class ParseExampleV2Kernel final : public Kernel {
 public:
  explicit ParseExampleV2Kernel(ExampleAttrs attrs) : attrs_(std::move(attrs)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    auto attrs = ExampleAttrs::Of(*node.attrs, "num_sparse");
    RAMET_RETURN_IF_ERROR(attrs.Check());
    return std::unique_ptr<Kernel>(std::make_unique<ParseExampleV2Kernel>(std::move(attrs)));
  }

  Status Compute(KernelContext& c) override {
    if (c.input(0).rank() > 1) {
      return InvalidArgument("Expected serialized to be a scalar or vector, got shape: ",
                             c.input(0).shape());
    }
    RAMET_RETURN_IF_ERROR(CheckNames(c.input(0), c.input(1)));
    RAMET_ASSIGN_OR_RETURN(auto specs, cache_.Get(c, 2, c.num_inputs(), [&] {
      return MakeFeatureSpecs(
          c, attrs_, {StringsOf(c.input(2)), StringsOf(c.input(3)), StringsOf(c.input(4))}, 5);
    }));
    return ParseAndOutput(c, *specs, c.input(1).flat<std::string>());
  }

 private:
  const ExampleAttrs attrs_;
  InputCache<FeatureSpecs> cache_;
};

// The kernel of ParseSingleExample, whose keys are attrs.
class ParseSingleExampleKernel final : public Kernel {
 public:
  ParseSingleExampleKernel(ExampleAttrs attrs, ExampleKeys keys)
      : attrs_(std::move(attrs)), keys_(std::move(keys)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    auto attrs = ExampleAttrs::Of(*node.attrs, "num_sparse");
    RAMET_RETURN_IF_ERROR(attrs.Check());
    ExampleKeys keys{
        node.attrs->GetOr<Keys>("sparse_keys", {}), node.attrs->GetOr<Keys>("dense_keys", {}), {}};
    return std::unique_ptr<Kernel>(
        std::make_unique<ParseSingleExampleKernel>(std::move(attrs), std::move(keys)));
  }

  Status Compute(KernelContext& c) override {
    if (c.input(0).rank() != 0) {
      return InvalidArgument("Expected serialized to be a scalar, got shape: ", c.input(0).shape());
    }
    RAMET_ASSIGN_OR_RETURN(auto specs, cache_.Get(c, 1, c.num_inputs(), [&] {
      return MakeFeatureSpecs(c, attrs_, keys_, 1);
    }));
    return ParseAndOutput(c, *specs, {});
  }

 private:
  const ExampleAttrs attrs_;
  const ExampleKeys keys_;
  InputCache<FeatureSpecs> cache_;
};

Status ParseExampleShape(ShapeContext& c) {
  const auto attrs = ExampleAttrs::Of(c.attrs(), "Nsparse");
  RAMET_RETURN_IF_ERROR(attrs.Check());
  RAMET_ASSIGN_OR_RETURN(const Shape input, c.WithRank(0, 1));
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  ParseOutputs outputs(c, input);
  outputs.Sparse(attrs.num_sparse, 1);
  outputs.Dense(attrs.dense_shapes);
  return OkStatus();
}

Status ParseExampleV2Shape(ShapeContext& c) {
  const auto attrs = ExampleAttrs::Of(c.attrs(), "num_sparse");
  RAMET_RETURN_IF_ERROR(attrs.Check());
  RAMET_ASSIGN_OR_RETURN(const Shape input, AtMostVector(c, 0));
  RAMET_RETURN_IF_ERROR(AtMostVector(c, 1).status());
  ParseOutputs outputs(c, input);
  outputs.Sparse(attrs.num_sparse, 1);
  outputs.Dense(attrs.dense_shapes);
  outputs.Vectors(std::ssize(attrs.ragged_types));
  outputs.RowSplits(std::ssize(attrs.ragged_types));
  return OkStatus();
}

Status ParseSingleExampleShape(ShapeContext& c) {
  const auto attrs = ExampleAttrs::Of(c.attrs(), "num_sparse");
  const Keys sparse = c.attrs().GetOr<Keys>("sparse_keys", {});
  const Keys dense = c.attrs().GetOr<Keys>("dense_keys", {});
  if (attrs.num_sparse != std::ssize(sparse) || sparse.size() != attrs.sparse_types.size()) {
    return InvalidArgument("num_sparse (", attrs.num_sparse,
                           ") must match the size of sparse_keys (", sparse.size(),
                           ") and sparse_types (", attrs.sparse_types.size(), ")");
  }
  if (std::ssize(dense) != attrs.num_dense()) {
    return InvalidArgument("len(dense_keys) != len(dense_types)");
  }
  RAMET_RETURN_IF_ERROR(attrs.Check());
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  ParseOutputs outputs(c, Shape());
  outputs.Sparse(attrs.num_sparse, 1);
  outputs.Dense(attrs.dense_shapes);
  return OkStatus();
}

#define RAMET_EXAMPLE_DOC                                                                       \
  "Outputs are, for sparse_keys, the indices, values and shapes of sparse tensors, and for "    \
  "dense_keys tensors with dense_shapes (whose first dimension may be unknown: such rows are "  \
  "padded with the default value). A missing dense feature takes its default value, unless "    \
  "that is empty. Error: a message is malformed; a feature has a different dtype or number of " \
  "values; a feature without default value is missing; the numbers of keys, types and shapes "  \
  "differ."

RAMET_OP("ParseExample")
    .Input("serialized: string")
    .Input("names: string")
    .Input("sparse_keys: Nsparse * string")
    .Input("dense_keys: Ndense * string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: Nsparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: Nsparse * int64")
    .Output("dense_values: Tdense")
    .Attr("Nsparse: int >= 0")
    .Attr("Ndense: int >= 0")
    .Attr("sparse_types: list({float,int64,string}) >= 0")
    .Attr("Tdense: list({float,int64,string}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .Doc(
        "Parses a vector of serialized messages of type Example. `names` are the names of the "
        "messages in errors, or empty. " RAMET_EXAMPLE_DOC)
    .Shape(ParseExampleShape)
    .CpuKernelClass<ParseExampleKernel>();

RAMET_OP("ParseExampleV2")
    .Input("serialized: string")
    .Input("names: string")
    .Input("sparse_keys: string")
    .Input("dense_keys: string")
    .Input("ragged_keys: string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: num_sparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: num_sparse * int64")
    .Output("dense_values: Tdense")
    .Output("ragged_values: ragged_value_types")
    .Output("ragged_row_splits: ragged_split_types")
    .Attr("Tdense: list({float,int64,string}) >= 0")
    .Attr("num_sparse: int >= 0")
    .Attr("sparse_types: list({float,int64,string}) >= 0")
    .Attr("ragged_value_types: list({float,int64,string}) >= 0")
    .Attr("ragged_split_types: list({int32,int64}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .Doc(
        "Parses serialized messages of type Example, one or a vector. `names` are the names of "
        "the messages in errors, or empty. For ragged_keys, outputs values and, for a vector, row "
        "splits. " RAMET_EXAMPLE_DOC)
    .Shape(ParseExampleV2Shape)
    .CpuKernelClass<ParseExampleV2Kernel>();

RAMET_OP("ParseSingleExample")
    .Input("serialized: string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: num_sparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: num_sparse * int64")
    .Output("dense_values: Tdense")
    .Attr("num_sparse: int >= 0")
    .Attr("sparse_keys: list(string) >= 0")
    .Attr("dense_keys: list(string) >= 0")
    .Attr("sparse_types: list({float,int64,string}) >= 0")
    .Attr("Tdense: list({float,int64,string}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .Doc("Parses one serialized message of type Example. " RAMET_EXAMPLE_DOC)
    .Shape(ParseSingleExampleShape)
    .CpuKernelClass<ParseSingleExampleKernel>();

}  // namespace
}  // namespace ramet
