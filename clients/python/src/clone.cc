#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "core.h"
#include "interrupt.h"

namespace ramet::python {
namespace {

// Converts a tensor, an operation, a name, or the number of a variable of the source.
GraphElement ElementOf(PyGraph& source, nb::handle h) {
  if (const PyTensor* tensor = AsTensor(h.ptr())) return tensor->output();
  if (const PyOperation* op = AsOperation(h.ptr())) return op->operation();
  if (PyLong_Check(h.ptr())) return Variable(&source, nb::cast<VariableId>(h));
  return ToText(h.ptr());
}

std::vector<GraphElement> ElementsOf(PyGraph& source, nb::handle list) {
  std::vector<GraphElement> all;
  for (nb::handle h : list) all.push_back(ElementOf(source, h));
  return all;
}

CloneState StateOf(bool shared) { return shared ? CloneState::kShared : CloneState::kOwn; }

// Converts True, False, or a function of the name of the state's operation. If the function raises
// an exception, it propagates through Clone, which has not changed anything at this point.
CloneStateRule RuleOf(nb::handle shared) {
  if (PyBool_Check(shared.ptr())) return StateOf(shared.ptr() == Py_True);
  return [fn = nb::borrow(shared)](const std::string& name) {
    return StateOf(nb::cast<bool>(fn(name)));
  };
}

// Converts None, text, a dict, or a function from the operation to text.
CloneDevice DeviceOf(nb::handle device) {
  if (device.is_none()) return {};
  if (IsText(device.ptr())) return ToText(device.ptr());
  if (PyDict_Check(device.ptr())) {
    CloneDevice::Map map;
    for (auto [from, to] : nb::borrow<nb::dict>(device)) {
      map.emplace(ToText(from.ptr()), ToText(to.ptr()));
    }
    return map;
  }
  return
      [fn = nb::borrow(device)](const Operation& op) { return ToText(fn(Take(Wrap(op))).ptr()); };
}

// Converts None (initializers), True (current values) or text (a checkpoint's prefix).
CloneInitial InitialOf(nb::handle initial) {
  if (initial.is_none()) return kInitializer;
  if (PyBool_Check(initial.ptr())) return kCurrent;
  return ToText(initial.ptr());
}

// Converts a Tensor, or None or a TensorShape for a placeholder.
CloneReplacement ReplacementOf(nb::handle by) {
  if (by.is_none()) return ClonePlaceholder();
  if (const PyTensor* tensor = AsTensor(by.ptr())) return tensor->output();
  return ClonePlaceholder{.shape = ToShape(by.ptr())};
}

// Converts a list of pairs.
CloneDtype::Map DtypesOf(nb::handle pairs) {
  CloneDtype::Map map;
  for (nb::handle pair : pairs) {
    map[ToDType(nb::object(pair[0]).ptr())] = ToDType(nb::object(pair[1]).ptr());
  }
  return map;
}

// Converts a list of pairs, or a function from the operation to such a list.
CloneDtype DtypeOf(nb::handle dtype) {
  if (PyList_Check(dtype.ptr())) return DtypesOf(dtype);
  return [fn = nb::borrow(dtype)](const Operation& op) { return DtypesOf(fn(Take(Wrap(op)))); };
}

CloneOptions OptionsOf(PyGraph& source, nb::dict given) {
  CloneOptions options;
  options.into = AsGraph(nb::object(given["into"]).ptr());
  options.inputs = ElementsOf(source, given["inputs"]);
  options.outputs = ElementsOf(source, given["outputs"]);
  options.ops = ElementsOf(source, given["ops"]);
  options.scope = nb::cast<std::string>(given["scope"]);
  options.dst_scope = nb::cast<std::string>(given["dst_scope"]);
  for (nb::handle pair : nb::object(given["input_map"])) {
    options.input_map.emplace_back(ElementOf(source, pair[0]), ReplacementOf(pair[1]));
  }
  options.device = DeviceOf(given["device"]);
  options.variables = RuleOf(given["variables"]);
  options.resources = RuleOf(given["resources"]);
  options.initial = InitialOf(given["initial"]);
  options.slots = nb::cast<bool>(given["slots"]);
  options.collections = nb::cast<std::optional<std::vector<std::string>>>(given["collections"]);
  nb::object session = given["session"];
  if (!session.is_none()) options.session = SessionOf(session);
  options.dtype = DtypeOf(given["dtype"]);
  options.strip_training = nb::cast<bool>(given["strip_training"]);
  return options;
}

// The result of Clone. The Python object that holds it keeps the graphs alive.
class PyClone {
 public:
  explicit PyClone(Cloned cloned) : cloned_(std::move(cloned)) {}

  const Cloned& cloned() const { return cloned_; }
  PyGraph& source() const { return *GraphOf(&cloned_.source()); }
  PyGraph& graph() const { return *GraphOf(&cloned_.graph()); }

  nb::object Transformed(nb::handle h) const {
    if (const PyTensor* tensor = AsTensor(h.ptr())) {
      const Output copy = cloned_.Transformed(tensor->output());
      return copy.valid() ? Take(Wrap(copy)) : nb::none();
    }
    if (const PyOperation* op = AsOperation(h.ptr())) {
      const Operation copy = cloned_.Transformed(op->operation());
      return copy.valid() ? Take(Wrap(copy)) : nb::none();
    }
    const Variable copy = cloned_.Transformed(Variable(&source(), nb::cast<VariableId>(h)));
    return copy.valid() ? Take(WrapVariable(copy)) : nb::none();
  }

  // Returns [(original, copy)]. The original is a tensor if the source has no variable for it.
  nb::list Variables() const {
    std::unordered_map<Output, VariableId, OutputHash> known;
    const auto& records = source().variables();
    for (size_t v = records.size(); v-- > 0;) known[records[v].variable] = VariableId(v);
    nb::list all;
    for (const ClonedVariable& v : cloned_.variables()) {
      auto it = known.find(v.original);
      PyObject* original =
          it == known.end() ? Wrap(v.original) : WrapVariable(Variable(&source(), it->second));
      all.append(nb::make_tuple(Take(original), Take(WrapVariable(v.copy))));
    }
    return all;
  }

  // Returns the operations of the source that were copied, in order.
  nb::list Originals() const {
    nb::list all;
    for (NodeId id = 0; id < source().num_operations(); ++id) {
      const Operation op = source().operation(id);
      if (IsNew(op)) all.append(Take(Wrap(op)));
    }
    return all;
  }

  // Returns the tensors of the source that are replaced by others.
  nb::list OriginalTensors() const {
    nb::list all;
    for (NodeId id = 0; id < source().num_operations(); ++id) {
      for (const Output& tensor : source().operation(id).outputs()) {
        const Output copy = cloned_.Transformed(tensor);
        if (copy.valid() && copy != tensor) all.append(Take(Wrap(tensor)));
      }
    }
    return all;
  }

  // Returns the originals with their own gradient function, defined by the program.
  nb::list OriginalsWithGradient() const {
    nb::list all;
    for (NodeId id = 0; id < source().num_operations(); ++id) {
      const Operation op = source().operation(id);
      if (op.attrs()->Find("_gradient_op_type") != nullptr && IsNew(op)) all.append(Take(Wrap(op)));
    }
    return all;
  }

  nb::list SaverMap() const {
    nb::list all;
    for (const ClonedCheckpointEntry& entry : cloned_.SaverMap()) {
      nb::list variables;
      for (const Variable& v : entry.variables) variables.append(Take(WrapVariable(v)));
      const DType dtype = entry.variables[0].dtype();
      const bool same = entry.dtype == DType::kInvalid || entry.dtype == dtype;
      all.append(nb::make_tuple(entry.name, variables, entry.is_partitioned,
                                same ? nb::none() : Take(WrapDType(entry.dtype))));
    }
    return all;
  }

  nb::object Made(StatusOr<Operation> op) const {
    graph().NoteNewNodes();
    return Take(Wrap(Value(std::move(op))));
  }

  // Copies all of the originals' values, or a fraction of each, from one session to another.
  void Update(nb::handle from, nb::handle to, std::optional<double> tau) const {
    Session &source_session = SessionOf(from), &own_session = SessionOf(to);
    const Status done = WithoutGil([&] {
      return tau ? cloned_.Polyak(*tau, source_session, own_session)
                 : cloned_.Update(source_session, own_session);
    });
    graph().NoteNewNodes();
    Check(done);
  }

  // Forbids feeding and fetching the copies of elements that cannot be fed or fetched in the
  // source.
  void HoldBack() const {
    PyGraph& from = source();
    std::vector<NodeId> unfetchable;
    std::vector<Output> unfeedable;
    for (NodeId id : from.unfetchable) {
      const Operation copy = cloned_.Transformed(from.operation(id));
      if (copy.valid()) unfetchable.push_back(copy.id());
    }
    for (const Output& tensor : from.unfeedable) {
      const Output copy = cloned_.Transformed(tensor);
      if (copy.valid() && IsNew(tensor.op())) unfeedable.push_back(copy);
    }
    graph().unfetchable.insert(unfetchable.begin(), unfetchable.end());
    graph().unfeedable.insert(unfeedable.begin(), unfeedable.end());
  }

 private:
  bool IsNew(const Operation& op) const {
    const Operation copy = cloned_.Transformed(op);
    return copy.valid() && copy != op;
  }

  Cloned cloned_;
};

// Clones with the current scopes. They determine the location of the clone but not its nodes, which
// are like the originals.
PyClone* Make(PyGraph& source, nb::dict given) {
  const CloneOptions options = OptionsOf(source, given);
  PyGraph& target = options.into == nullptr ? source : *GraphOf(options.into);
  target.UseThread();
  target.NoteNewNodes();
  StatusOr<Cloned> cloned = WithGil([&] { return Clone(source, options); });
  if (!cloned.ok()) RaiseStatus(cloned.status());
  const bool hooked = std::exchange(target.hooked, false);
  target.NoteNewNodes();
  target.hooked = hooked;
  auto* made = new PyClone(*std::move(cloned));
  made->HoldBack();
  return made;
}

}  // namespace

void BindClones(nb::module_& m) {
  m.def("clone", &Make, nb::rv_policy::take_ownership);
  nb::class_<PyClone>(m, "Clone")
      .def("transformed", &PyClone::Transformed)
      .def("variables", &PyClone::Variables)
      .def("originals", &PyClone::Originals)
      .def("original_tensors", &PyClone::OriginalTensors)
      .def("originals_with_gradient", &PyClone::OriginalsWithGradient)
      .def("saver_map", &PyClone::SaverMap)
      .def("scope", [](PyClone& c) { return c.cloned().scope(); })
      .def("size", [](PyClone& c) { return c.cloned().operations().size(); })
      .def("init_op", [](PyClone& c) { return Take(Wrap(c.cloned().init_op())); })
      .def("update_op", [](PyClone& c) { return c.Made(c.cloned().UpdateOp()); })
      .def("update", &PyClone::Update, nb::arg(), nb::arg(), nb::arg().none())
      .def("polyak_op", [](PyClone& c, double tau) { return c.Made(c.cloned().PolyakOp(tau)); });
}

}  // namespace ramet::python
