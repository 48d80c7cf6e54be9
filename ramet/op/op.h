#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/op/kernel.h"
#include "ramet/op/schema.h"
#include "ramet/op/shape_context.h"

namespace ramet {

// Holds the node being differentiated and its incoming gradients; defined in ramet/gradients.
class GradientContext;
using GradientFn = Status (*)(GradientContext& context);

// An Op is everything known about one op type: its definition, shape function, gradient and
// kernels. Registered ops are built at startup and are read-only afterwards.
class RAMET_EXPORT Op {
 public:
  const std::string& name() const { return name_; }
  // Returns the definition, which is parsed on first use. Aborts if it cannot be parsed: that is a
  // bug in the registration.
  const OpSchema& schema() const;
  ShapeFn shape_fn() const { return shape_fn_; }
  // Returns the gradient function, or nullptr if none was registered. An op registered as
  // NotDifferentiable() has none by definition.
  GradientFn gradient() const { return gradient_; }
  bool not_differentiable() const { return not_differentiable_; }
  // Returns false for an op that is known only by name from a file. It can be held but not run.
  bool registered() const { return registered_; }
  // Reports whether it calls host functions, or library functions, whose bodies may do so. Graph
  // construction must not evaluate it.
  bool calls_program() const { return calls_program_; }
  // Reports whether its CPU kernel may run on small constants while a graph is built or inspected.
  bool foldable() const { return foldable_; }
  // Report whether an input or output is in host memory on every device (shapes, axes, file names).
  bool HostInput(std::string_view arg) const;
  bool HostOutput(std::string_view arg) const;

  // Returns the kernel for a device type and a node's attrs.
  // \error kUnimplemented: there is none. The message names the node, the op, the requested dtype
  //   and the available kernels.
  StatusOr<const KernelRegistration*> FindKernel(std::string_view device_type, const AttrMap& attrs,
                                                 std::string_view node_name) const;
  bool HasKernel(std::string_view device_type, const AttrMap& attrs) const;
  const std::vector<KernelRegistration>& kernels() const { return kernels_; }

  // Makes an op that is known only from a file (stripped_op_list) or inferred from its use.
  explicit Op(OpSchema schema);

 private:
  friend class OpBuilder;
  friend class OpRegistry;
  friend class OpRegistrar;
  friend class KernelRegistrar;
  Op() = default;

  std::string name_;
  bool registered_ = false;
  bool stateful_ = false;
  bool commutative_ = false;
  bool aggregate_ = false;
  bool allows_uninitialized_ = false;
  bool not_differentiable_ = false;
  bool calls_program_ = false;
  bool foldable_ = false;
  std::string_view doc_;
  std::vector<std::string_view> inputs_, outputs_, attrs_;
  std::vector<std::string_view> host_args_;
  struct AttrRange {
    std::string_view attr;
    int64_t least, greatest;
  };
  std::vector<AttrRange> attr_ranges_;
  ShapeFn shape_fn_ = nullptr;
  GradientFn gradient_ = nullptr;
  std::vector<KernelRegistration> kernels_;
  mutable std::once_flag parsed_;
  mutable OpSchema schema_;
};

// The ops of this process. Filled by static registrations. Lookups are thread-safe.
class RAMET_EXPORT OpRegistry {
 public:
  static OpRegistry& Global();
  const Op* Find(std::string_view name) const;
  // \error kNotFound: "Op type not registered 'X'", with the nearest known name.
  StatusOr<const Op*> Lookup(std::string_view name) const;
  std::vector<const Op*> All() const;  // sorted by name

 private:
  friend class OpBuilder;
  friend class OpRegistrar;
  friend class KernelRegistrar;
  struct Impl;
  OpRegistry();
  Op* FindOrNull(std::string_view name);
  Impl* impl_;
};

// Collects one op's registration; see RAMET_OP.
class OpBuilder {
 public:
  explicit OpBuilder(const char* name);
  OpBuilder& Input(const char* arg) { return op_->inputs_.push_back(arg), *this; }
  OpBuilder& Output(const char* arg) { return op_->outputs_.push_back(arg), *this; }
  OpBuilder& Attr(const char* attr) { return op_->attrs_.push_back(attr), *this; }
  OpBuilder& Doc(const char* doc) { return op_->doc_ = doc, *this; }
  OpBuilder& Stateful() { return op_->stateful_ = true, *this; }
  OpBuilder& Commutative() { return op_->commutative_ = true, *this; }
  OpBuilder& Aggregate() { return op_->aggregate_ = true, *this; }
  OpBuilder& AllowsUninitializedInput() { return op_->allows_uninitialized_ = true, *this; }
  OpBuilder& CallsProgram() { return op_->calls_program_ = true, *this; }
  // Declares that the kernel depends only on its inputs and attrs, and that its work and memory are
  // linear in the sizes of its inputs and outputs. Shape inference may then run it on small
  // constants. Never use it for files, state, random numbers, time or functions.
  OpBuilder& Foldable() { return op_->foldable_ = true, *this; }
  // Sets the range of int attr `attr`, or of each int of list attr `attr`. The default is the range
  // of int32. Checked when a node is added, so that gradients and kernels may rely on it.
  OpBuilder& AttrRange(const char* attr, int64_t least, int64_t greatest) {
    return op_->attr_ranges_.push_back({attr, least, greatest}), *this;
  }
  // Declares that the named inputs and outputs are in host memory on every device.
  OpBuilder& HostMemory(std::initializer_list<const char*> args);
  OpBuilder& Shape(ShapeFn fn) { return op_->shape_fn_ = fn, *this; }
  OpBuilder& Gradient(GradientFn fn) { return op_->gradient_ = fn, *this; }
  OpBuilder& NotDifferentiable() { return op_->not_differentiable_ = true, *this; }

  // Uses the CPU kernels of `other`, a registered op, for ops that differ only in how they name a
  // variable.
  OpBuilder& KernelsOf(const Op& other);
  // Adds a kernel function for any dtype, or one for a dtype of attr `type_attr`.
  OpBuilder& CpuKernel(KernelFunction fn) { return Add({"CPU", "", DType::kInvalid, nullptr, fn}); }
  OpBuilder& CpuKernel(std::string_view type_attr, DType t, KernelFunction fn) {
    return Add({"CPU", type_attr, t, nullptr, fn});
  }
  // Adds a kernel per type: `fn` is a generic lambda []<class T>(KernelContext& c) -> Status,
  // without captures.
  template <class... Ts, class Fn>
  OpBuilder& CpuKernels(Fn, std::string_view type_attr = "T") {
    (Add({"CPU", type_attr, DTypeOf<Ts>::value, nullptr,
          [](KernelContext& c) -> Status { return Fn{}.template operator()<Ts>(c); }}),
     ...);
    return *this;
  }
  // Adds a kernel class, constructed by K::Make(const KernelNode&).
  template <class K>
  OpBuilder& CpuKernelClass() {
    return Add({"CPU", "", DType::kInvalid, &MakeKernel<K>, nullptr});
  }
  template <template <class> class K, class... Ts>
  OpBuilder& CpuKernelClasses(std::string_view type_attr = "T") {
    (Add({"CPU", type_attr, DTypeOf<Ts>::value, &MakeKernel<K<Ts>>, nullptr}), ...);
    return *this;
  }

 private:
  friend class OpRegistrar;
  template <class K>
  static StatusOr<std::unique_ptr<Kernel>> MakeKernel(const KernelNode& node) {
    return K::Make(node);
  }
  OpBuilder& Add(KernelRegistration kernel) { return op_->kernels_.push_back(kernel), *this; }
  Op* op_;
};

// Registers the op that a builder describes. Aborts if the name is already registered.
class OpRegistrar {
 public:
  OpRegistrar(const OpBuilder& builder);  // NOLINT: implicit on purpose
};

// Adds a kernel for another device to a registered op at startup.
class KernelRegistrar {
 public:
  KernelRegistrar(std::string_view op, KernelRegistration kernel);
};

// RAMET_OP("Square").Input("x: T").Output("y: T").Attr("T: {float, double}").Doc("...")...;
#define RAMET_OP(name)                                                                      \
  [[maybe_unused]] static const ::ramet::OpRegistrar RAMET_CONCAT(ramet_op_, __COUNTER__) = \
      ::ramet::OpBuilder(name)

}  // namespace ramet
