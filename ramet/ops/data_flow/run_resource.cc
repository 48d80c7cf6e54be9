#include "ramet/ops/data_flow/run_resource.h"

namespace ramet {
namespace {

StatusOr<std::shared_ptr<Resource>> FindByName(KernelContext& c, const Tensor& handle) {
  if (handle.dtype() != kString || handle.num_elements() != 2) {
    return InvalidArgument("Tensor array handle must be 2-element vector, but had shape: ",
                           handle.shape());
  }
  const auto parts = handle.flat<std::string>();
  if (auto resource = c.run_resources().Find(parts[0], parts[1])) return resource;
  return NotFound("Container ", parts[0], " has no resource ", parts[1], " in this run");
}

}  // namespace

Status OutputResource(KernelContext& c, DType form, std::string_view container,
                      const std::string& name, std::shared_ptr<Resource> resource) {
  if (form == DType::kResource) {
    c.SetOutput(0, MakeHandle(std::move(resource)));
    return OkStatus();
  }
  ResourceStore& run = c.run_resources();
  run.FindOrCreate(container, name, [&] { return resource; });
  const Tensor handle = Tensor::Vector<std::string>({std::string(container), name});
  if (!IsRef(form)) {
    c.SetOutput(0, handle);
    return OkStatus();
  }
  auto reference = run.FindOrCreateVariable(StrCat(container, " handles"), name);
  reference->Set(handle);
  c.SetRefOutput(0, reference.get());
  return OkStatus();
}

StatusOr<std::shared_ptr<Resource>> InputResource(KernelContext& c) {
  if (c.variable(0) != nullptr) {
    const Tensor handle = c.variable(0)->Read();
    if (handle.dtype() == kString) return FindByName(c, handle);
    return InvalidArgument(
        "input 0 must be the handle of a stack or a tensor array, but names "
        "the variable '",
        c.variable(0)->name(), "'");
  }
  if (c.input(0).dtype() == kString) return FindByName(c, c.input(0));
  if (auto resource = CarriedResource(c.input(0))) return resource;
  return InvalidArgument(
      "input 0 must be the handle of a stack or a tensor array, but it is not a handle");
}

}  // namespace ramet
