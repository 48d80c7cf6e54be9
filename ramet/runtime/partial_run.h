#pragma once

#include <memory>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/runtime/session.h"

namespace ramet {

class PartialRunState;

// A PartialRun is a run in several calls (Session::PartialRunSetup, tf's partial_run). Each call
// feeds some of the declared tensors and returns some of the declared fetches. Nothing runs twice.
// A declared operation runs in the first call that has all of its inputs. Thread-safe; calls run
// one at a time. It must not outlive its session.
class RAMET_EXPORT PartialRun {
 public:
  PartialRun(PartialRun&&) noexcept;
  PartialRun& operator=(PartialRun&&) noexcept;
  ~PartialRun();

  // Returns one tensor per fetch. If `feeds` or `fetches` are refused with kInvalidArgument, the
  // call can be repeated. An error of an operation ends the partial run.
  //
  // \error kInvalidArgument: a feed or fetch was not declared, is already fed or fetched, or is an
  //   operation; a fetch needs a tensor that has not been fed; or the partial run has ended.
  // \error as for Session::Run.
  StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const std::vector<GraphElement>& fetches);
  // Returns the tensor of one fetch, not in braces.
  template <SingleFetch T>
  StatusOr<Tensor> Run(const Feeds& feeds, const T& fetch) {
    RAMET_ASSIGN_OR_RETURN(auto fetched, Run(feeds, std::vector<GraphElement>{fetch}));
    return std::move(fetched[0]);
  }
  // Reports whether everything is fed and fetched, or an operation has failed.
  bool ended() const;

 private:
  friend class Session;
  explicit PartialRun(std::unique_ptr<PartialRunState> state);
  std::unique_ptr<PartialRunState> state_;
};

}  // namespace ramet
