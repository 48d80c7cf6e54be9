#include "ramet/op/function_runner.h"

namespace ramet {
namespace {

constexpr std::string_view kContainer = " session";  // no container of a graph begins with a space
constexpr std::string_view kName = "functions";

}  // namespace

StatusOr<std::shared_ptr<FunctionRunner>> FunctionRunner::Of(const ResourceStore& store) {
  if (auto runner = std::dynamic_pointer_cast<FunctionRunner>(store.Find(kContainer, kName))) {
    return runner;
  }
  return FailedPrecondition("this op calls functions, so it must run in a session");
}

void FunctionRunner::Install(std::shared_ptr<FunctionRunner> runner, ResourceStore& store) {
  store.FindOrCreate(kContainer, kName, [&] { return std::move(runner); });
}

}  // namespace ramet
