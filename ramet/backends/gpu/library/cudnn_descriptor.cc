#include "ramet/backends/gpu/library/cudnn_descriptor.h"

namespace ramet::gpu::cudnn {
namespace {

// Version 8 has 2; version 9 has one for the host and one for the device.
bool IsOutOfMemory(api::Status status) { return status == 2 || status == 4003 || status == 4004; }

StatusOr<Descriptor> Create(const api::Functions& cudnn, int type) {
  api::Descriptor made = nullptr;
  RAMET_RETURN_IF_ERROR(
      StatusOf(cudnn, cudnn.BackendCreateDescriptor(type, &made), "cudnnBackendCreateDescriptor"));
  return Descriptor(made, cudnn.BackendDestroyDescriptor);
}

}  // namespace

Status StatusOf(const api::Functions& cudnn, api::Status status, std::string_view what) {
  if (status == api::k_CUDNN_STATUS_SUCCESS) return OkStatus();
  const char* const text = cudnn.GetErrorString(status);
  return Status(
      IsOutOfMemory(status) ? Code::kResourceExhausted : Code::kInternal,
      StrCat(what, " failed with status ", status, " (", text != nullptr ? text : "unknown", ")"));
}

DescriptorBuilder::DescriptorBuilder(const api::Functions& cudnn, int type)
    : cudnn_(cudnn), descriptor_(nullptr, cudnn.BackendDestroyDescriptor) {
  auto made = Create(cudnn, type);
  status_ = made.status();
  if (made.ok()) descriptor_ = *std::move(made);
}

DescriptorBuilder& DescriptorBuilder::Set(int attribute, int type, int64_t count,
                                          const void* values) {
  if (!status_.ok()) return *this;
  status_ = StatusOf(cudnn_,
                     cudnn_.BackendSetAttribute(descriptor_.get(), attribute, type, count, values),
                     StrCat("cudnnBackendSetAttribute of ", attribute));
  return *this;
}

StatusOr<Descriptor> DescriptorBuilder::Finalize() {
  RAMET_RETURN_IF_ERROR(status_);
  RAMET_RETURN_IF_ERROR(
      StatusOf(cudnn_, cudnn_.BackendFinalize(descriptor_.get()), "cudnnBackendFinalize"));
  return std::move(descriptor_);
}

StatusOr<std::vector<Descriptor>> Objects(const api::Functions& cudnn, const Descriptor& from,
                                          int attribute, int type, int64_t count) {
  std::vector<Descriptor> objects;
  std::vector<api::Descriptor> addresses;
  for (int64_t i = 0; i < count; ++i) {
    RAMET_ASSIGN_OR_RETURN(Descriptor object, Create(cudnn, type));
    addresses.push_back(object.get());
    objects.push_back(std::move(object));
  }
  int64_t found = 0;
  RAMET_RETURN_IF_ERROR(StatusOf(
      cudnn,
      cudnn.BackendGetAttribute(from.get(), attribute, api::k_CUDNN_TYPE_BACKEND_DESCRIPTOR, count,
                                &found, addresses.data()),
      "cudnnBackendGetAttribute"));
  while (static_cast<int64_t>(objects.size()) > found) objects.pop_back();
  return objects;
}

}  // namespace ramet::gpu::cudnn
