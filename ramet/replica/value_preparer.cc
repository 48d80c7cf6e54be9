#include "ramet/replica/value_preparer.h"

#include <algorithm>

#include "ramet/base/strings.h"

namespace ramet {

ValuePreparer::ValuePreparer(std::span<PublishedVariable> variables,
                             const ReplicaSignature& signature, PublisherTransport& transport)
    : variables_(variables), signature_(signature), transport_(transport) {
  converts_ = std::ranges::any_of(
      variables, [](const PublishedVariable& v) { return v.conversion != Conversion::kNone; });
}

StatusOr<Tensor> ValuePreparer::AllocateHost(size_t i) {
  const PublishedVariable& variable = variables_[i];
  if (variable.conversion != Conversion::kNone) {
    return Tensor::Allocate(variable.dtype, variable.shape);
  }
  return transport_.AllocatePublishable(variable.dtype, variable.shape);
}

Status ValuePreparer::Prepare(std::span<const Tensor> taken) {
  values_.resize(signature_.size());
  sources_.resize(converts_ ? signature_.size() : 0);
  for (size_t i = 0; i < variables_.size(); ++i) {
    PublishedVariable& variable = variables_[i];
    RAMET_RETURN_IF_ERROR(variable.conversion == Conversion::kNone
                              ? PrepareWhole(variable, taken[i])
                              : PrepareConverted(variable, taken[i]));
  }
  return OkStatus();
}

void ValuePreparer::Clear() {
  for (auto* tensors : {&values_, &sources_}) {
    for (Tensor& tensor : *tensors) tensor = Tensor();
  }
}

Status ValuePreparer::PrepareWhole(PublishedVariable& variable, const Tensor& value) {
  RAMET_ASSIGN_OR_RETURN(Tensor publishable, transport_.MakePublishable(value));
  if (publishable.buffer().get() != value.buffer().get()) {
    variable.state->Move(value, publishable);
  }
  values_[variable.entry] = std::move(publishable);
  return OkStatus();
}

// A value that has not changed since the last version is not converted again.
Status ValuePreparer::PrepareConverted(PublishedVariable& variable, const Tensor& value) {
  if (variable.converted.empty() || variable.source.buffer().get() != value.buffer().get()) {
    variable.source = variable.converted = variable.scales = Tensor();
    RAMET_RETURN_IF_ERROR(Convert(variable, value));
    variable.source = value;
  }
  values_[variable.entry] = variable.converted;
  if (variable.conversion == Conversion::kInt8) values_[variable.entry + 1] = variable.scales;
  sources_[variable.entry] = variable.source;
  return OkStatus();
}

Status ValuePreparer::Convert(PublishedVariable& variable, const Tensor& value) {
  Quantized made;
  if (variable.conversion == Conversion::kInt8) {
    auto quantized = Quantize(value, HostAllocator());
    if (!quantized.ok()) {
      return Status(quantized.status().code(),
                    StrCat("variable '", variable.name, "': ", quantized.status().message()));
    }
    made = *std::move(quantized);
    RAMET_ASSIGN_OR_RETURN(variable.scales, transport_.MakePublishable(made.scales));
  } else {
    const DType to = signature_[variable.entry].dtype;
    RAMET_ASSIGN_OR_RETURN(made.values, ConvertFloating(value, to, HostAllocator()));
  }
  RAMET_ASSIGN_OR_RETURN(variable.converted, transport_.MakePublishable(made.values));
  return OkStatus();
}

}  // namespace ramet
