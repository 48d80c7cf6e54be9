#include "ramet/op/resource_handle.h"

#include <atomic>

#include "ramet/base/strings.h"

namespace ramet {
namespace {

struct HandleValue final : VariantValue {
  explicit HandleValue(std::shared_ptr<Resource> r) : resource(std::move(r)) {}
  std::string_view type_name() const override { return resource->type_name(); }
  const std::shared_ptr<Resource> resource;
};

}  // namespace

Tensor MakeHandle(std::shared_ptr<Resource> resource) {
  Tensor handle(DType::kResource, Shape());
  *static_cast<Variant*>(handle.raw_data()) =
      Variant(std::make_shared<HandleValue>(std::move(resource)));
  return handle;
}

std::shared_ptr<Resource> CarriedResource(const Tensor& handle) {
  if (handle.dtype() != DType::kResource || handle.num_elements() != 1) return nullptr;
  const auto* value = static_cast<const Variant*>(handle.raw_data())->get<HandleValue>();
  return value ? value->resource : nullptr;
}

std::string UniqueResourceName(std::string_view name) {
  static std::atomic<int64_t> made = 0;
  return StrCat(name, "_", made++);
}

}  // namespace ramet
