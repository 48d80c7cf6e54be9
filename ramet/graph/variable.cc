#include "ramet/graph/variable.h"

#include "ramet/graph/graph.h"

namespace ramet {

const VariableRecord& Variable::record() const { return graph_->variables()[id_]; }
std::string Variable::name() const { return valid() ? record().variable.name() : ""; }
std::string Variable::op_name() const { return valid() ? record().variable.op().name() : ""; }

DType Variable::dtype() const {
  const VariableRecord& r = record();
  return BaseType(r.is_resource ? r.snapshot.dtype() : r.variable.dtype());
}

Shape Variable::shape() const {
  const VariableRecord& r = record();
  return r.is_resource ? r.snapshot.shape() : r.variable.shape();
}

std::string Variable::ToString() const {
  return valid() ? StrCat(name(), " ", DTypeName(dtype()), shape()) : "no variable";
}

}  // namespace ramet
