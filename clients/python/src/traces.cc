#include "core.h"

#include <frameobject.h>

namespace ramet::python {
namespace {

constexpr int kMaxCalls = 24;  // in a trace, from the innermost outward

// Reports whether the code belongs to the package itself. Computed once per code object, which is
// kept alive.
bool IsOwn(PyCodeObject* code) {
  static auto* const known = new std::unordered_map<PyCodeObject*, bool>;
  auto [it, added] = known->try_emplace(code, false);
  if (!added) return it->second;
  Py_INCREF(code);
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  if (file == nullptr) PyErr_Clear();
  static const std::string* const folder = [] {
    nb::object module = nb::module_::import_("ramet");
    const char* path = nb::cast<const char*>(module.attr("__file__"));
    std::string text = path ? path : "";
    return new std::string(text.substr(0, text.rfind('/') + 1));
  }();
  return it->second = file != nullptr && std::string_view(file).starts_with(*folder);
}

}  // namespace

Traces::~Traces() {
  for (const Call& call : calls_) Py_DECREF(call.code);
}

int32_t Traces::Current() {
  struct Level {
    PyCodeObject* code;
    int instruction;
  };
  Level levels[kMaxCalls];
  int count = 0;
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr && count < kMaxCalls) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    if (IsOwn(code)) {
      Py_DECREF(code);
    } else {
      levels[count++] = {code, PyFrame_GetLasti(frame)};
    }
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  int32_t trace = -1;
  while (count-- > 0) {
    const Level& level = levels[count];
    auto [it, added] =
        known_.try_emplace(Key{trace, level.code, level.instruction}, int32_t(calls_.size()));
    if (added) {
      calls_.push_back({trace, level.code, level.instruction});
    } else {
      Py_DECREF(level.code);
    }
    trace = it->second;
  }
  return trace;
}

void Traces::Assign(size_t first, size_t last, int32_t trace) {
  of_node_.resize(first, -1);
  of_node_.resize(last, trace);
}

nb::list Traces::Of(NodeId id) const {
  std::vector<const Call*> chain;
  int32_t at = static_cast<size_t>(id) < of_node_.size() ? of_node_[id] : -1;
  for (; at >= 0; at = calls_[at].parent) chain.push_back(&calls_[at]);
  nb::list all;
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    PyCodeObject* code = (*it)->code;
    const int line = PyCode_Addr2Line(code, (*it)->instruction);
    all.append(nb::make_tuple(nb::borrow(code->co_filename), line, nb::borrow(code->co_name)));
  }
  return all;
}

int Traces::Visit(visitproc visit, void* arg) const {
  for (const Call& call : calls_) Py_VISIT(reinterpret_cast<PyObject*>(call.code));
  return 0;
}

}  // namespace ramet::python
