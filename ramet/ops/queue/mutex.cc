#include "ramet/op/op.h"
#include "ramet/op/resource_handle.h"
#include "ramet/ops/queue/session_resource.h"
#include "ramet/ops/queue/waiting_room.h"

namespace ramet {
namespace {

// A SessionMutex is held by one run at a time; others wait in the order in which they came.
// Thread-safe.
class SessionMutex final : public Resource {
 public:
  static constexpr std::string_view kKind = "mutex";
  std::string_view type_name() const override { return kKind; }
  Status CheckSame(const SessionMutex&) const { return OkStatus(); }

  Status Acquire(const Cancellation* cancellation) {
    const auto step = [this](Status&) {
      if (held_) return Progress::kNone;
      held_ = true;
      return Progress::kDone;
    };
    return room_.Perform(cancellation, line_, "MutexLock", step, [] {});
  }
  void Release() {
    MutexLock lock(room_.mutex());
    held_ = false;
    room_.Advance();
  }

 private:
  WaitingRoom room_;
  WaitingRoom::Line line_;
  bool held_ = false;
};

// Releases the mutex when the last tensor that carries it is gone, or earlier.
struct HeldMutex final : VariantValue {
  explicit HeldMutex(std::shared_ptr<SessionMutex> m) : mutex(std::move(m)) {}
  ~HeldMutex() override { mutex->Release(); }
  HeldMutex(const HeldMutex&) = delete;
  HeldMutex& operator=(const HeldMutex&) = delete;
  std::string_view type_name() const override { return "mutex lock"; }
  const std::shared_ptr<SessionMutex> mutex;
};

StatusOr<std::shared_ptr<SessionMutex>> MakeSessionMutex(const KernelNode&, const std::string&) {
  return std::make_shared<SessionMutex>();
}

Status LockMutex(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto mutex, SessionResourceAs<SessionMutex>(c));
  RAMET_RETURN_IF_ERROR(mutex->Acquire(c.cancellation()));
  const auto held = std::make_shared<HeldMutex>(std::move(mutex));
  Tensor lock(DType::kVariant, Shape());
  *static_cast<Variant*>(lock.raw_data()) = Variant(held);
  c.SetOutput(0, std::move(lock));
  return OkStatus();
}

Status ConsumeLock(KernelContext& c) {
  const Tensor& lock = c.input(0);
  const bool is_lock =
      lock.num_elements() == 1 && static_cast<const Variant*>(lock.raw_data())->get<HeldMutex>();
  return is_lock ? OkStatus() : InvalidArgument("Expected input to be a mutex lock");
}

RAMET_OP("MutexV2")
    .Output("resource: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Doc("Creates a mutex of the session, which MutexLock acquires.")
    .Shape(ScalarShape)
    .CpuKernelClass<ResourceKernel<SessionMutex, MakeSessionMutex>>();

RAMET_OP("MutexLock")
    .Input("mutex: resource")
    .Output("mutex_lock: variant")
    .Stateful()
    .Doc(
        "Acquires a mutex; waits while a different run holds it. It is released when mutex_lock is "
        "not used any longer: let ConsumeMutexLock run after the operations that need it.")
    .Shape(ScalarShape)
    .CpuKernel(LockMutex);

RAMET_OP("ConsumeMutexLock")
    .Input("mutex_lock: variant")
    .Stateful()
    .Doc("Keeps a mutex acquired until this operation runs.")
    .Shape(NoOutputs)
    .CpuKernel(ConsumeLock);

}  // namespace
}  // namespace ramet
