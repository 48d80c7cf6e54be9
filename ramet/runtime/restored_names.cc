#include "ramet/runtime/restored_names.h"

#include "ramet/base/log.h"

namespace ramet {

void RestoredNames::Add(const std::vector<std::string>& names) {
  MutexLock lock(mutex_);
  names_.insert(names.begin(), names.end());
  any_ = !names_.empty();
}

void RestoredNames::WarnAbout(const Graph& graph, const std::vector<VariableId>& initialized) {
  if (!any_ || initialized.empty()) return;
  MutexLock lock(mutex_);
  int overwritten = 0;
  for (VariableId id : initialized) {
    overwritten += names_.contains(graph.variables()[id].variable.op().name());
  }
  if (overwritten == 0) return;
  LogWarning(
      "restored values of ", overwritten,
      " variables are overwritten by their initializers; to initialize only what is missing, "
      "use Session::InitializeMissing (Python: session.initialize_missing())");
  names_.clear();
  any_ = false;
}

}  // namespace ramet
