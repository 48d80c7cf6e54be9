#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/ops/parsing/input_cache.h"
#include "ramet/ops/parsing/parse_shapes.h"
#include "ramet/ops/parsing/sequence_parser.h"

// ParseSequenceExample, ParseSequenceExampleV2, ParseSingleSequenceExample.

namespace ramet {
namespace {

using Form = FeatureSpec::Form;
using Rank = FeatureColumn::Rank;
using Dialect = SequenceParser::Dialect;
using Keys = std::vector<std::string>;
using Types = std::vector<DType>;

// The attrs that describe the features.
struct SequenceAttrs {
  int64_t context_sparse = 0, list_sparse = 0, list_dense = 0;
  Types context_sparse_types, context_dense_types, context_ragged_types, context_ragged_splits;
  Types list_sparse_types, list_dense_types, list_ragged_types, list_ragged_splits;
  std::vector<Shape> context_shapes, list_shapes;

  static SequenceAttrs Of(const AttrMap& attrs) {
    const auto types = [&](std::string_view name) { return attrs.GetOr<Types>(name, {}); };
    SequenceAttrs a;
    a.context_sparse = attrs.GetOr<int64_t>("Ncontext_sparse", 0);
    a.list_sparse = attrs.GetOr<int64_t>("Nfeature_list_sparse", 0);
    a.list_dense = attrs.GetOr<int64_t>("Nfeature_list_dense", 0);
    a.context_sparse_types = types("context_sparse_types");
    a.context_dense_types = types("Tcontext_dense");
    a.context_ragged_types = types("context_ragged_value_types");
    a.context_ragged_splits = types("context_ragged_split_types");
    a.list_sparse_types = types("feature_list_sparse_types");
    a.list_dense_types = types("feature_list_dense_types");
    a.list_ragged_types = types("feature_list_ragged_value_types");
    a.list_ragged_splits = types("feature_list_ragged_split_types");
    a.context_shapes = attrs.GetOr<std::vector<Shape>>("context_dense_shapes", {});
    a.list_shapes = attrs.GetOr<std::vector<Shape>>("feature_list_dense_shapes", {});
    return a;
  }

  Status Check() const {
    RAMET_RETURN_IF_ERROR(CheckCount("context_sparse", context_sparse, context_sparse_types));
    RAMET_RETURN_IF_ERROR(CheckCount("feature_list_sparse", list_sparse, list_sparse_types));
    RAMET_RETURN_IF_ERROR(CheckCount("feature_list_dense", list_dense, list_dense_types));
    RAMET_RETURN_IF_ERROR(
        CheckCount("context_ragged", std::ssize(context_ragged_splits), context_ragged_types));
    RAMET_RETURN_IF_ERROR(
        CheckCount("feature_list_ragged", std::ssize(list_ragged_splits), list_ragged_types));
    RAMET_RETURN_IF_ERROR(
        CheckCount("context_dense", std::ssize(context_shapes), context_dense_types));
    RAMET_RETURN_IF_ERROR(
        CheckCount("feature_list_dense", std::ssize(list_shapes), list_dense_types));
    RAMET_RETURN_IF_ERROR(CheckDefined(context_shapes));
    return CheckDefined(list_shapes);
  }

 private:
  static Status CheckCount(std::string_view what, int64_t count, const Types& types) {
    if (count == std::ssize(types)) return OkStatus();
    const std::string_view suffix = what.ends_with("ragged") ? "_value_types" : "_types";
    return InvalidArgument("num_", what, " (", count, ") must match the size of ", what, suffix,
                           " (", types.size(), ")");
  }
  static Status CheckDefined(const std::vector<Shape>& shapes) {
    for (const Shape& shape : shapes) {
      if (!shape.IsFullyDefined()) {
        return InvalidArgument("Shape ", shape, " is not fully defined");
      }
    }
    return OkStatus();
  }
};

// The keys of the features, and which dense lists may be missing.
struct SequenceKeys {
  Keys context_sparse, context_dense, context_ragged, list_sparse, list_dense, list_ragged;
  std::vector<bool> may_be_missing;

  // Lists named in `names` may be missing.
  void AllowMissing(const Keys& names) {
    for (const std::string& key : list_dense) {
      may_be_missing.push_back(std::ranges::find(names, key) != names.end());
    }
  }
};

Status CheckKeys(const Keys& keys, size_t count, std::string_view what, std::string_view number) {
  if (keys.size() == count) return OkStatus();
  return InvalidArgument("Expected len(", what, "_keys) to match ", number);
}

Status CheckAllKeys(const SequenceAttrs& a, const SequenceKeys& k) {
  RAMET_RETURN_IF_ERROR(CheckKeys(k.context_sparse, a.context_sparse_types.size(), "context_sparse",
                                  "Ncontext_sparse"));
  RAMET_RETURN_IF_ERROR(CheckKeys(k.context_dense, a.context_dense_types.size(), "context_dense",
                                  "len(Tcontext_dense)"));
  RAMET_RETURN_IF_ERROR(CheckKeys(k.context_ragged, a.context_ragged_types.size(), "context_ragged",
                                  "len(context_ragged_value_types)"));
  RAMET_RETURN_IF_ERROR(CheckKeys(k.list_sparse, a.list_sparse_types.size(), "feature_list_sparse",
                                  "Nfeature_list_sparse"));
  RAMET_RETURN_IF_ERROR(CheckKeys(k.list_dense, a.list_dense_types.size(), "feature_list_dense",
                                  "Nfeature_list_dense"));
  RAMET_RETURN_IF_ERROR(CheckKeys(k.list_ragged, a.list_ragged_types.size(), "feature_list_ragged",
                                  "len(feature_list_ragged_value_types)"));
  if (k.may_be_missing.size() == k.list_dense.size()) return OkStatus();
  return InvalidArgument(
      "Expected len(feature_list_dense_missing_assumed_empty to match Nfeature_list_dense");
}

void AddSpecs(Form form, Keys keys, const Types& types, const Types& splits,
              const std::vector<Shape>& shapes, std::vector<FeatureSpec>* specs) {
  for (size_t i = 0; i < keys.size(); ++i) {
    specs->push_back({std::move(keys[i]),
                      form,
                      types[i],
                      form == Form::kFixed ? shapes[i] : Shape(),
                      {},
                      form == Form::kRagged ? splits[i] : DType::kInvalid});
  }
}

// Default values have the shape of the feature, or no elements.
Status SetDefault(const Tensor& value, int i, Dialect dialect, FeatureSpec* spec) {
  const bool single = dialect == Dialect::kParseSingleSequenceExample;
  if (value.num_elements() > 0 && value.shape() != spec->shape) {
    return InvalidArgument(single ? "def_value[" : "default_value[", i,
                           "].shape() == ", value.shape(), " != context_dense_shapes",
                           single ? "_[" : "[", i, "] == ", spec->shape);
  }
  spec->fallback = value;
  return OkStatus();
}

// Makes the specs. The default values of dense context features are inputs from `first_default` on.
StatusOr<std::shared_ptr<const SequenceSpecs>> MakeSequenceSpecs(KernelContext& c,
                                                                 const SequenceAttrs& a,
                                                                 SequenceKeys k, Dialect dialect,
                                                                 int first_default) {
  RAMET_RETURN_IF_ERROR(CheckAllKeys(a, k));
  std::vector<FeatureSpec> context, lists;
  const int dense = static_cast<int>(k.context_dense.size());
  AddSpecs(Form::kFixed, std::move(k.context_dense), a.context_dense_types, {}, a.context_shapes,
           &context);
  for (int i = 0; i < dense; ++i) {
    RAMET_RETURN_IF_ERROR(SetDefault(c.input(first_default + i), i, dialect, &context[i]));
  }
  AddSpecs(Form::kSparse, std::move(k.context_sparse), a.context_sparse_types, {}, {}, &context);
  AddSpecs(Form::kRagged, std::move(k.context_ragged), a.context_ragged_types,
           a.context_ragged_splits, {}, &context);
  AddSpecs(Form::kFixed, std::move(k.list_dense), a.list_dense_types, {}, a.list_shapes, &lists);
  AddSpecs(Form::kSparse, std::move(k.list_sparse), a.list_sparse_types, {}, {}, &lists);
  AddSpecs(Form::kRagged, std::move(k.list_ragged), a.list_ragged_types, a.list_ragged_splits, {},
           &lists);
  std::shared_ptr<const SequenceSpecs> specs(new SequenceSpecs{FeatureSpecs(std::move(context)),
                                                               FeatureSpecs(std::move(lists)),
                                                               std::move(k.may_be_missing)});
  return specs;
}

// Outputs tensors one after another.
class OutputWriter {
 public:
  explicit OutputWriter(KernelContext& c) : c_(c) {}

  // Outputs column.*part(allocator) for each column of a form.
  template <class Column, class Part>
  Status Write(std::vector<Column>& columns, Form form, Part part) {
    for (Column& column : columns) {
      if (column.spec().form != form) continue;
      RAMET_ASSIGN_OR_RETURN(Tensor out, (column.*part)(c_.allocator()));
      c_.SetOutput(next_++, std::move(out));
    }
    return OkStatus();
  }
  // Outputs a scalar zero for each ragged column: one example has no splits.
  template <class Column>
  Status WriteNoSplits(std::vector<Column>& columns) {
    for (Column& column : columns) {
      if (column.spec().form != Form::kRagged) continue;
      c_.SetOutput(next_++,
                   column.spec().splits == kInt64 ? Tensor(int64_t{0}) : Tensor(int32_t{0}));
    }
    return OkStatus();
  }

 private:
  KernelContext& c_;
  int next_ = 0;
};

Status WriteColumns(KernelContext& c, SequenceColumns& columns, Rank rank, bool lengths) {
  using Context = FeatureColumn;
  using List = FeatureListColumn;
  OutputWriter out(c);
  RAMET_RETURN_IF_ERROR(out.Write(columns.context, Form::kSparse, &Context::SparseIndices));
  RAMET_RETURN_IF_ERROR(out.Write(columns.context, Form::kSparse, &Context::Values));
  RAMET_RETURN_IF_ERROR(out.Write(columns.context, Form::kSparse, &Context::SparseShape));
  RAMET_RETURN_IF_ERROR(out.Write(columns.context, Form::kFixed, &Context::Dense));
  RAMET_RETURN_IF_ERROR(out.Write(columns.context, Form::kRagged, &Context::Values));
  if (rank == Rank::kOne) RAMET_RETURN_IF_ERROR(out.WriteNoSplits(columns.context));
  if (rank == Rank::kBatch) {
    RAMET_RETURN_IF_ERROR(out.Write(columns.context, Form::kRagged, &Context::RowSplits));
  }
  RAMET_RETURN_IF_ERROR(out.Write(columns.lists, Form::kSparse, &List::SparseIndices));
  RAMET_RETURN_IF_ERROR(out.Write(columns.lists, Form::kSparse, &List::Values));
  RAMET_RETURN_IF_ERROR(out.Write(columns.lists, Form::kSparse, &List::SparseShape));
  RAMET_RETURN_IF_ERROR(out.Write(columns.lists, Form::kFixed, &List::Dense));
  if (lengths) RAMET_RETURN_IF_ERROR(out.Write(columns.lists, Form::kFixed, &List::Lengths));
  RAMET_RETURN_IF_ERROR(out.Write(columns.lists, Form::kRagged, &List::Values));
  if (rank == Rank::kOne) RAMET_RETURN_IF_ERROR(out.WriteNoSplits(columns.lists));
  if (rank == Rank::kBatch) {
    RAMET_RETURN_IF_ERROR(out.Write(columns.lists, Form::kRagged, &List::OuterSplits));
  }
  return out.Write(columns.lists, Form::kRagged, &List::InnerSplits);
}

Status ParseBatch(KernelContext& c, const SequenceSpecs& specs) {
  const Tensor &serialized = c.input(0), &names = c.input(1);
  if (names.num_elements() != 0 && names.num_elements() != serialized.num_elements()) {
    return InvalidArgument("example_names must be empty or have the correct number of elements");
  }
  const Rank rank = serialized.rank() == 0 ? Rank::kOne : Rank::kBatch;
  RAMET_ASSIGN_OR_RETURN(
      auto columns, SequenceParser::Parse(specs, Dialect::kParseSequenceExample, rank,
                                          serialized.flat<std::string>(), names.flat<std::string>(),
                                          c.allocator()));
  return WriteColumns(c, columns, rank, true);
}

// The kernel of ParseSequenceExample, whose keys are attrs, and of ParseSequenceExampleV2.
template <bool v2>
class ParseSequenceKernel final : public Kernel {
 public:
  explicit ParseSequenceKernel(const AttrMap& attrs) : attrs_(SequenceAttrs::Of(attrs)) {
    const auto keys = [&](std::string_view name) { return attrs.GetOr<Keys>(name, {}); };
    keys_ = {keys("context_sparse_keys"),
             keys("context_dense_keys"),
             {},
             keys("feature_list_sparse_keys"),
             keys("feature_list_dense_keys"),
             {},
             {}};
    keys_.AllowMissing(keys("feature_list_dense_missing_assumed_empty"));
  }
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_RETURN_IF_ERROR(SequenceAttrs::Of(*node.attrs).Check());
    return std::unique_ptr<Kernel>(std::make_unique<ParseSequenceKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    if (c.input(0).rank() > 1) {
      return InvalidArgument("Expected serialized to be a scalar or vector, got shape: ",
                             c.input(0).shape());
    }
    const int defaults = v2 ? 9 : 2;
    RAMET_ASSIGN_OR_RETURN(auto specs, cache_.Get(c, 2, c.num_inputs(), [&] {
      return MakeSequenceSpecs(c, attrs_, v2 ? InputKeys(c) : keys_, Dialect::kParseSequenceExample,
                               defaults);
    }));
    return ParseBatch(c, *specs);
  }

 private:
  static SequenceKeys InputKeys(KernelContext& c) {
    const auto missing = c.input(8).flat<bool>();
    return {StringsOf(c.input(2)),
            StringsOf(c.input(3)),
            StringsOf(c.input(4)),
            StringsOf(c.input(5)),
            StringsOf(c.input(6)),
            StringsOf(c.input(7)),
            std::vector<bool>(missing.begin(), missing.end())};
  }

  const SequenceAttrs attrs_;
  SequenceKeys keys_;
  InputCache<SequenceSpecs> cache_;
};

// The kernel of ParseSingleSequenceExample, whose keys are scalar inputs.
class ParseSingleSequenceKernel final : public Kernel {
 public:
  explicit ParseSingleSequenceKernel(const AttrMap& attrs) : attrs_(SequenceAttrs::Of(attrs)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_RETURN_IF_ERROR(SequenceAttrs::Of(*node.attrs).Check());
    return std::unique_ptr<Kernel>(std::make_unique<ParseSingleSequenceKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    const Tensor &serialized = c.input(0), &name = c.input(c.num_inputs() - 1);
    if (name.rank() != 0) {
      return InvalidArgument("Expected debug_name to be a scalar, got shape: ", name.shape());
    }
    if (serialized.rank() != 0) {
      return InvalidArgument("Expected serialized to be a scalar, got shape: ", serialized.shape());
    }
    RAMET_ASSIGN_OR_RETURN(auto specs,
                           cache_.Get(c, 1, c.num_inputs() - 1, [&] { return Specs(c); }));
    RAMET_ASSIGN_OR_RETURN(auto columns,
                           SequenceParser::Parse(*specs, Dialect::kParseSingleSequenceExample,
                                                 Rank::kOne, serialized.flat<std::string>(),
                                                 name.flat<std::string>(), c.allocator()));
    return WriteColumns(c, columns, Rank::kOne, false);
  }

 private:
  StatusOr<std::shared_ptr<const SequenceSpecs>> Specs(KernelContext& c) const {
    SequenceKeys keys;
    int next = 2;
    const auto take = [&](Keys* into, size_t count) -> Status {
      for (size_t i = 0; i < count; ++i, ++next) {
        if (c.input(next).rank() != 0) {
          return InvalidArgument("Expected key ", i,
                                 " to be a scalar, got shape: ", c.input(next).shape());
        }
        into->push_back(c.input(next).scalar<std::string>());
      }
      return OkStatus();
    };
    RAMET_RETURN_IF_ERROR(take(&keys.context_sparse, attrs_.context_sparse_types.size()));
    RAMET_RETURN_IF_ERROR(take(&keys.context_dense, attrs_.context_dense_types.size()));
    RAMET_RETURN_IF_ERROR(take(&keys.list_sparse, attrs_.list_sparse_types.size()));
    RAMET_RETURN_IF_ERROR(take(&keys.list_dense, attrs_.list_dense_types.size()));
    keys.AllowMissing(StringsOf(c.input(1)));
    return MakeSequenceSpecs(c, attrs_, std::move(keys), Dialect::kParseSingleSequenceExample,
                             next);
  }

  const SequenceAttrs attrs_;
  InputCache<SequenceSpecs> cache_;
};

Status SequenceShape(ShapeContext& c, const Shape& input, bool lengths) {
  const SequenceAttrs attrs = SequenceAttrs::Of(c.attrs());
  RAMET_RETURN_IF_ERROR(attrs.Check());
  ParseOutputs outputs(c, input);
  outputs.Sparse(attrs.context_sparse, 1);
  outputs.Dense(attrs.context_shapes);
  outputs.Vectors(std::ssize(attrs.context_ragged_types));
  outputs.RowSplits(std::ssize(attrs.context_ragged_types));
  outputs.Sparse(attrs.list_sparse, 2);
  outputs.Dense(attrs.list_shapes, Joined(input, Shape{Shape::kUnknownDim}));
  if (lengths) outputs.LikeInput(attrs.list_dense);
  outputs.Vectors(std::ssize(attrs.list_ragged_types));
  outputs.RowSplits(std::ssize(attrs.list_ragged_types));
  outputs.Vectors(std::ssize(attrs.list_ragged_types));
  return OkStatus();
}

Status ParseSequenceShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape input, AtMostVector(c, 0));
  RAMET_RETURN_IF_ERROR(AtMostVector(c, 1).status());
  return SequenceShape(c, input, true);
}

Status ParseSingleSequenceShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  return SequenceShape(c, Shape(), false);
}

#define RAMET_SEQUENCE_DOC                                                                      \
  "Outputs are, for sparse keys, the indices, values and shapes of sparse tensors, for ragged " \
  "keys values and row splits, and for dense keys tensors. A dense feature list has one row "   \
  "for each of its features; shorter ones are padded with zeros. Error: a message is "          \
  "malformed; a feature has a different dtype or number of values; a required feature or list " \
  "is missing; the numbers of keys, types and shapes differ."
#define RAMET_SEQUENCES_DOC                                                                  \
  "Parses serialized messages of type SequenceExample, one or a vector. debug_name has the " \
  "names of the messages in errors, or is empty. " RAMET_SEQUENCE_DOC
#define RAMET_CONTEXT_OUTPUTS                                   \
  Output("context_sparse_indices: Ncontext_sparse * int64")     \
      .Output("context_sparse_values: context_sparse_types")    \
      .Output("context_sparse_shapes: Ncontext_sparse * int64") \
      .Output("context_dense_values: Tcontext_dense")
#define RAMET_LIST_OUTPUTS                                                \
  Output("feature_list_sparse_indices: Nfeature_list_sparse * int64")     \
      .Output("feature_list_sparse_values: feature_list_sparse_types")    \
      .Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64") \
      .Output("feature_list_dense_values: feature_list_dense_types")
#define RAMET_SEQUENCE_ATTRS                                                   \
  Attr("Ncontext_sparse: int >= 0 = 0")                                        \
      .Attr("Ncontext_dense: int >= 0 = 0")                                    \
      .Attr("Nfeature_list_sparse: int >= 0 = 0")                              \
      .Attr("Nfeature_list_dense: int >= 0 = 0")                               \
      .Attr("context_sparse_types: list({float,int64,string}) >= 0 = []")      \
      .Attr("Tcontext_dense: list({float,int64,string}) >= 0 = []")            \
      .Attr("feature_list_dense_types: list({float,int64,string}) >= 0 = []")  \
      .Attr("context_dense_shapes: list(shape) >= 0 = []")                     \
      .Attr("feature_list_sparse_types: list({float,int64,string}) >= 0 = []") \
      .Attr("feature_list_dense_shapes: list(shape) >= 0 = []")

RAMET_OP("ParseSequenceExample")
    .Input("serialized: string")
    .Input("debug_name: string")
    .Input("context_dense_defaults: Tcontext_dense")
    .RAMET_CONTEXT_OUTPUTS.RAMET_LIST_OUTPUTS
    .Output("feature_list_dense_lengths: Nfeature_list_dense * int64")
    .Attr("feature_list_dense_missing_assumed_empty: list(string) >= 0")
    .Attr("context_sparse_keys: list(string) >= 0")
    .Attr("context_dense_keys: list(string) >= 0")
    .Attr("feature_list_sparse_keys: list(string) >= 0")
    .Attr("feature_list_dense_keys: list(string) >= 0")
    .RAMET_SEQUENCE_ATTRS.Doc(RAMET_SEQUENCES_DOC)
    .Shape(ParseSequenceShape)
    .CpuKernelClass<ParseSequenceKernel<false>>();

RAMET_OP("ParseSequenceExampleV2")
    .Input("serialized: string")
    .Input("debug_name: string")
    .Input("context_sparse_keys: string")
    .Input("context_dense_keys: string")
    .Input("context_ragged_keys: string")
    .Input("feature_list_sparse_keys: string")
    .Input("feature_list_dense_keys: string")
    .Input("feature_list_ragged_keys: string")
    .Input("feature_list_dense_missing_assumed_empty: bool")
    .Input("context_dense_defaults: Tcontext_dense")
    .RAMET_CONTEXT_OUTPUTS.Output("context_ragged_values: context_ragged_value_types")
    .Output("context_ragged_row_splits: context_ragged_split_types")
    .RAMET_LIST_OUTPUTS.Output("feature_list_dense_lengths: Nfeature_list_dense * int64")
    .Output("feature_list_ragged_values: feature_list_ragged_value_types")
    .Output("feature_list_ragged_outer_splits: feature_list_ragged_split_types")
    .Output("feature_list_ragged_inner_splits: feature_list_ragged_split_types")
    .Attr("Ncontext_sparse: int >= 0 = 0")
    .Attr("Tcontext_dense: list({float,int64,string}) >= 0 = []")
    .Attr("context_sparse_types: list({float,int64,string}) >= 0 = []")
    .Attr("context_ragged_value_types: list({float,int64,string}) >= 0 = []")
    .Attr("context_ragged_split_types: list({int32,int64}) >= 0 = []")
    .Attr("context_dense_shapes: list(shape) >= 0 = []")
    .Attr("Nfeature_list_sparse: int >= 0 = 0")
    .Attr("Nfeature_list_dense: int >= 0 = 0")
    .Attr("feature_list_dense_types: list({float,int64,string}) >= 0 = []")
    .Attr("feature_list_sparse_types: list({float,int64,string}) >= 0 = []")
    .Attr("feature_list_ragged_value_types: list({float,int64,string}) >= 0 = []")
    .Attr("feature_list_ragged_split_types: list({int32,int64}) >= 0 = []")
    .Attr("feature_list_dense_shapes: list(shape) >= 0 = []")
    .Doc(RAMET_SEQUENCES_DOC)
    .Shape(ParseSequenceShape)
    .CpuKernelClass<ParseSequenceKernel<true>>();

RAMET_OP("ParseSingleSequenceExample")
    .Input("serialized: string")
    .Input("feature_list_dense_missing_assumed_empty: string")
    .Input("context_sparse_keys: Ncontext_sparse * string")
    .Input("context_dense_keys: Ncontext_dense * string")
    .Input("feature_list_sparse_keys: Nfeature_list_sparse * string")
    .Input("feature_list_dense_keys: Nfeature_list_dense * string")
    .Input("context_dense_defaults: Tcontext_dense")
    .Input("debug_name: string")
    .RAMET_CONTEXT_OUTPUTS.RAMET_LIST_OUTPUTS.RAMET_SEQUENCE_ATTRS
    .Doc(
        "Parses one serialized message of type SequenceExample. debug_name is its name in "
        "errors. " RAMET_SEQUENCE_DOC)
    .Shape(ParseSingleSequenceShape)
    .CpuKernelClass<ParseSingleSequenceKernel>();

}  // namespace
}  // namespace ramet
