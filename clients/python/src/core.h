#pragma once

// Declarations shared by the files of the extension module ramet._core: Python's handles of a graph
// and the conversions between Python values and the library's. Everything is called with the GIL.

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

// Thrown when an error is set in the interpreter, through C++ frames of this module only.
struct PythonError {};
// Throws PythonError if the result of a C API call is null.
inline PyObject* Checked(PyObject* object) {
  if (object == nullptr) throw PythonError();
  return object;
}
inline void Checked(int result) {
  if (result < 0) throw PythonError();
}
// Takes the ownership of a new reference, or of null.
inline nb::object Take(PyObject* object) { return nb::steal(object); }
[[noreturn]] void Raise(PyObject* type, const std::string& message);
template <class... Args>
[[noreturn]] void RaiseTypeError(const Args&... args) {
  Raise(PyExc_TypeError, StrCat(args...));
}
template <class... Args>
[[noreturn]] void RaiseValueError(const Args&... args) {
  Raise(PyExc_ValueError, StrCat(args...));
}
// The maximum nesting depth of lists in a value, or in its replacement. A list that contains itself
// exceeds it.
inline constexpr int kMaxValueDepth = 64;
[[noreturn]] void RaiseTooDeep();
// Raises the tf.errors class for the status. `graph`, a handle if not null, is used to find the
// node.
[[noreturn]] void RaiseStatus(const Status& status, PyObject* graph = nullptr);
// Raises a status like TensorFlow does during graph construction: ValueError for wrong arguments.
[[noreturn]] void RaiseBuildStatus(const Status& status);
template <class T>
T Value(StatusOr<T> value) {
  if (!value.ok()) RaiseStatus(value.status());
  return *std::move(value);
}
inline void Check(const Status& status) {
  if (!status.ok()) RaiseStatus(status);
}

// The functions and classes that the Python half of the package passes to set_hooks, by name.
struct Hooks {
  PyObject* operation_class = nullptr;
  PyObject* tensor_class = nullptr;
  PyObject* eager_tensor_class = nullptr;
  PyObject* eager_variable_class = nullptr;
  PyObject* recorded_op = nullptr;    // (type, inputs, outputs, attrs) -> object like an Operation
  PyObject* dtypes = nullptr;         // a list of DType or None, by number
  PyObject* as_dtype = nullptr;       // anything -> DType
  PyObject* make_shape = nullptr;     // list of int, or None -> TensorShape
  PyObject* shape_as_list = nullptr;  // anything -> list of int (-1 unknown), or None
  PyObject* convert = nullptr;        // (value, dtype, name, as_ref, preferred) -> Tensor
  PyObject* default_graph = nullptr;  // () -> Graph
  PyObject* graph_element = nullptr;  // object -> Tensor or Operation, or None
  PyObject* status_error = nullptr;   // (code, message, node name, graph) -> exception
  PyObject* named_outputs = nullptr;  // (op, names) -> class
  PyObject* op_created = nullptr;     // (graph, operation)
  PyObject* variable_object = nullptr;  // (graph, id) -> Variable
  PyObject* tensor_proto = nullptr;     // object -> bytes of a TensorProto, or None
};
Hooks& TheHooks();

// The calls that created the nodes of a graph: chains of (code, instruction), each stored once.
class Traces {
 public:
  Traces() = default;
  ~Traces();
  // Returns the number of the chain of calls that leads here from outside the package, or -1 if
  // there is none.
  int32_t Current();
  // Assigns a chain to the nodes [first, last).
  void Assign(size_t first, size_t last, int32_t trace);
  // Returns [(file, line, function)], outermost first.
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

// Python's Graph. It caches the handles that were created, so that each tensor is a single object.
// All data is in the Graph.
struct PyGraph : Graph {
  explicit PyGraph(PyObject* object) : self(object) {}
  ~PyGraph();
  void ClearHandles();

  PyObject* self;  // borrowed: the object that holds this
  std::vector<PyObject*> operation_objects;
  std::vector<PyObject*> tensor_objects;  // of output 0
  std::unordered_map<uint64_t, PyObject*> other_tensor_objects;
  Traces traces;
  size_t traced = 0;    // the number of nodes whose traces are recorded
  bool hooked = false;  // whether to call op_created for new nodes

  // True for the body of a function under construction; see Inside().
  bool captures = false;
  // True while the gradient function of a cloned operation runs: its tensors are then replaced.
  bool replaces = false;
  static int num_capturing;  // the number of graphs with `captures`
  // True for the graph that stands for eager execution: nothing is added to it, and operations run
  // when they are called.
  bool eager = false;
  static int num_eager;      // the number of graphs with `eager`
  std::string eager_device;  // of the operations that run eagerly; empty for the default
  std::string container;
  // Elements inside a branch or loop, and others that runs may not fetch or feed.
  std::unordered_set<NodeId> unfetchable;
  std::unordered_set<Output, OutputHash> unfeedable;
  // For consumers(): the readers of each node's outputs, as of a version of the graph.
  int64_t consumers_version = -1;
  std::vector<std::vector<std::pair<NodeId, int>>> consumers;

  // Selects this thread's name scope. Like in TensorFlow, each thread has its own.
  void UseThread();
  unsigned long thread = 0;
  std::unordered_map<unsigned long, std::string> name_stacks;

  // Records the traces of all new nodes and passes the nodes to the hooks.
  void NoteNewNodes();
  // Forbids fetching and feeding what is inside a branch or loop, for the nodes [first, count).
  void HoldBackInner(size_t first, size_t count);
};

// A branch or loop of a graph. It keeps its graph alive.
struct PyContext {
  PyGraph* graph;  // kept alive through its object
  ControlFlowContext* context;
  explicit PyContext(ControlFlowContext* c)
      : graph(static_cast<PyGraph*>(&c->graph())), context(c) {
    Py_INCREF(graph->self);
  }
  PyContext(const PyContext&) = delete;
  ~PyContext() { Py_DECREF(graph->self); }
};
// Returns None for null.
nb::object WrapContext(ControlFlowContext* context);

struct PyOperation {
  PyGraph* graph;  // kept alive through its object
  NodeId id;
  PyOperation(PyGraph* g, NodeId i) : graph(g), id(i) { Py_INCREF(g->self); }
  PyOperation(const PyOperation&) = delete;
  ~PyOperation() { Py_DECREF(graph->self); }
  Operation operation() const { return Operation(graph, id); }
};

// A tensor of a graph, or a value of eager execution.
struct PyTensor {
  PyGraph* graph = nullptr;  // null for an eager value
  NodeId id = 0;
  int index = 0;
  std::unique_ptr<EagerValue> eager;
  PyTensor(PyGraph* g, NodeId i, int o) : graph(g), id(i), index(o) { Py_INCREF(g->self); }
  explicit PyTensor(EagerValue value) : eager(std::make_unique<EagerValue>(std::move(value))) {}
  PyTensor(const PyTensor&) = delete;
  ~PyTensor() {
    if (graph != nullptr) Py_DECREF(graph->self);
  }
  Output output() const { return Output(Operation(graph, id), index); }
  DType dtype() const { return eager ? eager->dtype() : output().dtype(); }
  // Returns the shape of the value, or the static shape.
  Shape shape() const { return eager ? eager->value.tensor.shape() : output().shape(); }
};

inline PyGraph* GraphOf(const Graph* graph) {
  return static_cast<PyGraph*>(const_cast<Graph*>(graph));
}
// Return new references.
PyObject* Wrap(const Operation& operation);
PyObject* Wrap(const Output& output);
PyObject* Wrap(EagerValue value);
PyObject* WrapVariable(const Variable& variable);
// Return nullptr if the object has a different type.
PyGraph* AsGraph(PyObject* object);
const PyOperation* AsOperation(PyObject* object);
const PyTensor* AsTensor(PyObject* object);  // of a graph
EagerValue* AsEager(PyObject* object);
// Return what a handle stands for; raise TypeError if it is not an Operation or a Tensor.
Operation OperationArg(nb::handle handle);
Output OutputArg(nb::handle handle);
// Returns the graph for new nodes whose inputs do not determine it.
PyGraph* DefaultGraph();

// Conversions to and from DType and TensorShape of the Python half.
PyObject* WrapDType(DType dtype);  // new reference
DType ToDType(PyObject* value);    // raises TypeError
PyObject* WrapShape(const Shape& shape);
Shape ToShape(PyObject* value);
std::string ToText(PyObject* value);  // str or bytes; raises TypeError
bool IsText(PyObject* value);
inline nb::bytes Bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }
// Texts for messages: "float32", repr(value), str(value).
std::string PublicName(DType dtype);
std::string Repr(PyObject* value);
std::string Str(PyObject* value);
PyObject* Interned(const std::string& text);  // new reference

// Conversions of attrs to and from Python values; the definition determines the attr's type.
PyObject* WrapAttr(const Attr& attr);
Attr ToAttr(PyObject* value, const AttrSchema& schema, std::string_view op);
// Converts the attrs of a node of any op.
AttrMap ToAttrs(const nb::dict& attrs, const std::string& type);

// arrays.cc: numpy.
void ImportNumpy();
// Returns a fetched value: an array of its own, or a numpy scalar or bytes for rank 0.
PyObject* WrapTensor(Tensor tensor);
// Returns a tensor of `dtype` (kInvalid selects one that fits) from an array, or an empty tensor if
// the object is not an array. With `borrow`, it uses the array's memory if possible, else a copy.
Tensor FromArray(PyObject* value, DType dtype, bool borrow);
// Returns `preferred` if `value` is a numpy array or scalar of numbers, which then have that dtype,
// as in TensorFlow. Returns kInvalid for other values, and for complex numbers if it is a real
// type.
DType PreferredForArray(PyObject* value, DType preferred);
bool IsArray(PyObject* value);
bool IsNumpyScalar(PyObject* value);
DType ArrayDType(PyObject* array);  // kInvalid for objects and other types without a counterpart
PyObject* NumpyDType(DType dtype);  // borrowed

// values.cc: numbers, text and nested lists of these. Returns an empty tensor for other values.
// Integers that are too large for `want` wrap around.
// Raises TypeError if a number does not fit `want`, and ValueError for ragged lists.
Tensor FromValue(PyObject* value, DType want, DType preferred);
// Reports whether a Python int is in the range of an integer dtype. True for other dtypes.
bool IntegerFits(PyObject* value, DType dtype);

// An input of an op: a tensor of a graph, or an EagerTensor.
struct InputTensor {
  InputTensor() = default;
  InputTensor(Output output) : node(output) {}  // NOLINT: implicit on purpose
  explicit InputTensor(nb::object value) : eager(std::move(value)) {}
  bool is_eager() const { return eager.is_valid(); }
  DType dtype() const { return is_eager() ? AsEager(eager.ptr())->dtype() : node.dtype(); }
  nb::object object() const { return is_eager() ? eager : Take(Wrap(node)); }

  Output node;
  nb::object eager;
};

// Returns the tensor that an op uses for a value. A new constant is named `name`, in the current
// name scope. Without `dtype`, the value gets `preferred` if that fits. Numbers and lists of
// numbers ignore `object_preferred`.
InputTensor ConvertToTensor(PyGraph* graph, PyObject* value, DType dtype, const std::string& name,
                            bool as_ref, DType preferred, DType object_preferred = DType::kInvalid);

// Returns the tensor to use in the graph: `tensor` itself, or the result of graph._inside() for an
// outer tensor in the body of a function under construction and in graphs that replace tensors.
Output Inside(PyGraph* graph, const Output& tensor);
// Returns the tensor of the graph that stands for an eager tensor: a captured one in the body of a
// function under construction. Raises RuntimeError for other graphs, with the name of the input.
Output Captured(PyGraph* graph, PyObject* eager, const std::string& name);

// Adds a node with exactly these inputs in the current scopes, and records new nodes.
Operation CreateOp(PyGraph* graph, const std::string& type, const std::vector<Output>& inputs,
                   AttrMap attrs, const std::string& name);

// Returns the session behind ramet._core.Session.
Session& SessionOf(nb::handle session);

// Register the parts of the module.
void BindHandles(nb::module_& m);
void BindScopes(nb::module_& m);
void BindCollections(nb::module_& m);
void BindOpFunctions(nb::module_& m);
void BindBuilding(nb::module_& m);
void BindEager(nb::module_& m);
void BindFunctions(nb::module_& m);
void BindControlFlow(nb::module_& m);
void BindSession(nb::module_& m);
void BindPartialRun(nb::module_& m);
void BindGradients(nb::module_& m);
void BindHostFunctions(nb::module_& m);
void BindData(nb::module_& m);
void BindVariables(nb::module_& m);
void BindCheckpoint(nb::module_& m);
void BindImportExport(nb::module_& m);
void BindSavedModel(nb::module_& m);
void BindDeviceWork(nb::module_& m);
void BindDraw(nb::module_& m);
void BindEdits(nb::module_& m);
void BindClones(nb::module_& m);

}  // namespace ramet::python
