#include "ramet/ops/parsing/example_attrs.h"

namespace ramet {
namespace {

using Form = FeatureSpec::Form;

// The number of keys must be that of the attrs.
Status CheckKeyCount(size_t keys, size_t expected, std::string_view what) {
  if (keys == expected) return OkStatus();
  return InvalidArgument("Expected ", what, " but got: ", keys, " vs. ", expected);
}

}  // namespace

ExampleAttrs ExampleAttrs::Of(const AttrMap& attrs, std::string_view num_sparse) {
  return Of(attrs, attrs.GetOr<int64_t>(num_sparse, 0));
}

ExampleAttrs ExampleAttrs::Of(const AttrMap& attrs, int64_t num_sparse) {
  ExampleAttrs a;
  a.num_sparse = num_sparse;
  a.sparse_types = attrs.GetOr<std::vector<DType>>("sparse_types", {});
  a.dense_types = attrs.GetOr<std::vector<DType>>("Tdense", {});
  a.dense_shapes = attrs.GetOr<std::vector<Shape>>("dense_shapes", {});
  a.ragged_types = attrs.GetOr<std::vector<DType>>("ragged_value_types", {});
  a.ragged_splits = attrs.GetOr<std::vector<DType>>("ragged_split_types", {});
  return a;
}

Status ExampleAttrs::Check() const {
  if (num_sparse != std::ssize(sparse_types)) {
    return InvalidArgument("len(sparse_keys) != len(sparse_types)");
  }
  if (dense_shapes.size() != dense_types.size()) {
    return InvalidArgument("len(dense_keys) != len(dense_shapes)");
  }
  if (ragged_types.size() != ragged_splits.size()) {
    return InvalidArgument("len(ragged_value_types) != len(ragged_split_types)");
  }
  for (int i = 0; i < static_cast<int>(num_dense()); ++i) {
    RAMET_RETURN_IF_ERROR(DenseSpec(i, "", dense_types[i], dense_shapes[i]).status());
  }
  return OkStatus();
}

StatusOr<std::shared_ptr<const FeatureSpecs>> MakeFeatureSpecs(KernelContext& c,
                                                               const ExampleAttrs& attrs,
                                                               ExampleKeys keys,
                                                               int first_default) {
  RAMET_RETURN_IF_ERROR(CheckKeyCount(keys.dense.size(), attrs.dense_types.size(),
                                      "len(dense_keys) == len(dense_types)"));
  RAMET_RETURN_IF_ERROR(CheckKeyCount(keys.sparse.size(), attrs.sparse_types.size(),
                                      "len(sparse_keys) == num_sparse"));
  RAMET_RETURN_IF_ERROR(CheckKeyCount(keys.ragged.size(), attrs.ragged_types.size(),
                                      "len(ragged_keys) == len(ragged_value_types)"));
  std::vector<FeatureSpec> specs;
  for (size_t i = 0; i < keys.sparse.size(); ++i) {
    specs.push_back({std::move(keys.sparse[i]), Form::kSparse, attrs.sparse_types[i], {}, {}, {}});
  }
  for (int i = 0; i < static_cast<int>(keys.dense.size()); ++i) {
    RAMET_ASSIGN_OR_RETURN(
        FeatureSpec spec,
        DenseSpec(i, std::move(keys.dense[i]), attrs.dense_types[i], attrs.dense_shapes[i]));
    RAMET_ASSIGN_OR_RETURN(const Tensor fallback, c.input(first_default + i).Owned());
    RAMET_RETURN_IF_ERROR(SetFallback(i, fallback, &spec));
    specs.push_back(std::move(spec));
  }
  for (size_t i = 0; i < keys.ragged.size(); ++i) {
    specs.push_back({std::move(keys.ragged[i]),
                     Form::kRagged,
                     attrs.ragged_types[i],
                     {},
                     {},
                     attrs.ragged_splits[i]});
  }
  return std::make_shared<const FeatureSpecs>(std::move(specs));
}

}  // namespace ramet
