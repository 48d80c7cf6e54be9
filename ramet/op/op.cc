#include "ramet/op/op.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unordered_map>

#include "ramet/op/hidden_op.h"

namespace ramet {
namespace {

[[noreturn]] void DieOfRegistration(std::string_view op, const std::string& what) {
  std::fprintf(stderr, "registration of op %.*s: %s\n", static_cast<int>(op.size()), op.data(),
               what.c_str());
  std::abort();
}

bool Contains(const std::vector<std::string_view>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

}  // namespace

struct OpRegistry::Impl {
  std::unordered_map<std::string_view, std::unique_ptr<Op>> ops;
  std::vector<std::pair<std::string_view, KernelRegistration>> waiting;
};

Op::Op(OpSchema schema) : name_(schema.name), stateful_(schema.is_stateful) {
  std::call_once(parsed_, [] {});
  schema_ = std::move(schema);
}

const OpSchema& Op::schema() const {
  std::call_once(parsed_, [this] {
    schema_.name = name_;
    schema_.doc = std::string(doc_);
    schema_.is_stateful = stateful_;
    schema_.is_commutative = commutative_;
    schema_.is_aggregate = aggregate_;
    schema_.allows_uninitialized_input = allows_uninitialized_;
    auto must = [this](auto parsed) {
      if (!parsed.ok()) DieOfRegistration(name_, parsed.status().message());
      return *std::move(parsed);
    };
    for (std::string_view a : attrs_) schema_.attrs.push_back(must(ParseAttrSchema(a)));
    for (const AttrRange& r : attr_ranges_) {
      auto it = std::ranges::find(schema_.attrs, r.attr, &AttrSchema::name);
      if (it == schema_.attrs.end()) DieOfRegistration(name_, StrCat("no attr '", r.attr, "'"));
      it->least_value = r.least;
      it->greatest_value = r.greatest;
    }
    for (std::string_view a : inputs_) schema_.inputs.push_back(must(ParseArg(a, schema_.attrs)));
    for (std::string_view a : outputs_) schema_.outputs.push_back(must(ParseArg(a, schema_.attrs)));
    const auto is_handle = [](const ArgSchema& a) { return a.type == DType::kResource; };
    schema_.is_stateful |= std::ranges::any_of(schema_.inputs, is_handle) ||
                           std::ranges::any_of(schema_.outputs, is_handle);
  });
  return schema_;
}

bool Op::HostInput(std::string_view arg) const { return Contains(host_args_, arg); }
bool Op::HostOutput(std::string_view arg) const { return Contains(host_args_, arg); }

bool Op::HasKernel(std::string_view device_type, const AttrMap& attrs) const {
  return std::ranges::any_of(kernels_, [&](const KernelRegistration& k) {
    return k.device_type == device_type && k.Matches(attrs);
  });
}

StatusOr<const KernelRegistration*> Op::FindKernel(std::string_view device_type,
                                                   const AttrMap& attrs,
                                                   std::string_view node_name) const {
  std::string asked;
  std::vector<std::string> offered;
  for (const KernelRegistration& k : kernels_) {
    if (k.device_type == device_type && k.Matches(attrs)) return &k;
    if (k.type_attr.empty()) {
      offered.push_back(std::string(k.device_type));
      continue;
    }
    const Attr* attr = attrs.Find(k.type_attr);
    asked = StrCat(" with ", k.type_attr, "=", attr ? attr->ToString() : "?");
    offered.push_back(StrCat(k.device_type, " ", DTypeName(k.dtype)));
  }
  std::string known;
  if (!registered_) {
    std::vector<std::string_view> names;
    for (const Op* op : OpRegistry::Global().All()) names.push_back(op->name());
    std::string near = NearestName(name_, names);
    known = StrCat("Ramet does not implement this op",
                   near.empty() ? "" : StrCat("; the most similar op is '", near, "'"),
                   " (importing, cloning and exporting it still work)");
  } else {
    known = StrCat("available kernels: ", StrJoin(offered, ", "));
  }
  return Unimplemented("node '", node_name, "': no kernel of op '", name_, "' on device type ",
                       device_type, asked, "; ", known);
}

OpRegistry::OpRegistry() : impl_(new Impl) {}

OpRegistry& OpRegistry::Global() {
  static OpRegistry* const registry = new OpRegistry;
  return *registry;
}

Op* OpRegistry::FindOrNull(std::string_view name) {
  auto it = impl_->ops.find(name);
  return it == impl_->ops.end() ? nullptr : it->second.get();
}

const Op* OpRegistry::Find(std::string_view name) const {
  return const_cast<OpRegistry*>(this)->FindOrNull(name);
}

StatusOr<const Op*> OpRegistry::Lookup(std::string_view name) const {
  if (const Op* op = Find(name)) return op;
  std::vector<std::string_view> names;
  for (const Op* op : All()) names.push_back(op->name());
  std::string near = NearestName(name, names);
  return NotFound("Op type not registered '", name, "'",
                  near.empty() ? "" : StrCat("; did you mean '", near, "'?"));
}

std::vector<const Op*> OpRegistry::All() const {
  std::vector<const Op*> all;
  for (const auto& [name, op] : impl_->ops) {
    if (!HiddenOp::Contains(name)) all.push_back(op.get());
  }
  std::ranges::sort(all, {}, [](const Op* op) { return op->name(); });
  return all;
}

OpBuilder::OpBuilder(const char* name) : op_(new Op) {
  op_->name_ = name;
  op_->registered_ = true;
}

OpBuilder& OpBuilder::KernelsOf(const Op& other) {
  for (const KernelRegistration& kernel : other.kernels_) {
    if (kernel.device_type == "CPU") Add(kernel);
  }
  return *this;
}

OpBuilder& OpBuilder::HostMemory(std::initializer_list<const char*> args) {
  op_->host_args_.insert(op_->host_args_.end(), args.begin(), args.end());
  return *this;
}

OpRegistrar::OpRegistrar(const OpBuilder& builder) {
  auto& impl = *OpRegistry::Global().impl_;
  std::unique_ptr<Op> op(builder.op_);
  std::string_view name = op->name();
  for (auto& [waiting_for, kernel] : impl.waiting) {
    if (waiting_for == name) op->kernels_.push_back(kernel);
  }
  if (!impl.ops.emplace(name, std::move(op)).second) DieOfRegistration(name, "registered twice");
}

KernelRegistrar::KernelRegistrar(std::string_view op_name, KernelRegistration kernel) {
  auto& registry = OpRegistry::Global();
  if (Op* op = registry.FindOrNull(op_name)) {
    op->kernels_.push_back(kernel);
  } else {
    registry.impl_->waiting.emplace_back(op_name, kernel);
  }
}

}  // namespace ramet
