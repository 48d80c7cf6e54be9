#include "ramet/graph/operation.h"

#include "ramet/graph/graph_impl.h"

namespace ramet {
namespace {

const GraphImpl& Impl(const Graph* graph) { return graph->impl(); }

}  // namespace

std::string Operation::name() const {
  if (!valid()) return "";
  ReaderLock lock(Impl(graph_).mutex);
  return std::string(Impl(graph_).nodes[id_].name);
}

std::string Operation::type() const { return op().name(); }

const Op& Operation::op() const {
  ReaderLock lock(Impl(graph_).mutex);
  return *Impl(graph_).nodes[id_].op;
}

std::string Operation::device() const {
  ReaderLock lock(Impl(graph_).mutex);
  return Impl(graph_).devices[Impl(graph_).nodes[id_].device];
}

int Operation::num_inputs() const {
  ReaderLock lock(Impl(graph_).mutex);
  return Impl(graph_).nodes[id_].num_inputs;
}

int Operation::num_outputs() const {
  ReaderLock lock(Impl(graph_).mutex);
  return Impl(graph_).nodes[id_].num_outputs;
}

Output Operation::input(int i) const {
  ReaderLock lock(Impl(graph_).mutex);
  Endpoint e = Impl(graph_).inputs(id_)[i];
  return Output(Operation(graph_, e.node), e.index);
}

Output Operation::output(int i) const { return valid() ? Output(*this, i) : Output(); }

std::vector<Output> Operation::inputs() const {
  ReaderLock lock(Impl(graph_).mutex);
  std::vector<Output> all;
  for (Endpoint e : Impl(graph_).inputs(id_)) {
    all.push_back(Output(Operation(graph_, e.node), e.index));
  }
  return all;
}

std::vector<Output> Operation::outputs() const {
  std::vector<Output> all;
  for (int i = 0, n = num_outputs(); i < n; ++i) all.push_back(output(i));
  return all;
}

std::vector<Operation> Operation::control_inputs() const {
  ReaderLock lock(Impl(graph_).mutex);
  std::vector<Operation> all;
  for (Endpoint e : Impl(graph_).controls(id_)) all.push_back(Operation(graph_, e.node));
  return all;
}

std::shared_ptr<const AttrMap> Operation::attrs() const {
  ReaderLock lock(Impl(graph_).mutex);
  return Impl(graph_).nodes[id_].attrs;
}

std::string Operation::ToString() const {
  return valid() ? StrCat(name(), " (", type(), ")") : "no operation";
}

std::string Output::name() const { return valid() ? StrCat(op_.name(), ":", index_) : ""; }

DType Output::dtype() const {
  if (!valid()) return DType::kInvalid;
  ReaderLock lock(Impl(graph()).mutex);
  return Impl(graph()).output({op_.id(), index_}).dtype;
}

Shape Output::shape() const {
  if (!valid()) return Shape::Unknown();
  ReaderLock lock(Impl(graph()).mutex);
  return Impl(graph()).output({op_.id(), index_}).shape;
}

std::string Output::ToString() const {
  return valid() ? StrCat(name(), " ", DTypeName(dtype()), shape()) : "no tensor";
}

}  // namespace ramet
