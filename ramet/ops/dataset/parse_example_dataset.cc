#include <map>

#include "ramet/ops/dataset/dataset_args.h"
#include "ramet/ops/dataset/parallel_map.h"
#include "ramet/ops/parsing/example_attrs.h"
#include "ramet/ops/parsing/example_parser.h"
#include "ramet/ops/sparse/serialized_tensor.h"
#include "ramet/tensor/host_allocator.h"

// ParseExampleDatasetV2 and its older forms.

namespace ramet {
namespace {

// The features of a dataset and the component that each becomes: keys are in alphabetical order.
struct ParsedFeatures {
  std::shared_ptr<const FeatureSpecs> specs;
  std::vector<size_t> places;  // of each spec
};

StatusOr<Tensor> ComponentOf(FeatureColumn& column, Allocator* allocator) {
  std::vector<Tensor> parts;
  const auto add = [&](StatusOr<Tensor> part) -> Status {
    if (part.ok()) parts.push_back(*std::move(part));
    return part.status();
  };
  switch (column.spec().form) {
    case FeatureSpec::Form::kSparse:
      RAMET_RETURN_IF_ERROR(add(column.SparseIndices(allocator)));
      RAMET_RETURN_IF_ERROR(add(column.Values(allocator)));
      RAMET_RETURN_IF_ERROR(add(column.SparseShape(allocator)));
      return VariantsOf(std::move(parts));
    case FeatureSpec::Form::kRagged:
      RAMET_RETURN_IF_ERROR(add(column.RowSplits(allocator)));
      RAMET_RETURN_IF_ERROR(add(column.Values(allocator)));
      return VariantsOf(std::move(parts));
    default: return column.Dense(allocator);
  }
}

StatusOr<Element> ParseBatch(const ParsedFeatures& features, const Element& batch) {
  Allocator* const allocator = HostAllocator();
  RAMET_ASSIGN_OR_RETURN(auto columns,
                         ExampleParser::Parse(*features.specs, FeatureColumn::Rank::kBatch,
                                              batch[0].flat<std::string>(), {}, allocator));
  Element element(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(element[features.places[i]], ComponentOf(columns[i], allocator));
  }
  return element;
}

// Returns the position of each key in the sorted list of all.
// \error kInvalidArgument: a key occurs twice.
StatusOr<std::vector<size_t>> PlacesOf(const FeatureSpecs& specs) {
  std::map<std::string_view, size_t> sorted;
  for (const FeatureSpec& spec : specs) sorted.emplace(spec.key, 0);
  if (std::ssize(sorted) != specs.size()) {
    return InvalidArgument("each key may occur once, but there are ", specs.size(), " keys and ",
                           sorted.size(), " different ones");
  }
  size_t next = 0;
  for (auto& [key, place] : sorted) place = next++;
  std::vector<size_t> places;
  for (const FeatureSpec& spec : specs) places.push_back(sorted[spec.key]);
  return places;
}

StatusOr<ParsedFeatures> FeaturesOf(DatasetArgs& args) {
  const AttrMap& attrs = args.attrs();
  ExampleKeys keys{attrs.GetOr<ExampleKeys::List>("sparse_keys", {}),
                   attrs.GetOr<ExampleKeys::List>("dense_keys", {}),
                   attrs.GetOr<ExampleKeys::List>("ragged_keys", {})};
  const auto example_attrs = ExampleAttrs::Of(attrs, std::ssize(keys.sparse));
  RAMET_RETURN_IF_ERROR(example_attrs.Check());
  ParsedFeatures features;
  RAMET_ASSIGN_OR_RETURN(features.specs,
                         MakeFeatureSpecs(args.context(), example_attrs, std::move(keys), 2));
  RAMET_ASSIGN_OR_RETURN(features.places, PlacesOf(*features.specs));
  return features;
}

Status CheckComponentTypes(const ParsedFeatures& features, const ElementSpec& spec) {
  if (std::ssize(spec.types) != features.specs->size()) {
    return InvalidArgument("output_types has ", spec.types.size(), " elements, but there are ",
                           features.specs->size(), " keys");
  }
  for (int i = 0; i < features.specs->size(); ++i) {
    const FeatureSpec& feature = (*features.specs)[i];
    const DType type = feature.dense() ? feature.dtype : DType::kVariant;
    const DType found = spec.types[features.places[static_cast<size_t>(i)]];
    if (found == type) continue;
    return InvalidArgument("the component of key '", feature.key, "' has type ", DTypeName(type),
                           ", but output_types has ", DTypeName(found));
  }
  return OkStatus();
}

StatusOr<std::shared_ptr<Dataset>> MakeParseExampleDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.InputDataset());
  if (input->spec().types != std::vector<DType>{kString}) {
    return InvalidArgument("a dataset of vectors of strings was expected");
  }
  RAMET_ASSIGN_OR_RETURN(const int64_t calls, args.Int(1, "num_parallel_calls"));
  if (calls < 1 && calls != -1) {
    return InvalidArgument("num_parallel_calls must be greater than zero.");
  }
  RAMET_ASSIGN_OR_RETURN(const ParsedFeatures features, FeaturesOf(args));
  RAMET_RETURN_IF_ERROR(CheckComponentTypes(features, args.spec()));
  const int64_t cardinality = input->cardinality();
  ElementFunction parse = [features](NextContext&, Element& batch) {
    return ParseBatch(features, batch);
  };
  return Dataset::Make(args.spec(), {std::move(input)},
                       ParallelMapFactory(std::move(parse), ParallelCalls(calls)), cardinality);
}

#define RAMET_PARSE_EXAMPLE_DATASET(name)                    \
  RAMET_OP(name)                                             \
      .Input("input_dataset: variant")                       \
      .Input("num_parallel_calls: int64")                    \
      .Input("dense_defaults: Tdense")                       \
      .Output("handle: variant")                             \
      .Attr("sparse_keys: list(string) >= 0")                \
      .Attr("dense_keys: list(string) >= 0")                 \
      .Attr("sparse_types: list({float,int64,string}) >= 0") \
      .Attr("Tdense: list({float,int64,string}) >= 0")       \
      .Attr("dense_shapes: list(shape) >= 0")                \
      .Attr("output_types: list(type) >= 1")                 \
      .Attr("output_shapes: list(shape) >= 1")               \
      .HostMemory({"num_parallel_calls", "dense_defaults"})  \
      .Shape(DatasetShape)                                   \
      .CpuKernelClass<DatasetKernel<&MakeParseExampleDataset>>()

RAMET_PARSE_EXAMPLE_DATASET("ParseExampleDatasetV2")
    .Attr("deterministic: string = 'default'")
    .Attr("ragged_keys: list(string) >= 0 = []")
    .Attr("ragged_value_types: list({float,int64,string}) >= 0 = []")
    .Attr("ragged_split_types: list({int32,int64}) >= 0 = []")
    .Doc(
        "Makes a dataset of the features of batches of serialized messages of type Example, as "
        "ParseExampleV2 parses them, with num_parallel_calls batches at a time on threads. The "
        "components are in the alphabetical order of the keys; those of sparse_keys and "
        "ragged_keys are vectors of variants. Error: those of ParseExampleV2; a key occurs twice; "
        "the elements of input_dataset are not strings; num_parallel_calls is 0 or less than -1.");

RAMET_PARSE_EXAMPLE_DATASET("ParseExampleDataset")
    .Attr("sloppy: bool = false")
    .Attr("ragged_keys: list(string) >= 0 = []")
    .Attr("ragged_value_types: list({float,int64,string}) >= 0 = []")
    .Attr("ragged_split_types: list({int32,int64}) >= 0 = []")
    .Doc("Like ParseExampleDatasetV2.");

RAMET_PARSE_EXAMPLE_DATASET("ExperimentalParseExampleDataset")
    .Attr("sloppy: bool = false")
    .Doc("Like ParseExampleDatasetV2.");

}  // namespace
}  // namespace ramet
