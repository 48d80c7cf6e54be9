#include "replica.h"

namespace ramet::python {
namespace {

class PyMonitor {
 public:
  PyMonitor(const std::string& address, nb::handle wait)
      : monitor_(Waiting(
            [&address, limit = ToMillis(wait)] { return ReplicaMonitor::Open(address, limit); })) {}

  nb::dict Look() {
    const ReplicaStatus status = Waiting([this] { return monitor_.Look(); });
    nb::dict all = WrapStats(status.publisher);
    all["epoch"] = status.epoch;
    all["connected"] = status.connected;
    all["newest"] = status.newest;
    all["versions"] = nb::cast(status.versions);
    return all;
  }
  nb::list Signature() const { return WrapSignature(monitor_.announcement().signature); }
  nb::bytes Graph() const {
    const std::string& graph = monitor_.announcement().graph;
    return nb::bytes(graph.data(), graph.size());
  }
  void Promote(const std::string& label, uint64_t version) {
    Waiting([&] { return monitor_.Promote(label, version); });
  }
  uint64_t Rollback(uint64_t version) {
    return Waiting([&] { return monitor_.Rollback(version); });
  }

 private:
  ReplicaMonitor monitor_;
};

}  // namespace

void BindMonitor(nb::module_& m) {
  m.def("printable_address", [](const std::string& address) { return PrintableAddress(address); });
  m.def("address_forms", [] { return ReplicaAddressForms(); });
  nb::class_<PyMonitor>(m, "ReplicaMonitor")
      .def(nb::init<const std::string&, nb::handle>(), nb::arg(), nb::arg().none())
      .def("look", &PyMonitor::Look)
      .def("signature", &PyMonitor::Signature)
      .def("graph", &PyMonitor::Graph)
      .def("promote", &PyMonitor::Promote)
      .def("rollback", &PyMonitor::Rollback);
}

}  // namespace ramet::python
