#include <memory>

#include "options.h"
#include "replica.h"

namespace ramet::python {
namespace {

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

std::map<std::string, std::string> ToSignatureDefs(nb::handle given) {
  std::map<std::string, std::string> signature_defs;
  for (auto [key, bytes] : nb::cast<nb::dict>(given)) {
    const auto serialized = nb::cast<nb::bytes>(bytes);
    signature_defs[nb::cast<std::string>(key)].assign(serialized.c_str(), serialized.size());
  }
  return signature_defs;
}

class PyPublisher {
 public:
  // `models` is [(name, ramet._core.Session, names of variables, serialized SignatureDefs by key)].
  // A model without a name is published on its own.
  PyPublisher(const std::string& address, nb::list models, nb::dict options) : models_(models) {
    auto chosen = OptionsFrom<PublisherOptions>(options);
    std::vector<PublishedModel> all;
    for (nb::handle model : models) {
      Session& session = SessionOf(model[1]);
      auto& graph = static_cast<PyGraph&>(session.graph());
      all.push_back({nb::cast<std::string>(model[0]), &session, ToVariables(graph, model[2]),
                     ToSignatureDefs(model[3])});
    }
    const bool single = all.size() == 1 && all[0].name.empty();
    if (single) {
      chosen.variables = all[0].variables;
      chosen.signature_defs = all[0].signature_defs;
    }
    publisher_ = std::make_shared<Publisher>(Waiting([&] {
      return single ? Publisher::Open(address, *all[0].session, chosen)
                    : Publisher::Open(address, all, chosen);
    }));
  }
  ~PyPublisher() {
    const GilRelease release;
    publisher_.reset();
  }

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
  // An interrupt ends the wait for versions that have not been sent, but the publisher is closed.
  void Close() {
    std::shared_ptr<Publisher> last = std::exchange(publisher_, nullptr);
    WithoutGil([&] { last.reset(); });
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
  m.def("publisher_options", &OptionNames<PublisherOptions>);
  m.def("publisher_stats", &StatNames<PublisherStats>);
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
