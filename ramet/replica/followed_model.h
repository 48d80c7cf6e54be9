#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ramet/replica/announced_signatures.h"
#include "ramet/replica/follower.h"
#include "ramet/runtime/session_impl.h"
#include "ramet/variable/variable_state.h"

namespace ramet {

// A FollowedModel is a session whose variables follow, either the follower's own or the caller's.
class FollowedModel {
 public:
  // Makes the model from the session of the options or from the announced graph.
  // \error as for Follower::Open.
  static StatusOr<std::shared_ptr<FollowedModel>> Make(const std::string& announced,
                                                       const FollowerOptions& options);
  ~FollowedModel();

  struct FollowedVariable {
    VariableSpec spec;       // with the name without the scope; the shape may be partial
    bool is_needed = false;  // false: only an optimizer uses it
    std::shared_ptr<VariableState> state;
    Device* device = nullptr;  // where the placer puts it; null: in host memory
  };
  const std::vector<FollowedVariable>& variables() const { return variables_; }
  Session& session() const { return *session_; }
  SessionImpl& impl() const { return *impl_; }
  // Reports whether the graph came from the publisher. Its variables then have the trainer's names.
  bool is_own() const { return own_graph_ != nullptr; }
  const std::string& announced() const { return announced_; }
  // The published signatures whose tensors the own graph has, with their names there.
  const SignatureDefs& signature_defs() const { return signature_defs_; }

  // Attach makes the variables follow, in their order. Detach ends it.
  void Attach();
  void Detach();

 private:
  FollowedModel() = default;
  Status BuildGraph(const FollowerOptions& options);
  Status MakeSession(const FollowerOptions& options);
  Status CloneFrom(Graph& published, const FollowerOptions& options);
  void FindVariables(const FollowerOptions& options);
  void FindDevices(const std::vector<NodeId>& nodes);

  std::string announced_;
  SignatureDefs signature_defs_;
  std::shared_ptr<Graph> own_graph_;
  std::shared_ptr<Session> own_session_;
  Session* session_ = nullptr;
  std::string scope_;  // ends with a slash, or is empty
  std::shared_ptr<SessionImpl> impl_;
  std::vector<FollowedVariable> variables_;
  bool attached_ = false;
};

// Maps a model's variables to published entries.
struct FollowerBinding {
  std::vector<int> published_as;  // per variable: the index in the signature, or -1
  std::vector<int> scales;        // per variable: the index of its scales, or -1
  std::vector<std::string> missing, extra;
  uint64_t bytes = 0;
};
// Finds the variables of `model` in `offered`.
// \error kFailedPrecondition: something does not fit. The message lists the first differences.
StatusOr<FollowerBinding> BindModel(const FollowedModel& model, const ReplicaSignature& offered,
                                    const FollowerOptions& options);

// Returns the values of the model's variables, decoded from the published ones.
// \error kResourceExhausted: a value cannot be allocated.
StatusOr<std::vector<Tensor>> DecodeValues(const FollowerBinding& binding,
                                           const ReplicaSignature& signature,
                                           const std::vector<Tensor>& published);

}  // namespace ramet
