#pragma once

#include <span>
#include <vector>

#include "ramet/replica/published_model.h"
#include "ramet/replica/transport.h"

namespace ramet {

// A ValuePreparer makes values publishable. Values that are in the memory of the transport stay
// there; others are copied or converted. Not thread-safe.
class ValuePreparer {
 public:
  // The arguments must outlive the ValuePreparer.
  ValuePreparer(std::span<PublishedVariable> variables, const ReplicaSignature& signature,
                PublisherTransport& transport);

  // Returns memory for the value of variable `i`, which is elsewhere: publishable, unless the value
  // is converted.
  // \error as for PublisherTransport::AllocatePublishable.
  StatusOr<Tensor> AllocateHost(size_t i);
  // Prepares `taken`, the values of the variables in host memory. The copy of a value replaces the
  // variable's own value, so that the next version does not copy it again.
  // \error kResourceExhausted: there is no room for a value.
  // \error kInvalidArgument: values cannot be converted. The message names the variable.
  Status Prepare(std::span<const Tensor> taken);
  // The arguments for PublisherTransport::Publish.
  std::span<const Tensor> values() const { return values_; }
  std::span<const Tensor> sources() const { return sources_; }
  // Releases the values and the sources.
  void Clear();

 private:
  Status PrepareWhole(PublishedVariable& variable, const Tensor& value);
  Status PrepareConverted(PublishedVariable& variable, const Tensor& value);
  Status Convert(PublishedVariable& variable, const Tensor& value);

  const std::span<PublishedVariable> variables_;
  const ReplicaSignature& signature_;
  PublisherTransport& transport_;
  bool converts_ = false;
  std::vector<Tensor> values_;   // in the order of signature_
  std::vector<Tensor> sources_;  // values before conversion, in the order of signature_
};

}  // namespace ramet
