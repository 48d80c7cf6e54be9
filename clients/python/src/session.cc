#include "core.h"
#include "feeds.h"
#include "gil.h"
#include "interrupt.h"
#include "options.h"

namespace ramet::python {
namespace {

// A run with resolved feeds and fetches.
struct Prepared {
  Callable callable;
  std::vector<FeedSlot> feeds;
  size_t num_fetches;
};

// The options of a run, and the data that it reports.
struct RunControl {
  RunOptions options;
  RunMetadata metadata;
};

using RunKey = std::vector<int64_t>;
struct RunKeyHash {
  size_t operator()(const RunKey& key) const {
    size_t h = key.size();
    for (int64_t v : key) h = h * 0x9e3779b97f4a7c15 + static_cast<size_t>(v);
    return h;
  }
};

int64_t KeyOf(NodeId id, int index) { return (static_cast<int64_t>(id) << 20) + index + 2; }
constexpr int64_t kEndOfFeeds = 0;  // not a valid key: keys start at 1

class PySession {
 public:
  PySession(nb::handle graph, Session session)
      : graph_(nb::borrow(graph)), session_(std::move(session)) {}

  // The end of a session waits for threads of its iterators, which may be in a function that waits
  // for the GIL.
  ~PySession() {
    const GilRelease release;
    prepared_.clear();
    session_.reset();
  }
  PySession(const PySession&) = delete;
  PySession& operator=(const PySession&) = delete;

  PyGraph* graph() { return AsGraph(graph_.ptr()); }
  Session& session() { return *session_; }

  // Returns NotImplemented if the arguments are not just elements and flat lists of them.
  nb::object Run(nb::handle fetches, nb::handle feed_dict, RunControl* control) {
    RunKey key;
    std::vector<PyObject*> values;
    if (!feed_dict.is_none() && !AddFeeds(feed_dict.ptr(), &key, &values)) return NotImplemented();
    key.push_back(kEndOfFeeds);
    const bool list = PyList_CheckExact(fetches.ptr()) || PyTuple_CheckExact(fetches.ptr());
    if (!list) {
      if (!AddFetch(fetches.ptr(), &key)) return NotImplemented();
    } else {
      for (Py_ssize_t i = 0, n = PySequence_Fast_GET_SIZE(fetches.ptr()); i < n; ++i) {
        if (!AddFetch(PySequence_Fast_GET_ITEM(fetches.ptr(), i), &key)) return NotImplemented();
      }
    }
    if (key.back() == kEndOfFeeds) return NotImplemented();
    std::shared_ptr<Prepared> prepared = PreparedFor(key, values.size());
    std::vector<Tensor> fetched = Execute(*prepared, values.data(), control);
    if (!list) return Take(WrapTensor(std::move(fetched[0])));
    nb::object result =
        Take(Checked(PyTuple_CheckExact(fetches.ptr()) ? PyTuple_New(fetched.size())
                                                       : PyList_New(fetched.size())));
    for (size_t i = 0; i < fetched.size(); ++i) {
      PyObject* value = WrapTensor(std::move(fetched[i]));
      if (PyTuple_CheckExact(fetches.ptr())) {
        PyTuple_SET_ITEM(result.ptr(), i, value);
      } else {
        PyList_SET_ITEM(result.ptr(), i, value);
      }
    }
    return result;
  }

  std::shared_ptr<Prepared> Prepare(nb::list feeds, nb::list fetches) {
    RunKey key;
    for (nb::handle f : feeds) {
      const PyTensor* t = AsTensor(f.ptr());
      if (t == nullptr) RaiseTypeError("a feed is not a Tensor: ", Str(f.ptr()));
      key.push_back(KeyOf(t->id, t->index));
    }
    const size_t num_feeds = key.size();
    key.push_back(kEndOfFeeds);
    for (nb::handle f : fetches) {
      if (!AddFetch(f.ptr(), &key))
        RaiseTypeError("a fetch is not a Tensor or Operation: ", Str(f.ptr()));
    }
    return PreparedFor(key, num_feeds);
  }

  std::vector<Tensor> Execute(const Prepared& run, PyObject* const* values, RunControl* control) {
    std::vector<Tensor> feeds;
    feeds.reserve(run.feeds.size());
    for (size_t i = 0; i < run.feeds.size(); ++i)
      feeds.push_back(FeedValue(values[i], run.feeds[i]));
    std::vector<Tensor> fetched(run.num_fetches);
    const Status status = WithoutGil([&] {
      Status done = control ? run.callable.Run(feeds, fetched, control->options, &control->metadata)
                            : run.callable.Run(feeds, fetched);
      feeds.clear();
      return done;
    });
    if (!status.ok()) RaiseStatus(status, graph_.ptr());
    return fetched;
  }

 private:
  static nb::object NotImplemented() { return nb::borrow(Py_NotImplemented); }

  bool AddFeeds(PyObject* feed_dict, RunKey* key, std::vector<PyObject*>* values) {
    if (!PyDict_Check(feed_dict)) return false;
    Py_ssize_t at = 0;
    PyObject *tensor, *value;
    while (PyDict_Next(feed_dict, &at, &tensor, &value)) {
      const PyTensor* t = AsTensor(tensor);
      if (t == nullptr || t->graph != graph() || IsObjectFeed(value)) return false;
      if (!t->graph->unfeedable.empty() && t->graph->unfeedable.contains(t->output())) return false;
      key->push_back(KeyOf(t->id, t->index));
      values->push_back(value);
    }
    return true;
  }

  // Values that only the Python half can convert: handles of tensors that stay in the session.
  static bool IsObjectFeed(PyObject* value) {
    return PyTuple_Check(value) && !PyTuple_CheckExact(value);
  }

  // Reports whether a node may not be fetched. The slow path then raises the error.
  bool IsHeldBack(NodeId id) {
    return !graph()->unfetchable.empty() && graph()->unfetchable.contains(id);
  }

  bool AddFetch(PyObject* object, RunKey* key) {
    nb::object held;
    const PyTensor* t = AsTensor(object);
    const PyOperation* op = t ? nullptr : AsOperation(object);
    if (!t && !op) {
      if (IsText(object) || PyList_Check(object) || PyTuple_Check(object) || PyDict_Check(object))
        return false;
      held = Take(Checked(PyObject_CallOneArg(TheHooks().graph_element, object)));
      t = AsTensor(held.ptr());
      op = t ? nullptr : AsOperation(held.ptr());
    }
    if ((t || op) && IsHeldBack(t ? t->id : op->id)) return false;
    if (t && t->graph == graph()) {
      key->push_back(KeyOf(t->id, t->index));
      return true;
    }
    if (op && op->graph == graph()) {
      key->push_back(KeyOf(op->id, -1));
      return true;
    }
    return false;
  }

  std::shared_ptr<Prepared> PreparedFor(const RunKey& key, size_t num_feeds) {
    auto found = prepared_.find(key);
    if (found != prepared_.end()) return found->second;
    PyGraph& graph = *this->graph();
    std::vector<FeedSlot> slots;
    std::vector<GraphElement> feeds, fetches;
    for (size_t i = 0; i < key.size(); ++i) {
      if (i == num_feeds) continue;
      const int64_t node = key[i] >> 20, index = (key[i] & ((1 << 20) - 1)) - 2;
      if (i > num_feeds) {
        fetches.push_back(Element(node, index, graph));
        continue;
      }
      Output tensor(Operation(&graph, static_cast<NodeId>(node)), static_cast<int>(index));
      feeds.push_back(tensor);
      slots.push_back({tensor, BaseType(tensor.dtype()), tensor.shape()});
    }
    const size_t num_fetches = fetches.size();
    StatusOr<Callable> callable =
        WithoutGil([&] { return session_->MakeCallable(feeds, Fetches(std::move(fetches))); });
    if (!callable.ok()) RaiseStatus(callable.status(), graph_.ptr());
    auto made =
        std::make_shared<Prepared>(Prepared{*std::move(callable), std::move(slots), num_fetches});
    if (prepared_.size() >= kMaxPrepared) prepared_.clear();
    return prepared_[key] = made;
  }

  static constexpr size_t kMaxPrepared = 4096;
  nb::object graph_;
  std::optional<Session> session_;
  std::unordered_map<RunKey, std::shared_ptr<Prepared>, RunKeyHash> prepared_;
};

struct PyCallable {
  nb::object owner;
  PySession* session;
  std::shared_ptr<Prepared> prepared;
};

nb::object CallPrepared(PyCallable& c, RunControl* control, nb::args args) {
  if (args.size() != c.prepared->feeds.size()) {
    RaiseValueError("Expected ", c.prepared->feeds.size(), " feed values, got ", args.size(), ".");
  }
  std::vector<PyObject*> values;
  for (nb::handle h : args) values.push_back(h.ptr());
  nb::list results;
  for (Tensor& t : c.session->Execute(*c.prepared, values.data(), control)) {
    results.append(Take(WrapTensor(std::move(t))));
  }
  return results;
}

nb::list OutputsOf(const NodeStats& step) {
  nb::list all;
  for (const OutputStats& o : step.outputs) {
    nb::list dims;
    for (int64_t d : o.shape.dims()) dims.append(d);
    all.append(nb::make_tuple(o.index, static_cast<int>(o.dtype), dims, o.bytes));
  }
  return all;
}

// Returns [(device, node, op, inputs, start, end, [(output, dtype, dims, bytes)])], with the times
// in nanoseconds.
nb::list StepsOf(const RunControl& control) {
  nb::list all;
  for (const NodeStats& step : control.metadata.steps) {
    nb::list inputs;
    for (const std::string& name : step.inputs) inputs.append(name);
    all.append(nb::make_tuple(step.device, step.node, step.op, inputs, step.start_nanos,
                              step.end_nanos, OutputsOf(step)));
  }
  return all;
}

}  // namespace

Session& SessionOf(nb::handle session) { return nb::cast<PySession&>(session).session(); }

void BindSession(nb::module_& m) {
  m.def("session_options", &OptionNames<SessionOptions>);
  nb::class_<PySession>(m, "Session")
      .def("__init__",
           [](PySession* self, nb::handle graph, nb::dict options) {
             PyGraph* g = AsGraph(graph.ptr());
             if (g == nullptr) RaiseTypeError("a Graph is expected");
             new (self)
                 PySession(graph, Value(Session::Create(*g, OptionsFrom<SessionOptions>(options))));
           })
      .def("run", &PySession::Run, nb::arg(), nb::arg().none(),
           nb::arg("control").none() = nb::none())
      .def(
          "prepare",
          [](nb::handle self, nb::list feeds, nb::list fetches) {
            PySession& s = nb::cast<PySession&>(self);
            return new PyCallable{nb::borrow(self), &s, s.Prepare(feeds, fetches)};
          },
          nb::rv_policy::take_ownership)
      .def("close",
           [](PySession& s) {
             const GilRelease release;
             s.session().Close();
           })
      .def("list_devices",
           [](PySession& s) {
             nb::list all;
             for (const std::string& name : s.session().ListDevices()) all.append(name);
             return all;
           })
      .def("uninitialized_variables",
           [](PySession& s) {
             nb::list all;
             for (const std::string& name : s.session().UninitializedVariables()) all.append(name);
             return all;
           })
      .def("initialize_missing", [](PySession& s) {
        return Value(WithoutGil([&] { return s.session().InitializeMissing(); }));
      });
  nb::class_<PyCallable>(m, "Callable").def("run", &CallPrepared, nb::arg().none(), nb::arg());
  nb::class_<RunControl>(m, "RunControl")
      .def("__init__",
           [](RunControl* self, int64_t timeout_in_ms, bool trace, bool partition_graphs) {
             new (self) RunControl{{timeout_in_ms, nullptr, trace, partition_graphs}, {}};
           })
      .def("steps", &StepsOf)
      .def_prop_ro("follows",
                   [](const RunControl& control) { return control.metadata.version.version != 0; })
      .def("version",
           [](const RunControl& control) {
             const VersionId& id = control.metadata.version;
             const std::string_view proof = ProofName(control.metadata.version_proof);
             return nb::make_tuple(id.epoch, id.version, id.step,
                                   nb::str(proof.data(), proof.size()));
           })
      .def("partition_graphs", [](const RunControl& control) {
        nb::list all;
        for (const auto& [device, bytes] : control.metadata.partition_graphs) {
          all.append(nb::bytes(bytes.data(), bytes.size()));
        }
        return all;
      });
}

}  // namespace ramet::python
