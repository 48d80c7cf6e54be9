#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ramet/ramet.h"

namespace ramet::faults {

// A session with some variables whose elements all have the same value, so that mixed states are
// detected.
class Model {
 public:
  static constexpr int kVariables = 3;
  static constexpr int64_t kElements = 5000;

  explicit Model(const SaverOptions& options = {}) {
    Scope scope(graph_);
    for (int i = 0; i < kVariables; ++i) {
      Scope device = scope.Device(i % 2 == 0 ? "/cpu:0" : "/cpu:1");
      variables_.push_back(device.GetVariable(StrCat("v", i), {kElements}, Zeros()));
    }
    saver_ = std::make_unique<Saver>(graph_, options);
    SessionOptions two;
    two.device_count = {{"CPU", 2}};
    session_ = std::make_unique<Session>(Session::Create(graph_, two).value());
  }

  Session& session() { return *session_; }
  Graph& graph() { return graph_; }
  Saver& saver() { return *saver_; }

  Status Set(int number) {
    for (const Variable& v : variables_) {
      Tensor value(kFloat, {kElements});
      for (float& x : value.mutable_flat<float>()) x = static_cast<float>(number);
      RAMET_RETURN_IF_ERROR(session_->Assign(v, value));
    }
    return OkStatus();
  }

  // Returns the value of all elements of all variables.
  static StatusOr<int> NumberIn(const std::string& prefix) {
    RAMET_ASSIGN_OR_RETURN(CheckpointReader reader, CheckpointReader::Open(prefix));
    float number = -1;
    for (int i = 0; i < kVariables; ++i) {
      RAMET_ASSIGN_OR_RETURN(const Tensor value, reader.Read(StrCat("v", i)));
      for (float x : value.flat<float>()) {
        if (number < 0) number = x;
        if (x != number) return DataLoss(prefix, " is mixed: ", x, " and ", number);
      }
    }
    return static_cast<int>(number);
  }

 private:
  Graph graph_;
  std::vector<Variable> variables_;
  std::unique_ptr<Saver> saver_;
  std::unique_ptr<Session> session_;
};

}  // namespace ramet::faults
