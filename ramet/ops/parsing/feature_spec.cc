#include "ramet/ops/parsing/feature_spec.h"

namespace ramet {

Shape FeatureSpec::declared_shape() const {
  return form == Form::kPadded ? Shape{Shape::kUnknownDim}.Concatenate(shape) : shape;
}

FeatureSpecs::FeatureSpecs(std::vector<FeatureSpec> features) : features_(std::move(features)) {
  for (int i = 0; i < size(); ++i) {
    const auto [at, fresh] = index_.try_emplace(features_[i].key, i);
    if (!fresh) at->second = kNone;
  }
}

std::vector<std::string> StringsOf(const Tensor& t) {
  const auto strings = t.flat<std::string>();
  return {strings.begin(), strings.end()};
}

StatusOr<FeatureSpec> DenseSpec(int i, std::string key, DType dtype, const Shape& declared) {
  bool known = !declared.unknown_rank();
  for (int d = 1; known && d < declared.rank(); ++d) {
    known = declared.dim(d) != Shape::kUnknownDim;
  }
  if (!known) {
    return InvalidArgument("dense_shapes[", i,
                           "] has unknown rank or unknown inner dimensions: ", declared);
  }
  FeatureSpec spec{std::move(key), FeatureSpec::Form::kFixed, dtype, declared, {}, {}};
  if (declared.rank() > 0 && declared.dim(0) == Shape::kUnknownDim) {
    spec.form = FeatureSpec::Form::kPadded;
    spec.shape = declared.Slice(1, declared.rank());
  }
  return spec;
}

Status SetFallback(int i, const Tensor& fallback, FeatureSpec* spec) {
  if (spec->form == FeatureSpec::Form::kPadded) {
    if (fallback.num_elements() != 1) {
      return InvalidArgument("dense_shape[", i,
                             "] is a variable length shape: ", spec->declared_shape(),
                             ", therefore def_value[", i,
                             "] must contain a single element (the padding element).  But its "
                             "shape is: ",
                             fallback.shape());
    }
  } else if (fallback.num_elements() > 0 && !spec->shape.IsCompatibleWith(fallback.shape())) {
    return InvalidArgument("def_value[", i, "].shape() == ", fallback.shape(),
                           " is not compatible with dense_shapes_[", i, "] == ", spec->shape);
  }
  if (fallback.dtype() != spec->dtype) {
    return InvalidArgument("dense_defaults[", i, "].dtype() == ", DTypeName(fallback.dtype()),
                           " != dense_types_[", i, "] == ", DTypeName(spec->dtype));
  }
  spec->fallback = fallback;
  return OkStatus();
}

}  // namespace ramet
