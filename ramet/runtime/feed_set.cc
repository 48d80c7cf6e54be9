#include "ramet/runtime/feed_set.h"

#include <string>

namespace ramet {

FeedSet::FeedSet(const GraphData& graph, const PlanRequest& request) : graph_(graph) {
  for (Endpoint e : request.feeds) fed_.insert(EndpointKey(e));
}

bool FeedSet::IsFedPlaceholder(NodeId id) const {
  const std::string& type = graph_.nodes[id].op->name();
  return (type == "Placeholder" || type == "PlaceholderV2") && Contains({id, 0});
}

}  // namespace ramet
