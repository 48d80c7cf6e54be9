#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/op/kernel.h"
#include "ramet/ops/parsing/feature_spec.h"

namespace ramet {

// The attrs of ops that parse messages of type Example that describe the features.
struct ExampleAttrs {
  int64_t num_sparse = 0;
  std::vector<DType> sparse_types, dense_types, ragged_types, ragged_splits;
  std::vector<Shape> dense_shapes;

  // `num_sparse` is the number of sparse features, or the name of the attr with it.
  static ExampleAttrs Of(const AttrMap& attrs, std::string_view num_sparse);
  static ExampleAttrs Of(const AttrMap& attrs, int64_t num_sparse);
  int64_t num_dense() const { return std::ssize(dense_types); }
  // \error kInvalidArgument: the lengths do not fit together; a dense shape is not known.
  Status Check() const;
};

// The keys of the features.
struct ExampleKeys {
  using List = std::vector<std::string>;
  List sparse, dense, ragged;
};

// Makes the specs in the order sparse, dense, ragged. The default values of dense features are
// inputs from `first_default` on.
// \error kInvalidArgument: the numbers of keys are not those of the attrs; a default value does not
//   fit.
StatusOr<std::shared_ptr<const FeatureSpecs>> MakeFeatureSpecs(KernelContext& c,
                                                               const ExampleAttrs& attrs,
                                                               ExampleKeys keys, int first_default);

}  // namespace ramet
