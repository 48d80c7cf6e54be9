#include "ramet/runtime/session.h"

#include "ramet/runtime/endpoint.h"
#include "ramet/runtime/session_impl.h"

namespace ramet {
namespace {

Endpoint ToEndpoint(const std::variant<Output, Operation>& fetch) {
  if (auto* op = std::get_if<Operation>(&fetch)) return {op->id(), Endpoint::kControl};
  return ToEndpoint(std::get<Output>(fetch));
}

PlanRequest MakeRequest(const std::vector<Output>& feeds,
                        const std::vector<std::variant<Output, Operation>>& fetches) {
  PlanRequest request;
  for (const Output& feed : feeds) request.feeds.push_back(ToEndpoint(feed));
  for (const auto& fetch : fetches) request.fetches.push_back(ToEndpoint(fetch));
  return request;
}

}  // namespace

std::shared_ptr<SessionImpl> ImplOf(const Session& session) { return session.impl_; }

Session::Session(std::shared_ptr<SessionImpl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

StatusOr<Session> Session::Create(Graph& graph, const SessionOptions& options) {
  RAMET_ASSIGN_OR_RETURN(auto impl, SessionImpl::Create(graph, options));
  return Session(std::move(impl));
}

StatusOr<std::vector<Tensor>> Session::Run(const Fetches& fetches) { return Run({}, fetches); }

StatusOr<std::vector<Tensor>> Session::Run(const Feeds& feeds, const Fetches& fetches) {
  return Run(feeds, fetches, RunOptions());
}

StatusOr<std::vector<Tensor>> Session::Run(const Feeds& feeds, const Fetches& fetches,
                                           const RunOptions& options, RunMetadata* metadata) {
  if (impl_->graph().num_operations() == 0) {
    return FailedPrecondition(
        "The Session graph is empty. Add operations to the graph before calling "
        "run().");
  }
  std::vector<Output> feed_tensors;
  std::vector<Tensor> values;
  for (const Feed& feed : feeds) {
    RAMET_ASSIGN_OR_RETURN(Output tensor, impl_->resolver().ResolveTensor(feed.tensor));
    feed_tensors.push_back(tensor);
    values.push_back(feed.value);
  }
  std::vector<std::variant<Output, Operation>> wanted;
  for (const GraphElement& element : fetches.elements()) {
    RAMET_ASSIGN_OR_RETURN(auto fetch, impl_->resolver().ResolveFetch(element));
    wanted.push_back(fetch);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    RAMET_RETURN_IF_ERROR(CheckFeed(feed_tensors[i], values[i]));
  }
  RAMET_ASSIGN_OR_RETURN(auto executable, impl_->ExecutableFor(MakeRequest(feed_tensors, wanted)));
  std::vector<Tensor> fetched(wanted.size());
  RAMET_RETURN_IF_ERROR(impl_->Run(*executable, values, fetched, options, metadata));
  return fetched;
}

StatusOr<Tensor> Session::RunSingle(const Feeds& feeds, const GraphElement& fetch,
                                    const RunOptions& options, RunMetadata* metadata) {
  RAMET_ASSIGN_OR_RETURN(auto fetched, Run(feeds, Fetches{fetch}, options, metadata));
  return std::move(fetched[0]);
}

StatusOr<Callable> Session::MakeCallable(const std::vector<GraphElement>& feeds,
                                         const Fetches& fetches) {
  Callable callable;
  callable.session_ = impl_;
  for (const GraphElement& element : feeds) {
    RAMET_ASSIGN_OR_RETURN(Output tensor, impl_->resolver().ResolveTensor(element));
    callable.feeds_.push_back(tensor);
  }
  for (const GraphElement& element : fetches.elements()) {
    RAMET_ASSIGN_OR_RETURN(auto fetch, impl_->resolver().ResolveFetch(element));
    callable.fetches_.push_back(fetch);
  }
  RAMET_ASSIGN_OR_RETURN(callable.executable_,
                         impl_->ExecutableFor(MakeRequest(callable.feeds_, callable.fetches_)));
  return callable;
}

StatusOr<std::vector<Tensor>> Callable::Run(std::span<const Tensor> feeds) const {
  std::vector<Tensor> fetched(fetches_.size());
  RAMET_RETURN_IF_ERROR(Run(feeds, fetched));
  return fetched;
}

StatusOr<Tensor> TensorCallable::Run(std::span<const Tensor> feeds) const {
  Tensor fetched;
  RAMET_RETURN_IF_ERROR(Run(feeds, &fetched));
  return fetched;
}

Status Callable::Run(std::span<const Tensor> feeds, std::span<Tensor> fetched,
                     const RunOptions& options, RunMetadata* metadata) const {
  if (feeds.size() != feeds_.size() || fetched.size() != fetches_.size()) {
    return InvalidArgument("this callable has ", feeds_.size(), " feeds and ", fetches_.size(),
                           " fetches, but it was called with ", feeds.size(), " and ",
                           fetched.size());
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    RAMET_RETURN_IF_ERROR(CheckFeed(feeds_[i], feeds[i]));
  }
  std::shared_ptr<Executable> executable = std::atomic_load(&executable_);
  if (!session_->IsCurrent(*executable)) {
    RAMET_ASSIGN_OR_RETURN(executable, session_->ExecutableFor(MakeRequest(feeds_, fetches_)));
    std::atomic_store(&executable_, executable);
  }
  return session_->Run(*executable, feeds, fetched, options, metadata);
}

std::vector<std::string> Session::UninitializedVariables() const {
  std::vector<std::string> missing;
  const auto followed = impl_->followed().Get();
  for (const ramet::Variable& v :
       impl_->graph().collections().Get<ramet::Variable>(graph_keys::kGlobalVariables)) {
    auto state = impl_->StateOf(v.record(), false);
    if (!state || !state->initialized(followed.get())) missing.push_back(v.op_name());
  }
  return missing;
}

StatusOr<int> Session::InitializeMissing() {
  std::vector<GraphElement> initializers;
  const auto followed = impl_->followed().Get();
  for (const ramet::Variable& v :
       impl_->graph().collections().Get<ramet::Variable>(graph_keys::kGlobalVariables)) {
    auto state = impl_->StateOf(v.record(), false);
    if (!state || !state->initialized(followed.get())) initializers.push_back(v.initializer());
  }
  if (initializers.empty()) return 0;
  const int count = static_cast<int>(initializers.size());
  RAMET_RETURN_IF_ERROR(Run(Fetches(std::move(initializers))).status());
  return count;
}

StatusOr<Tensor> Session::Value(const Variable& variable) const {
  auto state = impl_->StateOf(variable.record(), false);
  if (!state) return Tensor();
  const auto followed = impl_->followed().Get();
  RAMET_ASSIGN_OR_RETURN(const Tensor value, impl_->ToHost(state->Read(followed.get())));
  return value.Owned();
}

StatusOr<Tensor> Session::ResourceHandle(const Operation& resource) const {
  RAMET_ASSIGN_OR_RETURN(auto executable,
                         impl_->ExecutableFor(MakeRequest({}, {resource.output(0)})));
  Tensor handle;
  RAMET_RETURN_IF_ERROR(
      impl_->Run(*executable, {}, std::span<Tensor>(&handle, 1), RunOptions(), nullptr));
  return handle;
}

Status Session::Assign(const Variable& variable, const Tensor& value) {
  if (value.dtype() != variable.dtype() || !variable.shape().IsCompatibleWith(value.shape())) {
    return InvalidArgument("variable '", variable.op_name(), "' is ", DTypeName(variable.dtype()),
                           variable.shape(), ", but the value is ", DTypeName(value.dtype()),
                           value.shape());
  }
  RAMET_ASSIGN_OR_RETURN(Tensor own, value.Owned());
  impl_->StateOf(variable.record(), true)->Set(std::move(own), impl_->followed().Get().get());
  return OkStatus();
}

void Session::NoteRestored(const std::vector<std::string>& variable_names) {
  impl_->restored().Add(variable_names);
}

Graph& Session::graph() const { return impl_->graph(); }
const SessionOptions& Session::options() const { return impl_->options(); }

std::vector<std::string> Session::ListDevices() const {
  std::vector<std::string> names;
  for (const Device* device : impl_->devices()) names.push_back(device->name());
  return names;
}

void Session::Close() { impl_->Close(); }

}  // namespace ramet
