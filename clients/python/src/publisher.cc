#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "replica.h"

namespace ramet::python {
namespace {

RetentionOptions::AtLimit ToAtLimit(const std::string& text) {
  if (text == "skip") return RetentionOptions::AtLimit::kSkip;
  if (text == "wait") return RetentionOptions::AtLimit::kWait;
  RaiseValueError("at_limit must be 'skip' or 'wait', not '", text, "'");
}

Conversion ToConversion(const std::string& text) {
  if (text == "bfloat16") return Conversion::kBFloat16;
  if (text == "half" || text == "float16") return Conversion::kHalf;
  if (text == "int8") return Conversion::kInt8;
  if (text == "none") return Conversion::kNone;
  RaiseValueError("convert must be 'bfloat16', 'half', 'int8' or 'none', not '", text, "'");
}

using TextPairs = std::vector<std::pair<std::string, std::string>>;

std::vector<Variable> ToVariables(PyGraph& graph, nb::handle names) {
  std::vector<Variable> all;
  const auto wanted = nb::cast<std::vector<std::string>>(names);
  std::unordered_map<std::string, VariableId> ids;
  for (size_t id = 0; id < graph.variables().size(); ++id) {
    ids.emplace(graph.variables()[id].variable.op().name(), static_cast<VariableId>(id));
  }
  for (const std::string& name : wanted) {
    const auto found = ids.find(name);
    if (found == ids.end()) RaiseValueError("the session's graph has no variable '", name, "'");
    all.emplace_back(&graph, found->second);
  }
  return all;
}

void SetOption(const std::string& name, nb::handle value, PublisherOptions* o) {
  if (name == "all_variables") {
    o->all_variables = nb::cast<bool>(value);
  } else if (name == "graph") {
    o->graph = nb::cast<bool>(value);
  } else if (name == "rename") {
    for (const auto& [from, to] : nb::cast<TextPairs>(value)) o->rename.push_back({from, to});
  } else if (name == "convert") {
    for (const auto& [prefix, to] : nb::cast<TextPairs>(value)) {
      o->convert.push_back({prefix, ToConversion(to)});
    }
  } else if (name == "takeover") {
    o->access.takeover = nb::cast<bool>(value);
  } else if (name == "every_steps") {
    o->every_steps = nb::cast<int64_t>(value);
  } else if (name == "every_seconds") {
    o->every_seconds = nb::cast<double>(value);
  } else if (name == "retained") {
    o->retention.retained = nb::cast<int>(value);
  } else if (name == "max_bytes") {
    o->retention.max_bytes = nb::cast<uint64_t>(value);
  } else if (name == "at_limit") {
    o->retention.at_limit = ToAtLimit(nb::cast<std::string>(value));
  } else if (name == "mode") {
    o->access.mode = nb::cast<uint32_t>(value);
  } else if (name == "group") {
    o->access.group = nb::cast<uint32_t>(value);
  } else {
    RaiseTypeError("unknown publisher option '", name, "'");
  }
}

class PyPublisher {
 public:
  // `models` is [(name, ramet._core.Session, names of variables)]. A model without a name is
  // published on its own.
  PyPublisher(const std::string& address, nb::list models, nb::dict options) : models_(models) {
    PublisherOptions chosen;
    for (auto [name, value] : options) SetOption(nb::cast<std::string>(name), value, &chosen);
    std::vector<PublishedModel> all;
    for (nb::handle model : models) {
      Session& session = SessionOf(model[1]);
      auto& graph = static_cast<PyGraph&>(session.graph());
      all.push_back({nb::cast<std::string>(model[0]), &session, ToVariables(graph, model[2])});
    }
    const bool single = all.size() == 1 && all[0].name.empty();
    if (single) chosen.variables = all[0].variables;
    publisher_ = std::make_shared<Publisher>(Waiting([&] {
      return single ? Publisher::Open(address, *all[0].session, chosen)
                    : Publisher::Open(address, all, chosen);
    }));
  }
  ~PyPublisher() { Close(); }

  uint64_t Publish(int64_t step, const std::map<std::string, double>& metrics) {
    return Waiting(
        [p = Open(), &step, &metrics] { return p->Publish({.step = step, .metrics = metrics}); });
  }
  void Promote(const std::string& label, uint64_t version) {
    Waiting([p = Open(), &label, version] { return p->Promote(label, version); });
  }
  uint64_t Rollback(uint64_t version) {
    return Waiting([p = Open(), version] { return p->Rollback(version); });
  }
  std::string Prometheus(const std::string& address) {
    return StatsToPrometheus(Open()->stats(), address);
  }
  nb::dict Stats() { return WrapStats(Open()->stats()); }
  nb::list Signature() { return WrapSignature(Open()->signature()); }
  void Close() {
    std::shared_ptr<Publisher> last = std::move(publisher_);
    publisher_ = nullptr;
    const GilRelease release;
    last.reset();
  }

 private:
  // Returns the publisher. A call keeps it alive until its end, even if another thread closes it.
  std::shared_ptr<Publisher> Open() const {
    if (!publisher_) Raise(PyExc_RuntimeError, "the Publisher is closed");
    return publisher_;
  }

  nb::object models_;
  std::shared_ptr<Publisher> publisher_;
};

}  // namespace

void BindPublisher(nb::module_& m) {
  nb::class_<PyPublisher>(m, "Publisher")
      .def(nb::init<const std::string&, nb::list, nb::dict>())
      .def("publish", &PyPublisher::Publish)
      .def("promote", &PyPublisher::Promote)
      .def("rollback", &PyPublisher::Rollback)
      .def("prometheus", &PyPublisher::Prometheus)
      .def("stats", &PyPublisher::Stats)
      .def("signature", &PyPublisher::Signature)
      .def("close", &PyPublisher::Close);
}

}  // namespace ramet::python
