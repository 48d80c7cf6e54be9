#include "ramet/op/op.h"
#include "ramet/ops/queue/queue.h"
#include "ramet/ops/queue/session_resource.h"

namespace ramet {
namespace {

std::string SignatureText(std::string_view handle, std::span<const DType> inputs,
                          std::span<const DType> outputs) {
  std::vector<std::string> ins = {std::string(handle)}, outs;
  for (DType type : inputs) ins.emplace_back(DTypeName(type));
  for (DType type : outputs) outs.emplace_back(DTypeName(type));
  return StrCat(StrJoin(ins, ", "), "->", StrJoin(outs, ", "));
}

// Checks the components that a node passes or receives.
Status CheckSignature(const KernelContext& c, const Queue& queue, std::span<const DType> inputs,
                      std::span<const DType> outputs) {
  const std::vector<DType>& types = queue.spec().dtypes;
  if (std::ranges::equal(inputs.empty() ? outputs : inputs, types)) return OkStatus();
  const std::string_view handle = c.variable(0) != nullptr ? "string_ref" : "resource";
  const std::span<const DType> none, all = types;
  return InvalidArgument(
      "Signature mismatch, have: ", SignatureText(handle, inputs, outputs), " expected: ",
      SignatureText(handle, inputs.empty() ? none : all, inputs.empty() ? all : none));
}

template <bool many>
Status EnqueueKernel(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto queue, SessionResourceAs<Queue>(c));
  Tuple tuple;
  std::vector<DType> types;
  for (int i = 1; i < c.num_inputs(); ++i) {
    tuple.push_back(c.input(i));
    types.push_back(c.input(i).dtype());
  }
  RAMET_RETURN_IF_ERROR(CheckSignature(c, *queue, types, {}));
  if (many) return queue->EnqueueMany(c.cancellation(), tuple);
  return queue->Enqueue(c.cancellation(), std::move(tuple));
}

enum class TakeForm { kOne, kMany, kUpTo };

template <TakeForm take>
class DequeueKernel final : public Kernel {
 public:
  explicit DequeueKernel(const KernelNode& node) : types_(node.output_types) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<DequeueKernel>(node));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto queue, SessionResourceAs<Queue>(c));
    RAMET_RETURN_IF_ERROR(CheckSignature(c, *queue, {}, types_));
    RAMET_ASSIGN_OR_RETURN(Tuple tuple, TakeFrom(*queue, c));
    for (size_t i = 0; i < tuple.size(); ++i) c.SetOutput(static_cast<int>(i), tuple[i]);
    return OkStatus();
  }

 private:
  static StatusOr<Tuple> TakeFrom(Queue& queue, KernelContext& c) {
    if constexpr (take == TakeForm::kOne) {
      return queue.Dequeue(c.cancellation());
    } else {
      constexpr bool up_to = take == TakeForm::kUpTo;
      if (c.input(1).num_elements() != 1) {
        return InvalidArgument("n must be a scalar, but had shape: ", c.input(1).shape());
      }
      const int32_t n = c.input(1).scalar<int32_t>();
      if (n < 0) {
        return InvalidArgument(up_to ? "DequeueUpToOp" : "DequeueManyOp", " requested ", n,
                               " < 0 elements");
      }
      return queue.DequeueMany(c.cancellation(), n, up_to, c.allocator());
    }
  }

  const std::vector<DType> types_;
};

class CloseKernel final : public Kernel {
 public:
  explicit CloseKernel(const KernelNode& node)
      : cancel_pending_(node.attrs->GetOr("cancel_pending_enqueues", false)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<CloseKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto queue, SessionResourceAs<Queue>(c));
    return queue->Close(c.cancellation(), cancel_pending_);
  }

 private:
  const bool cancel_pending_;
};

Status QueueSize(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto queue, SessionResourceAs<Queue>(c));
  c.SetOutput(0, Tensor(static_cast<int32_t>(queue->size())));
  return OkStatus();
}

Status IsClosed(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto queue, SessionResourceAs<Queue>(c));
  c.SetOutput(0, Tensor(queue->closed()));
  return OkStatus();
}

Status QueueHandleShape(ShapeContext& c) {
  c.set_output(0, Shape{2});
  return OkStatus();
}

constexpr char kFifoDoc[] =
    "Creates a queue that returns its elements, tuples of tensors, in the order in which they were "
    "added. Nodes with the same shared_name share one queue of the session. A negative capacity "
    "means no limit.";
constexpr char kPaddingDoc[] =
    "Creates a FIFO queue whose elements may differ in the dimensions that `shapes` leaves "
    "unknown. QueueDequeueMany pads them with zeros.";
constexpr char kShuffleDoc[] =
    "Creates a queue that returns its elements in random order, that of TensorFlow for the same "
    "seeds. Until it is closed, at least min_after_dequeue elements stay in it.";
constexpr char kPriorityDoc[] =
    "Creates a queue that returns the element with the smallest priority first. The priority is an "
    "int64 scalar, the component before those of component_types.";
constexpr char kEnqueueDoc[] =
    "Adds an element to a queue; waits while the queue is full. Error: the queue is closed "
    "(kCancelled); the components do not fit. timeout_ms has no effect, as in TensorFlow.";
constexpr char kEnqueueManyDoc[] =
    "Adds an element for each row of the components; waits while the queue is full. Errors as for "
    "QueueEnqueueV2.";
constexpr char kDequeueDoc[] =
    "Removes an element from a queue and returns its components; waits while the queue is empty. "
    "Error: the queue is closed and empty (kOutOfRange).";
constexpr char kDequeueManyDoc[] =
    "Removes n elements from a queue and stacks their components; waits until there are n. Error: "
    "the queue is closed and has fewer elements (kOutOfRange); its shapes are not specified.";
constexpr char kDequeueUpToDoc[] =
    "Like QueueDequeueManyV2, but a closed queue returns the elements that are left, at least one.";
constexpr char kQueueCloseDoc[] =
    "Closes a queue when pending enqueues are done, or ends these with cancel_pending_enqueues. "
    "Nothing can be added afterwards. Error: the queue is closed already (kCancelled).";
constexpr char kSizeDoc[] = "Returns the number of elements in a queue.";
constexpr char kIsClosedDoc[] = "Reports whether a queue is closed.";

#define RAMET_QUEUE(name, form, shape, types, shapes, more, doc)      \
  RAMET_OP(name)                                                      \
      .Output("handle: " form)                                        \
      .Attr("component_types: list(type) >= " types)                  \
      .Attr("shapes: list(shape) >= 0" shapes)                        \
      .Attr("capacity: int = -1") more.Attr("container: string = ''") \
      .Attr("shared_name: string = ''")                               \
      .Stateful()                                                     \
      .Doc(doc)                                                       \
      .Shape(shape)                                                   \
      .CpuKernelClass<ResourceKernel<Queue, MakeQueue>>()

#define RAMET_NO_ATTRS
#define RAMET_SHUFFLE_ATTRS                    \
  .Attr("min_after_dequeue: int = 0")          \
      .Attr("seed: int = 0")                   \
      .Attr("seed2: int = 0")                  \
      .AttrRange("seed", INT64_MIN, INT64_MAX) \
      .AttrRange("seed2", INT64_MIN, INT64_MAX)
#define RAMET_QUEUES(suffix, form, shape)                                                         \
  RAMET_QUEUE("FIFOQueue" suffix, form, shape, "1", " = []", RAMET_NO_ATTRS, kFifoDoc);           \
  RAMET_QUEUE("PaddingFIFOQueue" suffix, form, shape, "1", " = []", RAMET_NO_ATTRS, kPaddingDoc); \
  RAMET_QUEUE("RandomShuffleQueue" suffix, form, shape, "1", " = []", RAMET_SHUFFLE_ATTRS,        \
              kShuffleDoc);                                                                       \
  RAMET_QUEUE("PriorityQueue" suffix, form, shape, "0 = []", "", RAMET_NO_ATTRS, kPriorityDoc)

RAMET_QUEUES("", "Ref(string)", QueueHandleShape);
RAMET_QUEUES("V2", "resource", ScalarShape);

#define RAMET_TIMEOUT_ATTR \
  .Attr("timeout_ms: int = -1").AttrRange("timeout_ms", INT64_MIN, INT64_MAX)

#define RAMET_QUEUE_USES(suffix, form, state, closed)                                         \
  RAMET_OP("QueueEnqueue" suffix)                                                             \
      .Input("handle: " form)                                                                 \
      .Input("components: Tcomponents")                                                       \
      .Attr("Tcomponents: list(type) >= 1") RAMET_TIMEOUT_ATTR.state.Doc(kEnqueueDoc)         \
      .Shape(NoOutputs)                                                                       \
      .CpuKernel(EnqueueKernel<false>);                                                       \
  RAMET_OP("QueueEnqueueMany" suffix)                                                         \
      .Input("handle: " form)                                                                 \
      .Input("components: Tcomponents")                                                       \
      .Attr("Tcomponents: list(type) >= 1") RAMET_TIMEOUT_ATTR.state.Doc(kEnqueueManyDoc)     \
      .Shape(NoOutputs)                                                                       \
      .CpuKernel(EnqueueKernel<true>);                                                        \
  RAMET_OP("QueueDequeue" suffix)                                                             \
      .Input("handle: " form)                                                                 \
      .Output("components: component_types")                                                  \
      .Attr("component_types: list(type) >= 1") RAMET_TIMEOUT_ATTR.state.Doc(kDequeueDoc)     \
      .Shape(UnknownShape)                                                                    \
      .CpuKernelClass<DequeueKernel<TakeForm::kOne>>();                                       \
  RAMET_OP("QueueDequeueMany" suffix)                                                         \
      .Input("handle: " form)                                                                 \
      .Input("n: int32")                                                                      \
      .Output("components: component_types")                                                  \
      .Attr("component_types: list(type) >= 1") RAMET_TIMEOUT_ATTR.state.Doc(kDequeueManyDoc) \
      .Shape(UnknownShape)                                                                    \
      .CpuKernelClass<DequeueKernel<TakeForm::kMany>>();                                      \
  RAMET_OP("QueueDequeueUpTo" suffix)                                                         \
      .Input("handle: " form)                                                                 \
      .Input("n: int32")                                                                      \
      .Output("components: component_types")                                                  \
      .Attr("component_types: list(type) >= 1") RAMET_TIMEOUT_ATTR.state.Doc(kDequeueUpToDoc) \
      .Shape(UnknownShape)                                                                    \
      .CpuKernelClass<DequeueKernel<TakeForm::kUpTo>>();                                      \
  RAMET_OP("QueueClose" suffix)                                                               \
      .Input("handle: " form)                                                                 \
      .Attr("cancel_pending_enqueues: bool = false")                                          \
      .state.Doc(kQueueCloseDoc)                                                              \
      .Shape(NoOutputs)                                                                       \
      .CpuKernelClass<CloseKernel>();                                                         \
  RAMET_OP("QueueSize" suffix)                                                                \
      .Input("handle: " form)                                                                 \
      .Output("size: int32")                                                                  \
      .state.Doc(kSizeDoc)                                                                    \
      .Shape(ScalarShape)                                                                     \
      .CpuKernel(QueueSize);                                                                  \
  RAMET_OP("QueueIsClosed" suffix)                                                            \
      .Input("handle: " form)                                                                 \
      .Output("is_closed: bool") closed.Doc(kIsClosedDoc)                                     \
      .Shape(ScalarShape)                                                                     \
      .CpuKernel(IsClosed)

RAMET_QUEUE_USES("", "Ref(string)", NotDifferentiable(), );
RAMET_QUEUE_USES("V2", "resource", Stateful(), .Stateful());

}  // namespace
}  // namespace ramet
