#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ramet/op/resource_store.h"
#include "ramet/replica/follower.h"
#include "ramet/runtime/session_impl.h"

namespace ramet {

// What follows: a session, its own or given, and its variables.
class FollowedModel {
 public:
  // Over the session of the options, or the announced graph. \error as Follower::Open.
  static StatusOr<std::shared_ptr<FollowedModel>> Make(const std::string& announced,
                                                       const FollowerOptions& options);
  ~FollowedModel();

  struct FollowedVariable {
    VariableSpec spec;       // its name without the scope; the shape may be partial
    bool is_needed = false;  // not only by an optimizer
    std::shared_ptr<VariableState> state;
  };
  const std::vector<FollowedVariable>& variables() const { return variables_; }
  Session& session() const { return *session_; }
  SessionImpl& impl() const { return *impl_; }
  // Whether the graph came from the publisher: its variables have the trainer's names.
  bool is_own() const { return own_graph_ != nullptr; }
  const std::string& announced() const { return announced_; }

  // The variables follow from now on, in their order / no more.
  void Attach();
  void Detach();

 private:
  FollowedModel() = default;
  Status BuildGraph(const FollowerOptions& options);
  Status MakeSession(const FollowerOptions& options);
  Status CloneFrom(Graph& published, const FollowerOptions& options);
  void FindVariables(const FollowerOptions& options);

  std::string announced_;
  std::shared_ptr<Graph> own_graph_;
  std::shared_ptr<Session> own_session_;
  Session* session_ = nullptr;
  std::string scope_;  // with a slash, or nothing
  std::shared_ptr<SessionImpl> impl_;
  std::vector<FollowedVariable> variables_;
  bool attached_ = false;
};

// How a model's variables are found in what is published.
struct FollowerBinding {
  std::vector<int> published_as;  // by the model's variables: the entry of the signature, or -1
  std::vector<int> scales;        // and that of its scales, or -1
  std::vector<std::string> missing, extra;
  uint64_t bytes = 0;
};
// \error kFailedPrecondition naming the first differences.
StatusOr<FollowerBinding> BindModel(const FollowedModel& model, const ReplicaSignature& offered,
                                    const FollowerOptions& options);

// The model's values by those that were published, decoded. \error kResourceExhausted.
StatusOr<std::vector<Tensor>> DecodeValues(const FollowerBinding& binding,
                                           const ReplicaSignature& signature,
                                           const std::vector<Tensor>& published);

}  // namespace ramet
