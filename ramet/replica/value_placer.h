#pragma once

#include <span>
#include <vector>

#include "ramet/replica/published_model.h"
#include "ramet/replica/transport.h"

namespace ramet {

// A ValuePlacer brings values to where they can be published. Values that are already there are not
// copied; others are copied or converted. Not thread-safe.
class ValuePlacer {
 public:
  // The arguments must outlive the ValuePlacer.
  ValuePlacer(std::span<PublishedVariable> variables, const ReplicaSignature& signature,
              PublisherTransport& transport);

  // Places `taken`, the values of the variables. The copy of a value replaces the variable's own
  // value, so that the next version finds it in place.
  // \error kResourceExhausted: there is no room for a value.
  // \error kInvalidArgument: values cannot be converted. The message names the variable.
  Status Place(std::span<const Tensor> taken);
  // The arguments for PublisherTransport::Publish.
  std::span<const Tensor> values() const { return values_; }
  std::span<const Tensor> sources() const { return sources_; }
  // Releases the values and the sources.
  void Clear();

 private:
  Status PlaceWhole(PublishedVariable& variable, const Tensor& value);
  Status PlaceConverted(PublishedVariable& variable, const Tensor& value);
  Status Convert(PublishedVariable& variable, const Tensor& value);

  const std::span<PublishedVariable> variables_;
  const ReplicaSignature& signature_;
  PublisherTransport& transport_;
  bool converts_ = false;
  std::vector<Tensor> values_;   // in the order of signature_
  std::vector<Tensor> sources_;  // values before conversion, in the order of signature_
};

}  // namespace ramet
