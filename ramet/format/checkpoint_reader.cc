#include "ramet/format/checkpoint_reader.h"

#include <utility>
#include <variant>

#include "ramet/format/v1_reader.h"
#include "ramet/proto/types.pb.h"

namespace ramet {
namespace {

std::string ProtoName(DType dtype) {
  const std::string name = DataType_Name(static_cast<DataType>(dtype));
  return name.empty() ? DTypeName(dtype) : name;
}

StatusOr<Tensor> ReadOneV1(V1Reader& reader, const BundleRequest& request, Allocator* allocator) {
  RAMET_ASSIGN_OR_RETURN(const CheckpointTensor stored, reader.Find(request.name));
  if (request.dtype != DType::kInvalid && request.dtype != stored.dtype) {
    return InvalidArgument("Expected to restore a tensor of type ", DTypeName(request.dtype),
                           ", got a tensor of type ", DTypeName(stored.dtype),
                           " instead: tensor_name = ", request.name);
  }
  if (request.shape_and_slice.empty()) return reader.Read(request.name, allocator);
  StatusOr<ShapeAndSlice> spec = ParseShapeAndSlice(request.shape_and_slice);
  if (!spec.ok()) return spec.status().WithContext(StrCat("tensor_name = ", request.name));
  if (spec->full_shape != stored.shape) {
    return InvalidArgument(
        "Shape in shape_and_slice spec does not match the shape in the save file: ",
        spec->full_shape, ", save file shape: ", stored.shape, ": tensor_name = ", request.name);
  }
  return reader.ReadSlice(request.name, spec->slice, allocator);
}

}  // namespace

class CheckpointReader::Impl {
 public:
  Impl(std::string prefix, std::variant<V1Reader, BundleReader> reader)
      : prefix_(std::move(prefix)), reader_(std::move(reader)) {}
  const std::string& prefix() const { return prefix_; }
  V1Reader* v1() { return std::get_if<V1Reader>(&reader_); }
  BundleReader* v2() { return std::get_if<BundleReader>(&reader_); }

 private:
  std::string prefix_;
  std::variant<V1Reader, BundleReader> reader_;
};

CheckpointReader::CheckpointReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CheckpointReader::CheckpointReader(CheckpointReader&&) noexcept = default;
CheckpointReader& CheckpointReader::operator=(CheckpointReader&&) noexcept = default;
CheckpointReader::~CheckpointReader() = default;

StatusOr<CheckpointReader> CheckpointReader::Open(const std::string& prefix) {
  if (BundleExists(prefix)) {
    RAMET_ASSIGN_OR_RETURN(BundleReader reader, BundleReader::Open(prefix));
    return CheckpointReader(std::make_unique<Impl>(prefix, std::move(reader)));
  }
  RAMET_ASSIGN_OR_RETURN(V1Reader reader, V1Reader::Open(prefix));
  return CheckpointReader(std::make_unique<Impl>(prefix, std::move(reader)));
}

const std::string& CheckpointReader::prefix() const { return impl_->prefix(); }
BundleReader* CheckpointReader::bundle() { return impl_->v2(); }
CheckpointFormat CheckpointReader::format() const {
  return impl_->v2() != nullptr ? CheckpointFormat::kV2 : CheckpointFormat::kV1;
}

StatusOr<std::vector<CheckpointTensor>> CheckpointReader::List() {
  if (impl_->v2() != nullptr) return impl_->v2()->List();
  return impl_->v1()->List();
}

StatusOr<bool> CheckpointReader::Has(std::string_view name) {
  if (impl_->v1() != nullptr) return impl_->v1()->Has(name);
  const Status found = impl_->v2()->Find(name).status();
  if (found.ok() || IsNotFound(found)) return found.ok();
  return found;
}

StatusOr<CheckpointTensor> CheckpointReader::Find(std::string_view name) {
  return impl_->v2() != nullptr ? impl_->v2()->Find(name) : impl_->v1()->Find(name);
}

StatusOr<Tensor> CheckpointReader::Read(std::string_view name, Allocator* allocator) {
  return impl_->v2() != nullptr ? impl_->v2()->Read(name, allocator)
                                : impl_->v1()->Read(name, allocator);
}

StatusOr<Tensor> CheckpointReader::ReadSlice(std::string_view name, const TensorSlice& slice,
                                             Allocator* allocator) {
  return impl_->v2() != nullptr ? impl_->v2()->ReadSlice(name, slice, allocator)
                                : impl_->v1()->ReadSlice(name, slice, allocator);
}

StatusOr<std::string> CheckpointReader::DebugString() {
  RAMET_ASSIGN_OR_RETURN(const std::vector<CheckpointTensor> tensors, List());
  std::string text;
  for (const CheckpointTensor& tensor : tensors) {
    text += StrCat(tensor.name, " (", ProtoName(tensor.dtype), ") ", tensor.shape);
    if (!tensor.slices.empty()) text += StrCat(", ", tensor.slices.size(), " slices");
    text += '\n';
  }
  return text;
}

StatusOr<std::vector<Tensor>> ReadV1(const std::string& pattern,
                                     std::span<const BundleRequest> requests,
                                     Allocator* allocator) {
  RAMET_ASSIGN_OR_RETURN(V1Reader reader, V1Reader::Open(pattern));
  std::vector<Tensor> tensors;
  for (const BundleRequest& request : requests) {
    RAMET_ASSIGN_OR_RETURN(Tensor tensor, ReadOneV1(reader, request, allocator));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

StatusOr<std::vector<Tensor>> ReadCheckpoint(const std::string& prefix,
                                             std::span<const BundleRequest> requests,
                                             Allocator* allocator) {
  return BundleExists(prefix) ? ReadBundle(prefix, requests, allocator)
                              : ReadV1(prefix, requests, allocator);
}

}  // namespace ramet
