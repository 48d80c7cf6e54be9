#include <algorithm>
#include <limits>
#include <map>

#include "ramet/op/op.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/queue/queue.h"
#include "ramet/ops/queue/session_resource.h"

namespace ramet {
namespace {

// An element of a barrier: its key, its components, and the number of the insertion that began it.
struct BarrierElement {
  int64_t index = 0;
  std::string key;
  Tuple components;  // empty tensors are missing

  bool complete() const {
    return std::ranges::none_of(components, [](const Tensor& t) { return t.empty(); });
  }
};

// A Barrier collects the components of elements by their keys. Complete elements can be taken, in
// the order in which they were begun. Thread-safe.
class Barrier final : public Resource {
 public:
  static constexpr std::string_view kKind = "barrier";
  Barrier(std::string name, std::vector<DType> dtypes, std::vector<Shape> shapes)
      : name_(std::move(name)), dtypes_(std::move(dtypes)), shapes_(std::move(shapes)) {}
  std::string_view type_name() const override { return kKind; }
  const std::vector<DType>& dtypes() const { return dtypes_; }
  const std::vector<Shape>& shapes() const { return shapes_; }

  Status CheckSame(const Barrier& wanted) const {
    if (dtypes_ == wanted.dtypes_ && shapes_ == wanted.shapes_) return OkStatus();
    return InvalidArgument("Shared barrier '", name_,
                           "' has different component types or shapes than requested");
  }

  // Sets component i of the elements with these keys, to the rows of `values`.
  // \error kInvalidArgument: one of them has this component already.
  // \error kCancelled: the barrier is closed.
  Status Insert(std::span<const std::string> keys, size_t i, const Tensor& values) {
    MutexLock lock(room_.mutex());
    const int64_t fresh = std::ranges::count_if(
        keys, [this](const std::string& key) { return !incomplete_.contains(key); });
    if (cancelled_ || (closed_ && fresh > 0)) {
      return Cancelled("Barrier ", name_,
                       " is closed.  Pending enqueues cancelled: ", cancelled_ ? 1 : 0,
                       ".  Number of new insertions: ", fresh,
                       ".  Number of incomplete keys: ", incomplete_.size(), ".");
    }
    for (size_t row = 0; row < keys.size(); ++row) {
      RAMET_ASSIGN_OR_RETURN(Tuple value, RowOf({values}, static_cast<int64_t>(row)));
      RAMET_RETURN_IF_ERROR(InsertOne(keys[row], i, std::move(value[0])));
    }
    ++next_index_;
    room_.Advance();
    return OkStatus();
  }

  // Removes `n` complete elements, or those that are left of a closed barrier if `allow_small`.
  // \error kOutOfRange: the barrier is closed and has too few.
  StatusOr<std::vector<BarrierElement>> Take(const Cancellation* cancellation, int64_t n,
                                             bool allow_small) {
    std::vector<BarrierElement> taken;
    if (n == 0) return taken;
    const auto step = [&](Status& status) {
      const int64_t total = std::ssize(ready_) + std::ssize(incomplete_);
      const int64_t wanted = closed_ && allow_small ? std::min(n, total) : n;
      if (closed_ && (total < wanted || wanted == 0)) {
        status =
            OutOfRange("Barrier '", name_, "' is closed and has insufficient elements (requested ",
                       wanted, ", total size ", total, ")");
        return Progress::kDone;
      }
      if (std::ssize(ready_) < wanted) return Progress::kNone;
      while (std::ssize(taken) < wanted) taken.push_back(PopReady());
      return Progress::kDone;
    };
    RAMET_RETURN_IF_ERROR(room_.Perform(cancellation, takers_, "TakeMany", step, [] {}));
    return taken;
  }

  // Closes the barrier for new keys; if `cancel_pending`, also for incomplete elements.
  // \error kCancelled: it is closed already.
  Status Close(bool cancel_pending) {
    MutexLock lock(room_.mutex());
    if (closed_ && (!cancel_pending || cancelled_)) {
      return Cancelled("Barrier '", name_, "' is already closed.");
    }
    closed_ = true;
    cancelled_ = cancel_pending;
    if (cancel_pending) incomplete_.clear();
    room_.Advance();
    return OkStatus();
  }

  int64_t ready_size() {
    MutexLock lock(room_.mutex());
    return std::ssize(ready_);
  }
  int64_t incomplete_size() {
    MutexLock lock(room_.mutex());
    return std::ssize(incomplete_);
  }

 private:
  static bool IsLater(const BarrierElement& a, const BarrierElement& b) {
    return a.index > b.index;
  }

  Status InsertOne(const std::string& key, size_t i, Tensor value) {
    const auto [at, fresh] = incomplete_.try_emplace(key);
    BarrierElement& element = at->second;
    if (fresh) element = {next_index_, key, Tuple(dtypes_.size())};
    if (!element.components[i].empty()) {
      return InvalidArgument("Key ", key, " already has a value for component ", i, " in barrier ",
                             name_);
    }
    element.components[i] = std::move(value);
    if (!element.complete()) return OkStatus();
    ready_.push_back(std::move(element));
    std::ranges::push_heap(ready_, IsLater);
    incomplete_.erase(at);
    return OkStatus();
  }

  BarrierElement PopReady() {
    std::ranges::pop_heap(ready_, IsLater);
    BarrierElement first = std::move(ready_.back());
    ready_.pop_back();
    return first;
  }

  const std::string name_;
  const std::vector<DType> dtypes_;
  const std::vector<Shape> shapes_;
  WaitingRoom room_;
  WaitingRoom::Line takers_;
  std::map<std::string, BarrierElement> incomplete_;
  std::vector<BarrierElement> ready_;  // a heap
  int64_t next_index_ = std::numeric_limits<int64_t>::min();
  bool closed_ = false, cancelled_ = false;
};

StatusOr<std::shared_ptr<Barrier>> MakeBarrier(const KernelNode& node, const std::string& name) {
  auto dtypes = node.attrs->GetOr<std::vector<DType>>("component_types", {});
  auto shapes = node.attrs->GetOr<std::vector<Shape>>("shapes", {});
  if (node.attrs->GetOr<int64_t>("capacity", -1) != -1) {
    return InvalidArgument(
        "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier through a queue to "
        "enforce a limited capacity.");
  }
  if (shapes.size() != dtypes.size()) {
    return InvalidArgument("All of the component shapes must be specified");
  }
  return std::make_shared<Barrier>(name, std::move(dtypes), std::move(shapes));
}

class InsertKernel final : public Kernel {
 public:
  explicit InsertKernel(const KernelNode& node)
      : component_(node.attrs->GetOr<int64_t>("component_index", 0)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<InsertKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto barrier, SessionResourceAs<Barrier>(c));
    RAMET_RETURN_IF_ERROR(Check(c, *barrier));
    return barrier->Insert(c.input(1).flat<std::string>(), static_cast<size_t>(component_),
                           c.input(2));
  }

 private:
  Status Check(const KernelContext& c, const Barrier& barrier) const {
    const auto count = std::ssize(barrier.dtypes());
    if (component_ < 0 || component_ >= count) {
      return InvalidArgument("The component ID is out of range ", component_,
                             " > num_components (= ", count, ")");
    }
    const Tensor &keys = c.input(1), &values = c.input(2);
    const DType expected = barrier.dtypes()[component_];
    if (values.dtype() != expected) {
      return InvalidArgument("Signature mismatch, have: string_ref, string, ",
                             DTypeName(values.dtype()), "-> expected: string_ref, string, ",
                             DTypeName(expected), "->");
    }
    if (keys.num_elements() > 0 && (values.rank() == 0 || values.num_elements() == 0)) {
      return InvalidArgument("Tensors with no elements are not supported: received shape ",
                             values.shape());
    }
    if (keys.num_elements() == 0) return OkStatus();
    const Shape row = values.shape().Slice(1, values.rank());
    if (values.dim(0) < keys.num_elements() ||
        !barrier.shapes()[component_].IsCompatibleWith(row)) {
      return InvalidArgument("Shape mismatch in tuple component ", component_, ". Expected ",
                             Shape{keys.num_elements()}.Concatenate(barrier.shapes()[component_]),
                             ", got ", values.shape());
    }
    return OkStatus();
  }

  const int64_t component_;
};

class TakeManyKernel final : public Kernel {
 public:
  explicit TakeManyKernel(const KernelNode& node)
      : types_(node.output_types.begin() + 2, node.output_types.end()),
        allow_small_(node.attrs->GetOr("allow_small_batch", false)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<TakeManyKernel>(node));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto barrier, SessionResourceAs<Barrier>(c));
    if (types_ != barrier->dtypes()) {
      return InvalidArgument("BarrierTakeMany: component_types are not those of the barrier");
    }
    if (c.input(1).num_elements() != 1) {
      return InvalidArgument("num_elements must be a scalar.");
    }
    const int32_t n = c.input(1).scalar<int32_t>();
    if (n < 0) return InvalidArgument("num_elements must be >= 0, but was ", n);
    RAMET_ASSIGN_OR_RETURN(const auto taken, barrier->Take(c.cancellation(), n, allow_small_));
    return Output(c, *barrier, taken);
  }

 private:
  Status Output(KernelContext& c, const Barrier& barrier,
                const std::vector<BarrierElement>& taken) const {
    const Shape rows{std::ssize(taken)};
    RAMET_ASSIGN_OR_RETURN(Tensor * indices, c.Allocate(0, kInt64, rows));
    RAMET_ASSIGN_OR_RETURN(Tensor * keys, c.Allocate(1, kString, rows));
    for (size_t i = 0; i < taken.size(); ++i) {
      indices->mutable_data<int64_t>()[i] = taken[i].index;
      keys->mutable_data<std::string>()[i] = taken[i].key;
    }
    for (size_t k = 0; k < types_.size(); ++k) {
      RAMET_ASSIGN_OR_RETURN(Tensor * values,
                             c.Allocate(static_cast<int>(k) + 2, types_[k],
                                        rows.Concatenate(RowShape(barrier, taken, k))));
      int64_t at = 0;
      for (const BarrierElement& element : taken) {
        const Tensor& value = element.components[k];
        if (value.shape() != taken[0].components[k].shape()) {
          return InvalidArgument("Shape mismatch in tuple component ", k, ". Expected ",
                                 taken[0].components[k].shape(), ", got ", value.shape());
        }
        CopyElements(value, 0, *values, at, value.num_elements());
        at += value.num_elements();
      }
    }
    return OkStatus();
  }

  // A barrier may declare a shape only in part; its elements must then have the same shape.
  static Shape RowShape(const Barrier& barrier, const std::vector<BarrierElement>& taken,
                        size_t k) {
    return taken.empty() ? barrier.shapes()[k] : taken[0].components[k].shape();
  }

  const std::vector<DType> types_;
  const bool allow_small_;
};

class CloseBarrierKernel final : public Kernel {
 public:
  explicit CloseBarrierKernel(const KernelNode& node)
      : cancel_pending_(node.attrs->GetOr("cancel_pending_enqueues", false)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<CloseBarrierKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto barrier, SessionResourceAs<Barrier>(c));
    return barrier->Close(cancel_pending_);
  }

 private:
  const bool cancel_pending_;
};

template <int64_t (Barrier::*size)()>
Status BarrierSize(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto barrier, SessionResourceAs<Barrier>(c));
  c.SetOutput(0, Tensor(static_cast<int32_t>((*barrier.*size)())));
  return OkStatus();
}

Status BarrierHandleShape(ShapeContext& c) {
  c.set_output(0, Shape{2});
  return OkStatus();
}

RAMET_OP("Barrier")
    .Output("handle: Ref(string)")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Doc(
        "Creates a barrier, which collects the components of elements by their keys, in any order. "
        "Complete elements can be taken in the order in which they were begun. Error: capacity is "
        "not -1; a shape is missing.")
    .Shape(BarrierHandleShape)
    .CpuKernelClass<ResourceKernel<Barrier, MakeBarrier>>();

RAMET_OP("BarrierInsertMany")
    .Input("handle: Ref(string)")
    .Input("keys: string")
    .Input("values: T")
    .Attr("T: type")
    .Attr("component_index: int")
    .Doc(
        "Sets component component_index of the elements with these keys to the rows of `values`. "
        "Error: an element has this component already; the barrier is closed (kCancelled).")
    .Shape(NoOutputs)
    .CpuKernelClass<InsertKernel>();

RAMET_OP("BarrierTakeMany")
    .Input("handle: Ref(string)")
    .Input("num_elements: int32")
    .Output("indices: int64")
    .Output("keys: string")
    .Output("values: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("allow_small_batch: bool = false")
    .Attr("wait_for_incomplete: bool = false")
    .Attr("timeout_ms: int = -1")
    .AttrRange("timeout_ms", INT64_MIN, INT64_MAX)
    .Doc(
        "Removes num_elements complete elements and returns the numbers of their insertions, their "
        "keys, and their components as rows; waits for them. With allow_small_batch, a closed "
        "barrier returns the elements that are left. Error: it is closed and has too few "
        "(kOutOfRange). timeout_ms has no effect, as in TensorFlow.")
    .Shape(UnknownShape)
    .CpuKernelClass<TakeManyKernel>();

RAMET_OP("BarrierClose")
    .Input("handle: Ref(string)")
    .Attr("cancel_pending_enqueues: bool = false")
    .Doc(
        "Closes a barrier for new keys; with cancel_pending_enqueues, also drops the incomplete "
        "elements. Error: it is closed already (kCancelled).")
    .Shape(NoOutputs)
    .CpuKernelClass<CloseBarrierKernel>();

RAMET_OP("BarrierReadySize")
    .Input("handle: Ref(string)")
    .Output("size: int32")
    .Doc("Returns the number of complete elements in a barrier.")
    .Shape(ScalarShape)
    .CpuKernel(BarrierSize<&Barrier::ready_size>);

RAMET_OP("BarrierIncompleteSize")
    .Input("handle: Ref(string)")
    .Output("size: int32")
    .Doc("Returns the number of incomplete elements in a barrier.")
    .Shape(ScalarShape)
    .CpuKernel(BarrierSize<&Barrier::incomplete_size>);

}  // namespace
}  // namespace ramet
