#include "core.h"
#include "interrupt.h"

namespace ramet::python {
namespace {

// A Python object in a collection. Python converts it to its form in a file.
class PythonItem final : public CollectionObject {
 public:
  PythonItem(nb::handle object, nb::handle exporter)
      : object_(nb::borrow(object)), exporter_(nb::borrow(exporter)) {}
  ~PythonItem() override {
    if (const GilAcquire gil; gil) {
      object_.reset();
      exporter_.reset();
    } else {
      object_.release();
      exporter_.release();
    }
  }
  PyObject* object() const { return object_.ptr(); }

  // The exporter returns an int, a float, bytes (text or a message as stored in a file), or None.
  StatusOr<CollectionItem> Export(const std::string& export_scope) const override {
    const GilAcquire gil;
    if (!gil) return Cancelled("the Python interpreter has ended");
    nb::object made = nb::steal(
        PyObject_CallFunction(exporter_.ptr(), "Os", object_.ptr(), export_scope.c_str()));
    if (!made.is_valid()) {
      PyErr_Clear();
      return InvalidArgument("the object cannot be written to a file");
    }
    if (made.is_none()) return NotFound("the object has nothing to write yet");
    if (PyBytes_Check(made.ptr())) return CollectionItem(ToText(made.ptr()));
    if (PyLong_Check(made.ptr())) return CollectionItem(nb::cast<int64_t>(made));
    if (PyFloat_Check(made.ptr())) return CollectionItem(nb::cast<float>(made));
    return InvalidArgument("the object cannot be written to a file");
  }

 private:
  nb::object object_, exporter_;
};

nb::object WrapItem(const CollectionItem& item) {
  struct Visitor {
    PyObject* operator()(const Output& v) { return Wrap(v); }
    PyObject* operator()(const Operation& v) { return Wrap(v); }
    PyObject* operator()(const Variable& v) { return WrapVariable(v); }
    PyObject* operator()(int64_t v) { return Checked(PyLong_FromLongLong(v)); }
    PyObject* operator()(float v) { return Checked(PyFloat_FromDouble(v)); }
    PyObject* operator()(const std::string& v) {
      return Checked(PyBytes_FromStringAndSize(v.data(), v.size()));
    }
    PyObject* operator()(const OpaqueMessage& v) { return (*this)(v.bytes); }
    PyObject* operator()(const std::shared_ptr<const CollectionObject>& v) {
      if (const auto* context = dynamic_cast<const ContextItem*>(v.get())) {
        return WrapContext(context->context()).release().ptr();
      }
      const auto* item = dynamic_cast<const PythonItem*>(v.get());
      return Py_NewRef(item ? item->object() : Py_None);
    }
  };
  return nb::steal(std::visit(Visitor(), item));
}

CollectionItem ToItem(PyGraph& graph, nb::handle value, nb::handle variable_id,
                      nb::handle exporter) {
  const PyTensor* tensor = AsTensor(value.ptr());
  if (tensor && tensor->graph == &graph) return tensor->output();
  const PyOperation* op = AsOperation(value.ptr());
  if (op && op->graph == &graph) return op->operation();
  PyContext* context = nullptr;
  if (nb::try_cast(value, context) && context != nullptr && context->graph == &graph) {
    return std::make_shared<const ContextItem>(context->context);
  }
  if (!variable_id.is_none()) return Variable(&graph, nb::cast<VariableId>(variable_id));
  return std::make_shared<const PythonItem>(value, exporter);
}

}  // namespace

void BindCollections(nb::module_& m) {
  m.def(
      "collection_add",
      [](PyGraph& g, const std::string& key, nb::handle value, nb::handle id, nb::handle exporter) {
        g.collections().Add(key, ToItem(g, value, id, exporter));
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg());
  m.def("collection_get", [](PyGraph& g, const std::string& key) {
    const std::vector<CollectionItem> items = g.collections().Get(key);
    nb::list all;
    for (const CollectionItem& item : items) all.append(WrapItem(item));
    return all;
  });
  m.def("collection_replace",
        [](PyGraph& g, const std::string& key, nb::list values, nb::list ids, nb::handle exporter) {
          std::vector<CollectionItem> items;
          for (size_t i = 0; i < nb::len(values); ++i) {
            nb::object value = values[i], id = ids[i];
            items.push_back(ToItem(g, value, id, exporter));
          }
          g.collections().Replace(key, std::move(items));
        });
  m.def("collection_clear", [](PyGraph& g, const std::string& key) { g.collections().Clear(key); });
  m.def("collection_size",
        [](PyGraph& g, const std::string& key) { return g.collections().Get(key).size(); });
  m.def("collection_keys", [](PyGraph& g) {
    nb::list all;
    for (const std::string& key : g.collections().Keys()) all.append(key);
    return all;
  });
}

}  // namespace ramet::python
