#include "ramet/edit/clone/variable_updates.h"

namespace ramet {

StatusOr<Operation> VariableUpdates::AddUpdate() {
  std::vector<Operation> ops;
  for (const ClonedVariable& v : mapping_.variables.list) {
    const std::string name = StrCat("update/", v.original.op().name());
    RAMET_ASSIGN_OR_RETURN(Output value, OriginalValue(v, name));
    RAMET_ASSIGN_OR_RETURN(value,
                           builder_.Cast(v.copy, value, v.copy.dtype(), StrCat(name, "/cast")));
    RAMET_ASSIGN_OR_RETURN(ops.emplace_back(), builder_.Assign(v.copy, value, name));
  }
  return builder_.Group("update", std::move(ops));
}

StatusOr<Operation> VariableUpdates::AddPolyak(double tau) {
  std::vector<Operation> ops;
  for (const ClonedVariable& v : mapping_.variables.list) {
    const std::string name = StrCat("polyak/", v.original.op().name());
    RAMET_ASSIGN_OR_RETURN(Output value, OriginalValue(v, name));
    if (IsFloating(v.copy.dtype())) {
      RAMET_ASSIGN_OR_RETURN(value, Mixed(v, value, tau, name));
      RAMET_ASSIGN_OR_RETURN(
          value, builder_.Cast(v.copy, value, v.copy.dtype(), StrCat(name, "/rounded")));
    }
    RAMET_ASSIGN_OR_RETURN(ops.emplace_back(), builder_.Assign(v.copy, value, name));
  }
  return builder_.Group("polyak", std::move(ops));
}

StatusOr<Output> VariableUpdates::OriginalValue(const ClonedVariable& v, const std::string& name) {
  if (feeds_ == nullptr) return builder_.ReadOriginal(v, name);
  RAMET_ASSIGN_OR_RETURN(
      Operation fed,
      builder_.AddColocated(v.copy, "Placeholder", StrCat(name, "/value"), {},
                            {{"dtype", OriginalDtype(v)}, {"shape", v.copy.shape()}}));
  feeds_->push_back(fed.output(0));
  return fed.output(0);
}

// Returns tau * value + (1 - tau) * clone, computed in the wider of both dtypes.
StatusOr<Output> VariableUpdates::Mixed(const ClonedVariable& v, Output value, double tau,
                                        const std::string& name) {
  const DType own_dtype = v.copy.dtype();
  RAMET_ASSIGN_OR_RETURN(Output own,
                         builder_.Read(v.copy, v.copy.ref(), own_dtype, StrCat(name, "/read_own")));
  if (DTypeSize(OriginalDtype(v)) >= DTypeSize(own_dtype)) {
    RAMET_ASSIGN_OR_RETURN(own,
                           builder_.Cast(v.copy, own, OriginalDtype(v), StrCat(name, "/cast")));
  } else {
    RAMET_ASSIGN_OR_RETURN(value, builder_.Cast(v.copy, value, own_dtype, StrCat(name, "/cast")));
  }
  RAMET_ASSIGN_OR_RETURN(Output a,
                         Weighted(v.copy, value, tau, StrCat(name, "/tau"), StrCat(name, "/new")));
  RAMET_ASSIGN_OR_RETURN(
      Output b, Weighted(v.copy, own, 1 - tau, StrCat(name, "/rest"), StrCat(name, "/old")));
  RAMET_ASSIGN_OR_RETURN(Operation sum,
                         builder_.AddColocated(v.copy, "AddV2", StrCat(name, "/sum"), {a, b}));
  return sum.output(0);
}

// Returns weight * value in the dtype of the value.
StatusOr<Output> VariableUpdates::Weighted(const Variable& to, const Output& value, double weight,
                                           const std::string& weight_name,
                                           const std::string& name) {
  RAMET_ASSIGN_OR_RETURN(Output w, builder_.Constant(to.ref().op(), weight_name, Tensor(weight)));
  RAMET_ASSIGN_OR_RETURN(
      w, builder_.Cast(to, w, BaseType(value.dtype()), StrCat(weight_name, "/cast")));
  RAMET_ASSIGN_OR_RETURN(Operation product, builder_.AddColocated(to, "Mul", name, {w, value}));
  return product.output(0);
}

}  // namespace ramet
