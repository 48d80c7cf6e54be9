#include <atomic>

#include "ramet/op/op.h"
#include "ramet/ops/queue/session_resource.h"

namespace ramet {
namespace {

// A StoredTensor is a value that stays in the session between runs, with a handle. Thread-safe.
class StoredTensor final : public Resource {
 public:
  static constexpr std::string_view kKind = "stored tensor";
  explicit StoredTensor(Tensor value) : value_(std::move(value)) {}
  std::string_view type_name() const override { return kKind; }
  // Returns the value; empty if it was deleted.
  Tensor Get() const {
    MutexLock lock(mutex_);
    return value_;
  }
  // Returns false if it was deleted before.
  bool Delete() {
    MutexLock lock(mutex_);
    const bool existed = !value_.empty();
    value_ = Tensor();
    return existed;
  }

 private:
  mutable Mutex mutex_;
  Tensor value_ RAMET_GUARDED_BY(mutex_);
};

constexpr std::string_view kStoreContainer = "session store";

std::shared_ptr<StoredTensor> FindStored(KernelContext& c, const std::string& handle) {
  return std::dynamic_pointer_cast<StoredTensor>(c.env().resources->Find(kStoreContainer, handle));
}

class GetHandleKernel final : public Kernel {
 public:
  explicit GetHandleKernel(const KernelNode& node)
      : node_(node.name), as_resource_(node.output_types[0] == DType::kResource) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<GetHandleKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    static std::atomic<int64_t> made = 0;
    RAMET_ASSIGN_OR_RETURN(Tensor value, c.input(0).Owned());
    auto stored = std::make_shared<StoredTensor>(std::move(value));
    const std::string handle =
        StrCat(node_, ";", made++, ";/job:localhost/replica:0/task:0/device:CPU:0");
    c.env().resources->FindOrCreate(kStoreContainer, handle, [&] { return stored; });
    c.SetOutput(0, as_resource_ ? MakeHandle(stored) : Tensor(handle));
    return OkStatus();
  }

 private:
  const std::string node_;
  const bool as_resource_;
};

StatusOr<std::string> HandleText(const Tensor& handle) {
  if (handle.num_elements() == 1) return handle.scalar<std::string>();
  return InvalidArgument("handle must be a scalar, but has shape ", handle.shape());
}

class GetTensorKernel final : public Kernel {
 public:
  explicit GetTensorKernel(const KernelNode& node)
      : node_(node.name), dtype_(node.output_types[0]) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<GetTensorKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const std::string handle, HandleText(c.input(0)));
    const auto stored = FindStored(c, handle);
    Tensor value = stored ? stored->Get() : Tensor();
    if (value.empty()) {
      return InvalidArgument("The tensor with handle '", handle, "' is not in the session store.");
    }
    if (value.dtype() != dtype_) {
      return Internal("Output 0 of type ", DTypeName(value.dtype()),
                      " does not match declared output type ", DTypeName(dtype_), " for node ",
                      node_);
    }
    c.SetOutput(0, std::move(value));
    return OkStatus();
  }

 private:
  const std::string node_;
  const DType dtype_;
};

Status DeleteStored(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const std::string handle, HandleText(c.input(0)));
  const auto stored = FindStored(c, handle);
  if (stored && stored->Delete()) return OkStatus();
  return InvalidArgument("Failed to delete a tensor with handle '", handle,
                         "' in the session store.");
}

constexpr char kGetHandleDoc[] =
    "Keeps a value in the session and returns a handle of it, for later runs.";

RAMET_OP("GetSessionHandle")
    .Input("value: T")
    .Output("handle: string")
    .Attr("T: type")
    .Stateful()
    .Doc(kGetHandleDoc)
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernelClass<GetHandleKernel>();

RAMET_OP("GetSessionHandleV2")
    .Input("value: T")
    .Output("handle: resource")
    .Attr("T: type")
    .Stateful()
    .Doc(kGetHandleDoc)
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernelClass<GetHandleKernel>();

RAMET_OP("GetSessionTensor")
    .Input("handle: string")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Stateful()
    .Doc(
        "Returns the value of a handle of GetSessionHandle. Error: the session does not have it "
        "(any longer); its dtype is different (kInternal).")
    .Shape(UnknownShape)
    .NotDifferentiable()
    .CpuKernelClass<GetTensorKernel>();

RAMET_OP("DeleteSessionTensor")
    .Input("handle: string")
    .Stateful()
    .Doc("Deletes the value of a handle. Error: the session does not have it (any longer).")
    .Shape(NoOutputs)
    .NotDifferentiable()
    .CpuKernel(DeleteStored);

}  // namespace
}  // namespace ramet
