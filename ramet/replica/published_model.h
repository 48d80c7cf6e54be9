#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ramet/op/resource_store.h"
#include "ramet/replica/publisher.h"
#include "ramet/runtime/session_impl.h"

namespace ramet {

// A variable that is published: where its value is, and what is sent of it.
struct PublishedVariable {
  std::string name = {};  // in its graph
  DType dtype = DType::kInvalid;
  Shape shape = {};
  Conversion conversion = Conversion::kNone;
  size_t entry = 0;  // in the signature; of int8 values the next one has the scales
  SessionImpl* session = nullptr;
  std::shared_ptr<VariableState> state = {};
  // What was sent last, of which value; of a converted variable.
  Tensor source = {}, converted = {}, scales = {};
};

// What one session has to publish.
class ModelSource {
 public:
  // `prefix` ("actor/", or nothing) stands before all published names.
  // \error as Publisher::Open.
  static StatusOr<ModelSource> Make(const Session& session, std::string prefix,
                                    const std::vector<Variable>& variables,
                                    const PublisherOptions& options);

  SessionImpl& session() const { return *session_; }
  // Appends what is published to the signature, and the variables.
  Status Announce(const PublisherOptions& options, ReplicaSignature* signature,
                  std::vector<PublishedVariable>* published) const;
  // The value of the graph's global step; empty if it has none.
  Tensor GlobalStep() const { return global_step_ ? global_step_->Read() : Tensor(); }

 private:
  std::shared_ptr<SessionImpl> session_;
  std::string prefix_;
  std::vector<Variable> variables_;
  std::shared_ptr<VariableState> global_step_;
};

// "train/w" as the rules publish it.
std::string Renamed(const std::string& name, const std::vector<Renaming>& rules);

}  // namespace ramet
