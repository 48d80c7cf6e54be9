#include "ramet/ops/dataset/iterator_resource.h"
#include "ramet/tensor/encoded_variant.h"

namespace ramet {
namespace {

// The values of attr external_state_policy.
constexpr int64_t kFail = 2;

class SerializeIteratorKernel final : public Kernel {
 public:
  explicit SerializeIteratorKernel(bool refuses_state) : refuses_state_(refuses_state) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const int64_t policy = node.attrs->GetOr("external_state_policy", int64_t{0});
    return StatusOr<std::unique_ptr<Kernel>>(
        std::make_unique<SerializeIteratorKernel>(policy == kFail));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const auto iterator, InputIterator(c));
    RAMET_ASSIGN_OR_RETURN(const IteratorState state, iterator->Save(c, refuses_state_));
    Tensor t(DType::kVariant, Shape({1}));
    *t.mutable_data<Variant>() = Variant(
        std::make_shared<EncodedVariant>(std::string(IteratorState::kTypeName), state.Encode()));
    c.SetOutput(0, std::move(t));
    return OkStatus();
  }

 private:
  const bool refuses_state_;
};

Status DeserializeIterator(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const auto iterator, InputIterator(c));
  const Tensor& t = c.input(1);
  const auto* encoded =
      t.num_elements() == 1 ? t.flat<Variant>()[0].get<EncodedVariant>() : nullptr;
  if (encoded == nullptr || encoded->type_name() != IteratorState::kTypeName) {
    return InvalidArgument(
        "serialized must be the state of an iterator that Ramet saved, but it is a variant "
        "tensor of shape ",
        t.shape(), t.num_elements() > 0 ? " with " + t.flat<Variant>()[0].ToString() : "",
        "; TensorFlow's states cannot be restored: initialize the iterator instead");
  }
  RAMET_ASSIGN_OR_RETURN(IteratorState state, IteratorState::Decode(encoded->bytes()));
  return iterator->Restore(c, std::move(state));
}

Status StateShape(ShapeContext& c) {
  c.set_output(0, Shape({-1}));
  return OkStatus();
}

RAMET_OP("SerializeIterator")
    .Input("resource_handle: resource")
    .Output("serialized: variant")
    .Attr("external_state_policy: int = 0")
    .AttrRange("external_state_policy", INT64_MIN, INT64_MAX)
    .Stateful()
    .Doc(
        "Returns the position of an iterator in its dataset. Error: the iterator has no dataset, "
        "or external_state_policy is 2 and a function of the dataset has an operation with state "
        "(kFailedPrecondition).")
    .Shape(StateShape)
    .CpuKernelClass<SerializeIteratorKernel>();

RAMET_OP("DeserializeIterator")
    .Input("resource_handle: resource")
    .Input("serialized: variant")
    .Stateful()
    .CallsProgram()
    .Doc(
        "Moves an iterator to a position of its dataset: drops the elements before it. Without a "
        "dataset, the iterator does that when it gets one. Error: the state is damaged.")
    .CpuKernel(DeserializeIterator);

}  // namespace
}  // namespace ramet
