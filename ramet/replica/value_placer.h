#pragma once

#include <span>
#include <vector>

#include "ramet/replica/published_model.h"
#include "ramet/replica/transport.h"

namespace ramet {

// Brings values to where they are published: as they are, without a copy where they are there
// already, or converted. One thread at a time.
class ValuePlacer {
 public:
  // All of them outlive it.
  ValuePlacer(std::span<PublishedVariable> variables, const ReplicaSignature& signature,
              PublisherTransport& transport);

  // `taken` are the variables' values. A value that is copied takes the place of the variable's
  // own, so that the next version finds it there. \error kResourceExhausted; kInvalidArgument
  // naming the
  //   variable whose values cannot be converted.
  Status Place(std::span<const Tensor> taken);
  // As PublisherTransport::Publish takes them.
  std::span<const Tensor> values() const { return values_; }
  std::span<const Tensor> sources() const { return sources_; }
  // Lets go of both.
  void Clear();

 private:
  Status PlaceWhole(PublishedVariable& variable, const Tensor& value);
  Status PlaceConverted(PublishedVariable& variable, const Tensor& value);
  Status Convert(PublishedVariable& variable, const Tensor& value);

  const std::span<PublishedVariable> variables_;
  const ReplicaSignature& signature_;
  PublisherTransport& transport_;
  bool converts_ = false;
  std::vector<Tensor> values_;   // by signature_
  std::vector<Tensor> sources_;  // likewise, of what is converted
};

}  // namespace ramet
