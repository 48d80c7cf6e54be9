#include "core.h"
#include "feeds.h"
#include "interrupt.h"

namespace ramet::python {
namespace {

// A run in several parts.
class PyPartialRun {
 public:
  PyPartialRun(nb::handle session, nb::handle graph, PartialRun run)
      : session_(nb::borrow(session)), graph_(nb::borrow(graph)), run_(std::move(run)) {}

  nb::list Run(nb::dict feed_dict, nb::list fetches) {
    Feeds feeds;
    for (auto [tensor, value] : feed_dict) {
      const Output t = FeedOf(tensor)->output();
      feeds.push_back({t, FeedValue(value.ptr(), {t, BaseType(t.dtype()), t.shape()})});
    }
    std::vector<GraphElement> wanted;
    for (nb::handle f : fetches) wanted.push_back(FeedOf(f)->output());
    StatusOr<std::vector<Tensor>> fetched = WithoutGil([&] { return run_.Run(feeds, wanted); });
    if (!fetched.ok()) RaiseStatus(fetched.status(), graph_.ptr());
    nb::list results;
    for (Tensor& t : *fetched) results.append(nb::steal(WrapTensor(std::move(t))));
    return results;
  }

  bool ended() const { return run_.ended(); }

 private:
  nb::object session_, graph_;
  PartialRun run_;
};

PyPartialRun* SetUpPartialRun(nb::handle session, nb::handle graph, nb::list feeds,
                              nb::list fetches) {
  Session& s = SessionOf(session);
  std::vector<GraphElement> fed, wanted;
  for (nb::handle f : feeds) fed.push_back(FeedOf(f)->output());
  for (nb::handle f : fetches) {
    const PyOperation* op = AsOperation(f.ptr());
    wanted.push_back(op ? Element(op->id, -1, s.graph()) : GraphElement(FeedOf(f)->output()));
  }
  StatusOr<PartialRun> run = WithoutGil([&] { return s.PartialRunSetup(fed, wanted); });
  if (!run.ok()) RaiseStatus(run.status(), graph.ptr());
  return new PyPartialRun(session, graph, *std::move(run));
}

}  // namespace

void BindPartialRun(nb::module_& m) {
  nb::class_<PyPartialRun>(m, "PartialRun")
      .def("run", &PyPartialRun::Run)
      .def_prop_ro("ended", &PyPartialRun::ended);
  m.def("partial_run_setup", &SetUpPartialRun, nb::rv_policy::take_ownership);
}

}  // namespace ramet::python
