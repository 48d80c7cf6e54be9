#include "ramet/gradients/gradient_work.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "ramet/base/thread_storage.h"

namespace ramet {
namespace {

constexpr size_t kMaxDepth = 100;
constexpr int kMaxFunctions = 4096;
// The limit of the nodes of bodies and gradients is kMinNodes, and kNodesPerNode more for each node
// of a function. A function counts once for each outermost function that calls it. In a program's
// loops and branches, a gradient has up to 44 nodes for each node. For an outermost function whose
// calls are nested more than kMaxLargeDepth deep, the limit is kMinNodes.
constexpr int64_t kMinNodes = 100'000, kNodesPerNode = 100;
constexpr size_t kMaxLargeDepth = 16;

struct Work {
  int calls = 0;                       // of Gradients(), nested
  std::vector<std::string> functions;  // at work, each called by the previous one
  // Since the outermost function began:
  int functions_done = 0;
  size_t max_depth = 0;
  int64_t nodes_before = 0;
  std::unordered_set<std::string> known;
  // Since the outermost call of Gradients() began:
  int64_t nodes = 0, limit = kMinNodes;
};

RAMET_THREAD_LOCAL(Work work);

}  // namespace

GradientsCall::GradientsCall() {
  if (work.calls++ > 0) return;
  work.nodes = 0;
  work.limit = kMinNodes;
}
GradientsCall::~GradientsCall() { --work.calls; }

FunctionAtWork::FunctionAtWork(const std::string& function) {
  if (work.functions.empty()) {
    work.functions_done = 0;
    work.max_depth = 0;
    work.nodes_before = work.nodes;
    work.known = {function};
  }
  ++work.functions_done;
  work.functions.push_back(function);
  work.max_depth = std::max(work.max_depth, work.functions.size());
}
FunctionAtWork::~FunctionAtWork() { work.functions.pop_back(); }

bool IsAtWork(const std::string& function) {
  return std::ranges::find(work.functions, function) != work.functions.end();
}

size_t NumFunctionsAtWork() { return work.functions.size(); }

void CountBody(const std::string& function, int64_t nodes) {
  if (work.functions.empty() || work.known.insert(function).second) {
    work.limit += kNodesPerNode * nodes;
  }
  CountAdded(nodes);
}

void CountAdded(int64_t nodes) { work.nodes += nodes; }

Status CheckGradientWork() {
  if (work.functions.empty()) return OkStatus();
  const int64_t nodes = work.nodes - work.nodes_before;
  const bool too_deep = work.max_depth > kMaxLargeDepth && nodes > kMinNodes;
  if (!too_deep && work.nodes <= work.limit) return OkStatus();
  return ResourceExhausted(
      "function '", work.functions.front(), "': branches and loops are nested up to ",
      work.max_depth, " deep in it, and their gradients already have ", nodes,
      " nodes; the limit is ", too_deep ? kMinNodes : work.limit - work.nodes_before,
      ". The gradient of a loop keeps tensors for all loops inside it, and a gradient of a "
      "gradient keeps those again: nest fewer loops in one another, or differentiate fewer times");
}

Status CheckFunctionMayStart(const std::string& function) {
  if (IsAtWork(function)) {
    return ResourceExhausted("function '", function,
                             "' is its own branch or loop body, so its gradient would be infinite; "
                             "call it with PartitionedCall or by its name there");
  }
  if (work.functions.size() >= kMaxDepth) {
    return ResourceExhausted("function '", function, "': branches and loops are nested more than ",
                             work.functions.size(), " deep, the limit for gradients");
  }
  if (!work.functions.empty() && work.functions_done >= kMaxFunctions) {
    return ResourceExhausted("function '", work.functions.front(), "' has more nested calls ",
                             "than ", kMaxFunctions, ", the limit for gradients");
  }
  return CheckGradientWork();
}

}  // namespace ramet
