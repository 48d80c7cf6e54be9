#include <memory>
#include <unordered_map>

#include "options.h"
#include "replica.h"

namespace ramet::python {
namespace {

// Shares ownership of a Python object with C++. It may be released on any thread. After the
// interpreter ends, it is leaked.
std::shared_ptr<PyObject> Shared(nb::object object) {
  return std::shared_ptr<PyObject>(object.release().ptr(), [](PyObject* held) {
    if (const BackgroundGil gil; gil) Py_DECREF(held);
  });
}

// Creates the graphs and sessions of a follower in Python.
class PythonHost final : public FollowerHost {
 public:
  PythonHost(nb::handle new_graph, nb::handle new_session)
      : new_graph_(Shared(nb::borrow(new_graph))), new_session_(Shared(nb::borrow(new_session))) {}

  std::shared_ptr<Graph> NewGraph() override {
    const BackgroundGil gil;
    if (!gil) return nullptr;
    nb::object made = nb::steal(PyObject_CallNoArgs(new_graph_.get()));
    if (!made.is_valid()) {
      PyErr_Clear();
      return nullptr;
    }
    PyGraph* graph = AsGraph(made.ptr());
    return std::shared_ptr<Graph>(Shared(std::move(made)), graph);
  }

  StatusOr<std::shared_ptr<Session>> NewSession(const std::shared_ptr<Graph>& graph,
                                                const SessionOptions&) override {
    const BackgroundGil gil;
    if (!gil) return Cancelled("the Python interpreter is ending");
    auto* const python_graph = static_cast<PyGraph*>(graph.get());
    python_graph->NoteNewNodes();
    PyObject* made = PyObject_CallOneArg(new_session_.get(), python_graph->self);
    if (made == nullptr) return ErrorStatus();
    nb::object object = nb::steal(made);
    Session& session = SessionOf(object.attr("_core"));
    std::shared_ptr<PyObject> shared = Shared(std::move(object));
    objects_[&session] = shared;
    return std::shared_ptr<Session>(std::move(shared), &session);
  }

  // Returns the object that holds a session. The GIL must be held.
  nb::object ObjectOf(const Session* session) const {
    const auto found = objects_.find(session);
    const auto object = found == objects_.end() ? nullptr : found->second.lock();
    return object ? nb::borrow<nb::object>(object.get()) : nb::none();
  }

 private:
  static Status ErrorStatus() {
    nb::python_error error;
    return Unknown("cannot create the follower's session: ", error.what());
  }

  const std::shared_ptr<PyObject> new_graph_, new_session_;
  std::unordered_map<const Session*, std::weak_ptr<PyObject>> objects_;  // guarded by the GIL
};

using milliseconds = std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;
// The interval between checks for Ctrl-C.
constexpr milliseconds kSlice{100};

Time EndOf(milliseconds patience) {
  constexpr auto kMaxWait = std::chrono::hours(24 * 365 * 100);
  const bool for_ever = patience.count() < 0 || patience > kMaxWait;
  return Clock::now() + (for_ever ? kMaxWait : std::chrono::nanoseconds(patience));
}

// Calls `fn` without the GIL, with slices of the remaining time, until it does not time out.
template <class Fn>
auto InSlices(Time end, Fn fn) {
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    const auto slice = std::clamp(left, milliseconds(0), kSlice);
    auto result = WithoutGil([&] { return fn(slice); });
    const bool late = !result.ok() && IsDeadlineExceeded(result.status());
    if (!late || left <= kSlice) return Value(std::move(result));
    Checked(PyErr_CheckSignals());
  }
}

class PyFollower {
  // Returns the follower. A call keeps it alive until its end, even if another thread closes it.
  std::shared_ptr<Follower> Open() const {
    if (!follower_) Raise(PyExc_RuntimeError, "the Follower is closed");
    return follower_;
  }
  // Calls `fn` without the GIL, because the follower's own thread may need it.
  template <class Fn>
  auto Ask(Fn fn) const {
    const std::shared_ptr<Follower> follower = Open();
    return WithoutGil([&] { return fn(*follower); });
  }

 public:
  // `session` is a ramet._core.Session, or None to create one with the functions.
  PyFollower(const std::string& address, nb::handle session, nb::handle new_graph,
             nb::handle new_session, nb::handle wait, nb::dict options)
      : session_(nb::borrow(session)) {
    const milliseconds patience = ToMillis(wait);
    const Time end = EndOf(patience);
    auto chosen = OptionsFrom<FollowerOptions>(options);
    if (session.is_none()) {
      chosen.host = host_ = std::make_shared<PythonHost>(new_graph, new_session);
    } else {
      chosen.session = &SessionOf(session);
    }
    const std::string fallback = chosen.fallback;
    follower_ = std::make_shared<Follower>(InSlices(end, [&](milliseconds slice) {
      chosen.wait = slice;
      chosen.fallback = end - Clock::now() <= kSlice ? fallback : "";
      auto opened = Follower::Open(address, chosen);
      // With a timeout, keep waiting: a publisher that does not greet may recover in time.
      if (patience.count() < 0 || !IsUnavailable(opened.status())) return opened;
      return StatusOr<Follower>(DeadlineExceeded(opened.status().message()));
    }));
    if (patience.count() != 0) WaitUntil(1, end);
  }
  ~PyFollower() { Close(); }

  // Returns the session that was created, which a reload may replace. None if one was given.
  nb::object MadeSession() const {
    if (!host_) return nb::none();
    const std::shared_ptr<Follower> follower = Open();
    const Session* session = nullptr;
    {
      const GilRelease release;
      session = &follower->session();
    }
    return host_->ObjectOf(session);
  }

  nb::tuple Update(bool verify) {
    return WrapVersion(Waiting([f = Open(), verify] { return f->Update({.verify = verify}); }));
  }
  nb::tuple Wait(uint64_t version, nb::handle timeout) {
    return WrapVersion(WaitUntil(version, EndOf(ToMillis(timeout))));
  }
  void Pin(uint64_t version) {
    Waiting([f = Open(), version] { return f->Pin(version); });
  }
  void Unpin() {
    Ask([](Follower& f) {
      f.Unpin();
      return 0;
    });
  }
  nb::tuple Current() const {
    return WrapVersion(Ask([](Follower& f) { return f.current(); }));
  }
  nb::dict Stats() const {
    return WrapStats(Ask([](Follower& f) { return f.stats(); }));
  }
  std::string Prometheus(const std::string& address) const {
    return StatsToPrometheus(Ask([](Follower& f) { return f.stats(); }), address);
  }
  nb::object Versions() const {
    return nb::cast(Ask([](Follower& f) { return f.Versions(); }));
  }
  nb::list Signature() const {
    return WrapSignature(Ask([](Follower& f) { return f.signature(); }));
  }
  nb::dict SignatureDefs() const {
    nb::dict serialized;
    for (const auto& [key, bytes] : Ask([](Follower& f) { return f.signature_defs(); })) {
      serialized[key.c_str()] = nb::bytes(bytes.data(), bytes.size());
    }
    return serialized;
  }
  nb::tuple Hashes(uint64_t version, nb::handle timeout) {
    const Time end = EndOf(ToMillis(timeout));
    const VersionHashes hashes = InSlices(
        end, [version, f = Open()](milliseconds slice) { return f->Hashes(version, slice); });
    return nb::make_tuple(hashes.source, hashes.content);
  }
  void Promote(const std::string& label, uint64_t version) {
    Waiting([f = Open(), &label, version] { return f->Promote(label, version); });
  }
  uint64_t Rollback(uint64_t version) {
    return Waiting([f = Open(), version] { return f->Rollback(version); });
  }
  void Close() {
    std::shared_ptr<Follower> last = std::move(follower_);
    follower_ = nullptr;
    const GilRelease release;
    last.reset();
  }

 private:
  VersionInfo WaitUntil(uint64_t version, Time end) {
    return InSlices(end,
                    [version, f = Open()](milliseconds slice) { return f->Wait(version, slice); });
  }

  nb::object session_;
  std::shared_ptr<PythonHost> host_;
  std::shared_ptr<Follower> follower_;
};

}  // namespace

void BindFollower(nb::module_& m) {
  m.def("follower_options", &OptionNames<FollowerOptions>);
  m.def("follower_stats", &StatNames<FollowerStats>);
  nb::class_<PyFollower>(m, "Follower")
      .def(nb::init<const std::string&, nb::handle, nb::handle, nb::handle, nb::handle, nb::dict>(),
           nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
      .def("made_session", &PyFollower::MadeSession)
      .def("update", &PyFollower::Update)
      .def("wait", &PyFollower::Wait, nb::arg(), nb::arg().none())
      .def("pin", &PyFollower::Pin)
      .def("unpin", &PyFollower::Unpin)
      .def("current", &PyFollower::Current)
      .def("stats", &PyFollower::Stats)
      .def("prometheus", &PyFollower::Prometheus)
      .def("versions", &PyFollower::Versions)
      .def("signature", &PyFollower::Signature)
      .def("signature_defs", &PyFollower::SignatureDefs)
      .def("hashes", &PyFollower::Hashes, nb::arg(), nb::arg().none())
      .def("promote", &PyFollower::Promote)
      .def("rollback", &PyFollower::Rollback)
      .def("close", &PyFollower::Close);
}

}  // namespace ramet::python
