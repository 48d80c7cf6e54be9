#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ramet/replica/publisher.h"
#include "ramet/runtime/session_impl.h"
#include "ramet/variable/variable_state.h"

namespace ramet {

// A published variable: the state that holds its value, and the form in which it is sent.
struct PublishedVariable {
  std::string name = {};  // in its graph
  DType dtype = DType::kInvalid;
  Shape shape = {};
  Conversion conversion = Conversion::kNone;
  size_t entry = 0;  // index in the signature; the scales of int8 values are at the next index
  SessionImpl* session = nullptr;
  std::shared_ptr<VariableState> state = {};
  // For a converted variable: the value that was sent last, before and after conversion.
  Tensor source = {}, converted = {}, scales = {};
};

// A ModelSource is the publisher's view of one session.
class ModelSource {
 public:
  // `prefix` ("actor/", or empty) is prepended to all published names.
  // \error as for Publisher::Open.
  static StatusOr<ModelSource> Make(const Session& session, std::string prefix,
                                    const std::vector<Variable>& variables,
                                    const PublisherOptions& options);

  SessionImpl& session() const { return *session_; }
  // Appends the published tensors to `signature` and the variables to `published`.
  // \error as for Publisher::Open.
  Status Announce(const PublisherOptions& options, ReplicaSignature* signature,
                  std::vector<PublishedVariable>* published) const;
  // Returns the value of the graph's global step, or an empty tensor if it has none.
  Tensor GlobalStep() const { return global_step_ ? global_step_->Read() : Tensor(); }

 private:
  std::shared_ptr<SessionImpl> session_;
  std::string prefix_;
  std::vector<Variable> variables_;
  std::shared_ptr<VariableState> global_step_;
};

// Returns `name` as published according to `rules`.
std::string Renamed(const std::string& name, const std::vector<Renaming>& rules);

}  // namespace ramet
