#include "ramet/runtime/explain_run.h"

#include "ramet/runtime/endpoint.h"
#include "ramet/runtime/session_impl.h"

namespace ramet {

StatusOr<PlanReport> ExplainRun(const Session& session, const std::vector<GraphElement>& feeds,
                                const Fetches& fetches) {
  const std::shared_ptr<SessionImpl> impl = ImplOf(session);
  PlanRequest request;
  for (const GraphElement& element : feeds) {
    RAMET_ASSIGN_OR_RETURN(const Output tensor, impl->resolver().ResolveTensor(element));
    request.feeds.push_back(ToEndpoint(tensor));
  }
  for (const GraphElement& element : fetches.elements()) {
    RAMET_ASSIGN_OR_RETURN(const auto fetch, impl->resolver().ResolveFetch(element));
    const auto* const tensor = std::get_if<Output>(&fetch);
    request.fetches.push_back(tensor != nullptr
                                  ? ToEndpoint(*tensor)
                                  : Endpoint{std::get<Operation>(fetch).id(), Endpoint::kControl});
  }
  RAMET_ASSIGN_OR_RETURN(const auto executable, impl->ExecutableFor(request));
  return executable->Report();
}

}  // namespace ramet
