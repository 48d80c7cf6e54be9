#pragma once

#include <memory>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/runtime/session.h"

namespace ramet {

class PartialRunState;

// A run in pieces (Session::PartialRunSetup, tf's partial_run): each piece feeds some of the
// tensors that were announced and takes some of the fetches; what has run for one piece does not
// run again. Operations that were announced run with the first piece that knows all they need.
// Thread-safe; pieces of one run follow one another. It must not outlive its session.
class RAMET_EXPORT PartialRun {
 public:
  PartialRun(PartialRun&&) noexcept;
  PartialRun& operator=(PartialRun&&) noexcept;
  ~PartialRun();

  // One tensor per fetch. After kInvalidArgument for its feeds and fetches a piece can be asked for
  // again; after an error of an operation the run has ended.
  //
  // \error kInvalidArgument if a feed or fetch was not announced, was fed or fetched before, or is
  //   an operation, if a fetch needs what has not been fed yet, or the run has ended; as
  //   Session::Run.
  StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const std::vector<GraphElement>& fetches);
  // Whether all is fed and fetched, or an operation has failed.
  bool ended() const;

 private:
  friend class Session;
  explicit PartialRun(std::unique_ptr<PartialRunState> state);
  std::unique_ptr<PartialRunState> state_;
};

}  // namespace ramet
