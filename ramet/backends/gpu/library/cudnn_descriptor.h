#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ramet/backends/gpu/library/cudnn_api.h"
#include "ramet/base/status.h"

// Objects of cuDNN's backend API, which are described by attributes.
namespace ramet::gpu::cudnn {

// Releases an object of cuDNN.
using Descriptor = std::unique_ptr<void, api::Status (*)(api::Descriptor)>;

// Returns an error for a status of cuDNN; OK for success. `what` is the function.
// \error kResourceExhausted: the memory is full.
// \error kInternal: any other error.
Status StatusOf(const api::Functions& cudnn, api::Status status, std::string_view what);

// A DescriptorBuilder makes an object of cuDNN. It keeps the first error, and then does nothing.
class DescriptorBuilder {
 public:
  // `type` is one of k_CUDNN_BACKEND_....
  DescriptorBuilder(const api::Functions& cudnn, int type);

  DescriptorBuilder& Set(int attribute, int type, int64_t count, const void* values);
  DescriptorBuilder& Integers(int attribute, std::span<const int64_t> values) {
    return Set(attribute, api::k_CUDNN_TYPE_INT64, static_cast<int64_t>(values.size()),
               values.data());
  }
  DescriptorBuilder& Integer(int attribute, int64_t value) {
    return Integers(attribute, {&value, 1});
  }
  // Sets a value of an enum.
  DescriptorBuilder& Choice(int attribute, int type, int value) {
    return Set(attribute, type, 1, &value);
  }
  DescriptorBuilder& Object(int attribute, const Descriptor& object) {
    const api::Descriptor value = object.get();
    return Set(attribute, api::k_CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
  }
  DescriptorBuilder& Handle(int attribute, api::Handle* handle) {
    return Set(attribute, api::k_CUDNN_TYPE_HANDLE, 1, &handle);
  }
  // Returns the object, which can be used from now on.
  // \error as StatusOf.
  StatusOr<Descriptor> Finalize();

 private:
  const api::Functions& cudnn_;
  Status status_;
  Descriptor descriptor_;
};

// Returns an attribute of one or more numbers, of which there are at most `max_count`.
// \error as StatusOf.
template <class T>
StatusOr<std::vector<T>> Numbers(const api::Functions& cudnn, const Descriptor& from, int attribute,
                                 int type, int64_t max_count) {
  std::vector<T> values(static_cast<size_t>(max_count));
  int64_t count = 0;
  RAMET_RETURN_IF_ERROR(StatusOf(
      cudnn,
      cudnn.BackendGetAttribute(from.get(), attribute, type, max_count, &count, values.data()),
      "cudnnBackendGetAttribute"));
  values.resize(static_cast<size_t>(std::min(count, max_count)));
  return values;
}

// Returns an attribute of objects of a type.
// \error as StatusOf.
StatusOr<std::vector<Descriptor>> Objects(const api::Functions& cudnn, const Descriptor& from,
                                          int attribute, int type, int64_t count);

}  // namespace ramet::gpu::cudnn
