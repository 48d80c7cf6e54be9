#include "ramet/base/wire_format.h"
#include "ramet/gradients/gradient_context.h"
#include "ramet/op/resource_handle.h"
#include "ramet/op/shared_name.h"
#include "ramet/ops/dataset/iterator_resource.h"
#include "ramet/ops/dataset/optional.h"

namespace ramet {
namespace {

// An IteratorMaker finds or creates the iterator of a node, for the kernels that return handles.
class IteratorMaker {
 public:
  explicit IteratorMaker(const KernelNode& node) : name_(SharedNameOf(node)) {}

  StatusOr<std::shared_ptr<IteratorResource>> Find(KernelContext& c, const ElementSpec& spec) {
    auto found = std::dynamic_pointer_cast<IteratorResource>(c.env().resources->FindOrCreate(
        IteratorContainer(name_.container), name_.name,
        [&] { return std::make_shared<IteratorResource>(name_.container, name_.name, spec); }));
    RAMET_RETURN_IF_ERROR(CheckCompatible(spec, found->spec()));
    return found;
  }

 private:
  const SharedName name_;
};

class IteratorKernel final : public Kernel {
 public:
  IteratorKernel(const KernelNode& node, DatasetNode read) : read_(std::move(read)), maker_(node) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(DatasetNode read, DatasetNode::Read(node));
    return StatusOr<std::unique_ptr<Kernel>>(
        std::make_unique<IteratorKernel>(node, std::move(read)));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto iterator, maker_.Find(c, read_.spec));
    c.SetOutput(0, MakeHandle(std::move(iterator)));
    return OkStatus();
  }

 private:
  const DatasetNode read_;
  IteratorMaker maker_;
};

// Calls its function for the dataset when it runs first.
class OneShotIteratorKernel final : public Kernel {
 public:
  OneShotIteratorKernel(const KernelNode& node, DatasetNode read, FunctionRef factory)
      : read_(std::move(read)), factory_(std::move(factory)), maker_(node) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(DatasetNode read, DatasetNode::Read(node));
    RAMET_ASSIGN_OR_RETURN(auto factory, node.attrs->Get<FunctionRef>("dataset_factory"));
    return StatusOr<std::unique_ptr<Kernel>>(
        std::make_unique<OneShotIteratorKernel>(node, std::move(read), std::move(factory)));
  }
  Status Compute(KernelContext& c) override {
    MutexLock lock(mutex_);
    if (iterator_ == nullptr) {
      RAMET_ASSIGN_OR_RETURN(auto made, maker_.Find(c, read_.spec));
      RAMET_RETURN_IF_ERROR(Begin(c, *made));
      iterator_ = std::move(made);
    }
    c.SetOutput(0, MakeHandle(iterator_));
    return OkStatus();
  }

 private:
  Status Begin(KernelContext& c, IteratorResource& iterator) const {
    RAMET_ASSIGN_OR_RETURN(auto runner, FunctionRunner::Of(*c.env().resources));
    RAMET_ASSIGN_OR_RETURN(auto factory, runner->Instantiate(factory_, {}, {{DType::kVariant}}));
    RAMET_ASSIGN_OR_RETURN(std::vector<Tensor> made,
                           factory->Call({}, {}, {c.cancellation(), c.run().followed}));
    RAMET_ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetOf(made[0]));
    return iterator.SetDataset(dataset, c);
  }

  const DatasetNode read_;
  const FunctionRef factory_;
  IteratorMaker maker_;
  Mutex mutex_;
  std::shared_ptr<IteratorResource> iterator_ RAMET_GUARDED_BY(mutex_);
};

Status ComputeMakeIterator(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetOf(c.input(0)));
  RAMET_ASSIGN_OR_RETURN(const auto iterator, InputIterator(c, 1));
  return iterator->SetDataset(dataset, c);
}

// The kernels below keep what attrs output_types and output_shapes say.
template <Status (*compute)(KernelContext& c, const ElementSpec& spec)>
class ElementKernel final : public Kernel {
 public:
  explicit ElementKernel(DatasetNode read) : read_(std::move(read)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(DatasetNode read, DatasetNode::Read(node));
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<ElementKernel>(std::move(read)));
  }
  Status Compute(KernelContext& c) override { return compute(c, read_.spec); }

 private:
  const DatasetNode read_;
};

// Makes an iterator that lives as long as its handle.
Status MakeAnonymousIterator(KernelContext& c, const ElementSpec& spec) {
  c.SetOutput(0, MakeHandle(std::make_shared<IteratorResource>("", "AnonymousIterator", spec)));
  return OkStatus();
}

Status SetElement(KernelContext& c, const ElementSpec& spec, Element element) {
  RAMET_RETURN_IF_ERROR(spec.Check(element));
  for (size_t i = 0; i < element.size(); ++i) {
    c.SetOutput(static_cast<int>(i), std::move(element[i]));
  }
  return OkStatus();
}

Status GetNext(KernelContext& c, const ElementSpec& spec) {
  RAMET_ASSIGN_OR_RETURN(const auto iterator, InputIterator(c));
  Element element;
  bool end = false;
  RAMET_RETURN_IF_ERROR(iterator->Next(c, &element, &end));
  if (end) return OutOfRange("End of sequence");
  return SetElement(c, spec, std::move(element));
}

Status GetNextAsOptional(KernelContext& c, const ElementSpec& spec) {
  RAMET_ASSIGN_OR_RETURN(const auto iterator, InputIterator(c));
  Element element;
  bool end = false;
  RAMET_RETURN_IF_ERROR(iterator->Next(c, &element, &end));
  if (!end) RAMET_RETURN_IF_ERROR(spec.Check(element));
  c.SetOutput(0, VariantScalar(end ? std::make_shared<OptionalElement>()
                                   : std::make_shared<OptionalElement>(std::move(element))));
  return OkStatus();
}

StatusOr<const OptionalElement*> InputOptional(KernelContext& c) {
  const Tensor& t = c.input(0);
  if (t.rank() == 0) {
    if (const auto* optional = t.scalar<Variant>().get<OptionalElement>()) return optional;
  }
  return InvalidArgument("the input must be a scalar that holds an optional");
}

Status OptionalFromValue(KernelContext& c) {
  Element element;
  for (int i = 0; i < c.num_inputs(); ++i) {
    RAMET_ASSIGN_OR_RETURN(Tensor owned, c.input(i).Owned());
    element.push_back(std::move(owned));
  }
  c.SetOutput(0, VariantScalar(std::make_shared<OptionalElement>(std::move(element))));
  return OkStatus();
}

// Based on TensorFlow's _OptionalFromValueGrad and _OptionalGetValueGrad.
Status OptionalFromValueGradient(GradientContext& c) {
  std::vector<DType> types;
  std::vector<Shape> shapes;
  for (int i = 0; i < c.num_inputs(); ++i) {
    types.push_back(BaseType(c.input(i).dtype()));
    shapes.push_back(c.input(i).shape());
  }
  const Operation got = c.AddOperation("OptionalGetValue", {c.grad()},
                                       {{"output_types", types}, {"output_shapes", shapes}});
  const std::vector<Output> components = got.outputs();
  return c.Return({components.begin(), components.end()});
}

Status OptionalGetValueGradient(GradientContext& c) {
  std::vector<Input> grads;
  for (int i = 0; i < c.num_outputs(); ++i) grads.emplace_back(c.grad(i));
  return c.Return({c.Add("OptionalFromValue", grads)});
}

Status OptionalNone(KernelContext& c) {
  c.SetOutput(0, VariantScalar(std::make_shared<OptionalElement>()));
  return OkStatus();
}

Status OptionalHasValue(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const OptionalElement* optional, InputOptional(c));
  c.SetOutput(0, Tensor(optional->has_value));
  return OkStatus();
}

Status OptionalGetValue(KernelContext& c, const ElementSpec& spec) {
  RAMET_ASSIGN_OR_RETURN(const OptionalElement* optional, InputOptional(c));
  if (!optional->has_value) {
    return InvalidArgument("The given optional does not have a value.");
  }
  return SetElement(c, spec, optional->element);
}

// The fields of TensorFlow's ResourceHandleProto that a string handle has.
enum HandleField : uint32_t { kDevice = 1, kContainer = 2, kName = 3, kTypeName = 5 };

Status ToStringHandle(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const auto iterator, InputIterator(c));
  std::string text;
  AppendBytesField(&text, kDevice, "/job:localhost/replica:0/task:0/device:CPU:0");
  AppendBytesField(&text, kContainer, iterator->container());
  AppendBytesField(&text, kName, iterator->name());
  AppendBytesField(&text, kTypeName, "tensorflow::data::IteratorResource");
  c.SetOutput(0, Tensor(text));
  return OkStatus();
}

Status FromStringHandle(KernelContext& c, const ElementSpec& spec) {
  const Tensor& handle = c.input(0);
  if (handle.rank() != 0) return InvalidArgument("string_handle must be a scalar");
  std::string_view rest = handle.scalar<std::string>();
  std::string container, name;
  WireField field;
  while (!rest.empty()) {
    if (!TakeField(&rest, &field)) {
      return InvalidArgument("Could not parse string_handle as a valid ResourceHandle");
    }
    if (field.Is(kContainer)) container = field.bytes;
    if (field.Is(kName)) name = field.bytes;
  }
  auto found = std::dynamic_pointer_cast<IteratorResource>(
      c.env().resources->Find(IteratorContainer(container), name));
  if (found == nullptr) {
    return NotFound("Resource ", container, "/", name,
                    "/N10tensorflow4data16IteratorResourceE does not exist.");
  }
  if (!spec.types.empty()) {
    RAMET_RETURN_IF_ERROR(CheckCompatible({spec.types, {}}, found->spec()));
    RAMET_RETURN_IF_ERROR(CheckCompatible(spec, found->spec()));
  }
  c.SetOutput(0, MakeHandle(std::move(found)));
  return OkStatus();
}

Status GetDevice(KernelContext& c) {
  c.SetOutput(0, Tensor("/job:localhost/replica:0/task:0/device:CPU:0"));
  return OkStatus();
}

RAMET_OP("IteratorV2")
    .Output("handle: resource")
    .Attr("shared_name: string")
    .Attr("container: string")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Doc(
        "Returns the handle of the session's iterator of this name. MakeIterator gives it a "
        "dataset. Error: the session's iterator of this name has other dtypes or shapes.")
    .Shape(DatasetShape)
    .CpuKernelClass<IteratorKernel>();

RAMET_OP("AnonymousIteratorV3")
    .Output("handle: resource")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Doc(
        "Returns the handle of a new iterator at each execution. The iterator lives as long as the "
        "handle.")
    .Shape(DatasetShape)
    .CpuKernelClass<ElementKernel<MakeAnonymousIterator>>();

RAMET_OP("Iterator")
    .Output("handle: resource")
    .Attr("shared_name: string")
    .Attr("container: string")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Doc("Like IteratorV2.")
    .Shape(DatasetShape)
    .CpuKernelClass<IteratorKernel>();

RAMET_OP("OneShotIterator")
    .Output("handle: resource")
    .Attr("dataset_factory: func")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .CallsProgram()
    .Doc(
        "Returns the handle of an iterator of the dataset that dataset_factory returns. Error: it "
        "returns something else, or a dataset with other dtypes or shapes.")
    .Shape(DatasetShape)
    .CpuKernelClass<OneShotIteratorKernel>();

RAMET_OP("MakeIterator")
    .Input("dataset: variant")
    .Input("iterator: resource")
    .Stateful()
    .CallsProgram()
    .Doc(
        "Puts the iterator at the start of the dataset. Error: the dtypes or shapes of the dataset "
        "are not those of the iterator.")
    .Shape(NoOutputs)
    .CpuKernel(ComputeMakeIterator);

RAMET_OP("IteratorGetNext")
    .Input("iterator: resource")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .CallsProgram()
    .Doc(
        "Returns the components of the next element. Error: the dataset has ended (kOutOfRange); "
        "the "
        "iterator has no dataset (kFailedPrecondition); the element fails.")
    .HostMemory({"components"})
    .Shape(ElementShapes)
    .CpuKernelClass<ElementKernel<&GetNext>>();

RAMET_OP("IteratorGetNextSync")
    .Input("iterator: resource")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .CallsProgram()
    .Doc("Like IteratorGetNext.")
    .HostMemory({"components"})
    .Shape(ElementShapes)
    .CpuKernelClass<ElementKernel<&GetNext>>();

RAMET_OP("IteratorGetNextAsOptional")
    .Input("iterator: resource")
    .Output("optional: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .CallsProgram()
    .Doc("Returns an optional with the next element, or without a value at the end of the dataset.")
    .Shape(ScalarShape)
    .CpuKernelClass<ElementKernel<&GetNextAsOptional>>();

RAMET_OP("IteratorToStringHandle")
    .Input("resource_handle: resource")
    .Output("string_handle: string")
    .Stateful()
    .Doc("Returns a string that IteratorFromStringHandleV2 finds the iterator by.")
    .HostMemory({"string_handle"})
    .Shape(ScalarShape)
    .CpuKernel(ToStringHandle);

RAMET_OP("IteratorFromStringHandleV2")
    .Input("string_handle: string")
    .Output("resource_handle: resource")
    .Attr("output_types: list(type) >= 0 = []")
    .Attr("output_shapes: list(shape) >= 0 = []")
    .Stateful()
    .Doc(
        "Returns the handle of the iterator that a string names. Error: the string is malformed; "
        "the session has no such iterator (kNotFound); it has other dtypes or shapes.")
    .HostMemory({"string_handle"})
    .Shape(ScalarShape)
    .CpuKernelClass<ElementKernel<&FromStringHandle>>();

RAMET_OP("IteratorFromStringHandle")
    .Input("string_handle: string")
    .Output("resource_handle: resource")
    .Attr("output_types: list(type) >= 0 = []")
    .Attr("output_shapes: list(shape) >= 0 = []")
    .Stateful()
    .Doc("Like IteratorFromStringHandleV2.")
    .HostMemory({"string_handle"})
    .Shape(ScalarShape)
    .CpuKernelClass<ElementKernel<&FromStringHandle>>();

RAMET_OP("IteratorGetDevice")
    .Input("resource: resource")
    .Output("device: string")
    .Stateful()
    .Doc("Returns the name of the device that the iterator is on: the CPU.")
    .HostMemory({"device"})
    .Shape(ScalarShape)
    .CpuKernel(GetDevice);

RAMET_OP("OptionalFromValue")
    .Input("components: Toutput_types")
    .Output("optional: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .Doc("Returns an optional with an element.")
    .Gradient(OptionalFromValueGradient)
    .HostMemory({"components"})
    .Shape(ScalarShape)
    .CpuKernel(OptionalFromValue);

RAMET_OP("OptionalNone")
    .Output("optional: variant")
    .Doc("Returns an optional without a value.")
    .Shape(ScalarShape)
    .CpuKernel(OptionalNone);

RAMET_OP("OptionalHasValue")
    .Input("optional: variant")
    .Output("has_value: bool")
    .Doc("Returns whether an optional has a value. Error: the input is not an optional.")
    .HostMemory({"has_value"})
    .Shape(ScalarShape)
    .CpuKernel(OptionalHasValue);

RAMET_OP("OptionalGetValue")
    .Input("optional: variant")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Doc("Returns the components of an optional's element. Error: it has no value.")
    .Gradient(OptionalGetValueGradient)
    .HostMemory({"components"})
    .Shape(ElementShapes)
    .CpuKernelClass<ElementKernel<&OptionalGetValue>>();

}  // namespace
}  // namespace ramet
