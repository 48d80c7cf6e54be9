#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <functional>
#include <string>

#include "page/traffic_history.h"
#include "rest/front_end.h"

namespace server {

// A Page is the page for people at "/", with its data at /ramet/v1/status and pictures of the
// graphs at /ramet/v1/graph/MODEL. It needs nothing from elsewhere.
class Page {
 public:
  // The pointers must outlive this object.
  Page(const ModelManager* manager, const ServingMetrics* metrics);

  // Adds the paths of the page. The page must outlive the front end.
  void AddTo(FrontEnd* front_end);

 private:
  void AnswerPage(const RestCallPtr& call) const;
  void AnswerStatus(const RestCallPtr& call) const;
  void AnswerGraph(const RestCallPtr& call) const;

  const ModelManager* const manager_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  const std::string policy_;  // the Content-Security-Policy of the page
  TrafficHistory history_;
};

// Returns an SVG of the graph of a version.
// \error kNotFound: the graph has no operations.
// \error kInvalidArgument: the graph is too large.
ramet::StatusOr<std::string> DrawGraph(const ModelVersion& version);

}  // namespace server
