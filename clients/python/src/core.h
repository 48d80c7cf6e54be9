#pragma once

// What the files of the extension module ramet._core share: Python's handles of a graph and the
// conversions between Python values and the library's. All of it is called with the GIL held.

#define PY_SSIZE_T_CLEAN
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ramet/ramet.h"

namespace nb = nanobind;

namespace ramet::python {

// An error is set in the interpreter; thrown through C++ frames of this module only.
struct PythonError {};
// Turns a null result of the C API into that.
inline PyObject* Checked(PyObject* object) {
  if (object == nullptr) throw PythonError();
  return object;
}
inline void Checked(int result) {
  if (result < 0) throw PythonError();
}
[[noreturn]] void Raise(PyObject* type, const std::string& message);
template <class... Args>
[[noreturn]] void RaiseTypeError(const Args&... args) {
  Raise(PyExc_TypeError, StrCat(args...));
}
template <class... Args>
[[noreturn]] void RaiseValueError(const Args&... args) {
  Raise(PyExc_ValueError, StrCat(args...));
}
// Lists in a value, or in what stands for one, may be nested this deep; a list that holds itself is
// deeper.
inline constexpr int kMaxValueDepth = 64;
[[noreturn]] void RaiseTooDeep();
// Raises the tf.errors class of the status; a handle of `graph`, if there is one, finds the node.
[[noreturn]] void RaiseStatus(const Status& status, PyObject* graph = nullptr);
// As TensorFlow raises what goes wrong while a graph is built: ValueError for wrong arguments.
[[noreturn]] void RaiseBuildStatus(const Status& status);
template <class T>
T Value(StatusOr<T> value) {
  if (!value.ok()) RaiseStatus(value.status());
  return *std::move(value);
}
inline void Check(const Status& status) {
  if (!status.ok()) RaiseStatus(status);
}

// What the Python half of the package gave to set_hooks, by name.
struct Hooks {
  PyObject* operation_class = nullptr;
  PyObject* tensor_class = nullptr;
  PyObject* dtypes = nullptr;           // list: by number, DType or None
  PyObject* as_dtype = nullptr;         // anything -> DType
  PyObject* make_shape = nullptr;       // list of int, or None -> TensorShape
  PyObject* shape_as_list = nullptr;    // anything -> list of int (-1 unknown), or None
  PyObject* convert = nullptr;          // (value, dtype, name, as_ref, preferred) -> Tensor
  PyObject* default_graph = nullptr;    // () -> Graph
  PyObject* graph_element = nullptr;    // object -> Tensor or Operation, or None
  PyObject* status_error = nullptr;     // (code, message, node name, graph) -> exception
  PyObject* named_outputs = nullptr;    // (op, names) -> class
  PyObject* op_created = nullptr;       // (graph, operation)
  PyObject* variable_object = nullptr;  // (graph, id) -> Variable
  PyObject* tensor_proto = nullptr;     // object -> bytes of a TensorProto, or None
};
Hooks& TheHooks();

// The calls by which the nodes of a graph were made: chains of (code, instruction), each kept once.
class Traces {
 public:
  Traces() = default;
  ~Traces();
  // The calls above this point that are not the package's own; -1 if there are none.
  int32_t Current();
  void Assign(size_t first, size_t last, int32_t trace);
  // [(file, line, function)], outermost first.
  nb::list Of(NodeId id) const;
  int Visit(visitproc visit, void* arg) const;

 private:
  struct Call {
    int32_t parent;
    PyCodeObject* code;  // owned
    int instruction;
  };
  struct Key {
    int32_t parent;
    PyCodeObject* code;
    int instruction;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& k) const {
      return std::hash<const void*>()(k.code) ^
             (static_cast<size_t>(k.parent) * 0x9e3779b97f4a7c15) ^
             static_cast<size_t>(k.instruction) << 20;
    }
  };
  std::vector<Call> calls_;
  std::unordered_map<Key, int32_t, KeyHash> known_;
  std::vector<int32_t> of_node_;
};

// Python's Graph. The handles that were handed out are kept, so that a tensor is one object; the
// facts stay in the Graph.
struct PyGraph : Graph {
  explicit PyGraph(PyObject* object) : self(object) {}
  ~PyGraph();
  void ClearHandles();

  PyObject* self;  // borrowed: the object that holds this
  std::vector<PyObject*> operation_objects;
  std::vector<PyObject*> tensor_objects;  // of output 0
  std::unordered_map<uint64_t, PyObject*> other_tensor_objects;
  Traces traces;
  size_t traced = 0;    // nodes whose trace is noted
  bool hooked = false;  // whether op_created wants to see new nodes
  // Whether it is the body of a function that is being written: see Inside.
  bool captures = false;
  // Whether tensors of its own have others in their place: while the gradient function of a cloned
  // operation runs.
  bool replaces = false;
  static int num_capturing;
  std::string container;
  // What is inside of a branch or loop and whatever else runs may not ask for or replace.
  std::unordered_set<NodeId> unfetchable;
  std::unordered_set<Output, OutputHash> unfeedable;
  // For consumers(): readers of each node's outputs, as of a version.
  int64_t consumers_version = -1;
  std::vector<std::vector<std::pair<NodeId, int>>> consumers;

  // Each thread has a name scope of its own, as in TensorFlow: puts that of this thread into place.
  void UseThread();
  unsigned long thread = 0;
  std::unordered_map<unsigned long, std::string> name_stacks;

  // Notes the trace of all nodes that are new and shows them to the hooks.
  void NoteNewNodes();
  void HoldBackInner(size_t first, size_t count);
};

// A branch or loop of a graph, which is kept with it.
struct PyContext {
  PyGraph* graph;  // owned through its object
  ControlFlowContext* context;
  explicit PyContext(ControlFlowContext* c)
      : graph(static_cast<PyGraph*>(&c->graph())), context(c) {
    Py_INCREF(graph->self);
  }
  PyContext(const PyContext&) = delete;
  ~PyContext() { Py_DECREF(graph->self); }
};
// None for null.
nb::object WrapContext(ControlFlowContext* context);

struct PyOperation {
  PyGraph* graph;  // owned through its object
  NodeId id;
  PyOperation(PyGraph* g, NodeId i) : graph(g), id(i) { Py_INCREF(g->self); }
  PyOperation(const PyOperation&) = delete;
  ~PyOperation() { Py_DECREF(graph->self); }
  Operation operation() const { return Operation(graph, id); }
};

struct PyTensor {
  PyGraph* graph;
  NodeId id;
  int index;
  PyTensor(PyGraph* g, NodeId i, int o) : graph(g), id(i), index(o) { Py_INCREF(g->self); }
  PyTensor(const PyTensor&) = delete;
  ~PyTensor() { Py_DECREF(graph->self); }
  Output output() const { return Output(Operation(graph, id), index); }
};

inline PyGraph* GraphOf(const Graph* graph) {
  return static_cast<PyGraph*>(const_cast<Graph*>(graph));
}
// New references.
PyObject* Wrap(const Operation& operation);
PyObject* Wrap(const Output& output);
PyObject* WrapVariable(const Variable& variable);
// nullptr if the object is none of these.
PyGraph* AsGraph(PyObject* object);
const PyOperation* AsOperation(PyObject* object);
const PyTensor* AsTensor(PyObject* object);
// The graph that new nodes go to when no input says which.
PyGraph* DefaultGraph();

// DType and TensorShape of the Python half.
PyObject* WrapDType(DType dtype);  // new reference
DType ToDType(PyObject* value);    // raises TypeError
PyObject* WrapShape(const Shape& shape);
Shape ToShape(PyObject* value);
std::string ToText(PyObject* value);  // str or bytes; raises TypeError
bool IsText(PyObject* value);
// For messages: "float32", repr(value), str(value).
std::string PublicName(DType dtype);
std::string Repr(PyObject* value);
std::string Str(PyObject* value);
PyObject* Interned(const std::string& text);  // new reference

// Python's value of an attr, and the attr that a value stands for under a definition.
PyObject* WrapAttr(const Attr& attr);
Attr ToAttr(PyObject* value, const AttrSchema& schema, std::string_view op);

// arrays.cc: numpy.
void ImportNumpy();
// A fetched value: an array of its own (a numpy scalar or bytes for rank 0).
PyObject* WrapTensor(Tensor tensor);
// A tensor of `dtype` (kInvalid: whichever fits) from an array, or an empty one if the object is no
// array. `borrow`: over the array's memory where that can be, else a copy.
Tensor FromArray(PyObject* value, DType dtype, bool borrow);
bool IsArray(PyObject* value);
bool IsNumpyScalar(PyObject* value);
DType ArrayDType(PyObject* array);  // kInvalid for objects and what else has no counterpart
PyObject* NumpyDType(DType dtype);  // borrowed

// values.cc: numbers, text and nested lists of these. Empty if the value holds anything else.
// Raises TypeError where a number does not fit `want`, ValueError for ragged lists.
Tensor FromValue(PyObject* value, DType want, DType preferred);

// The tensor that an op takes for a value, named `name` if it becomes a constant in the current
// name scope. Without `dtype` the value gets `preferred` where that fits; numbers and lists of
// numbers ignore `object_preferred`.
Output ConvertToTensor(PyGraph* graph, PyObject* value, DType dtype, const std::string& name,
                       bool as_ref, DType preferred, DType object_preferred = DType::kInvalid);

// What stands for a tensor in the graph: itself, or what graph._inside() gives, for a tensor from
// outside in the body of a function that is being written, and where a graph replaces tensors.
Output Inside(PyGraph* graph, const Output& tensor);

// Adds a node with exactly these inputs in the open scopes; new nodes are noted.
Operation CreateOp(PyGraph* graph, const std::string& type, const std::vector<Output>& inputs,
                   AttrMap attrs, const std::string& name);

// The session behind ramet._core.Session.
Session& SessionOf(nb::handle session);

// Parts of the module.
void BindHandles(nb::module_& m);
void BindScopes(nb::module_& m);
void BindCollections(nb::module_& m);
void BindOpFunctions(nb::module_& m);
void BindBuilding(nb::module_& m);
void BindFunctions(nb::module_& m);
void BindControlFlow(nb::module_& m);
void BindSession(nb::module_& m);
void BindPartialRun(nb::module_& m);
void BindGradients(nb::module_& m);
void BindHostFunctions(nb::module_& m);
void BindArrays(nb::module_& m);
void BindData(nb::module_& m);
void BindVariables(nb::module_& m);
void BindCheckpoint(nb::module_& m);
void BindImportExport(nb::module_& m);
void BindSavedModel(nb::module_& m);
void BindDraw(nb::module_& m);
void BindEdits(nb::module_& m);
void BindClones(nb::module_& m);

}  // namespace ramet::python
