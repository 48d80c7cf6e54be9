#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ramet/ramet.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/model_version.h"

namespace server {

// A version whose runs return tensors that a test has set by name.
class FakeVersion final : public ModelVersion {
 public:
  const std::string& model() const override { return model_; }
  int64_t number() const override { return 3; }
  std::shared_ptr<const Signatures> signatures() const override {
    return std::make_shared<const Signatures>(all);
  }
  void Run(const RunTensors& tensors, std::vector<ramet::Tensor> feeds, const RunLimits&,
           RunDone done) override {
    last = tensors;
    fed = std::move(feeds);
    RunResult result{.answered_by = {.version = 3}};
    for (const std::string& name : tensors.fetches) result.outputs.push_back(results[name]);
    done(std::move(result));
  }

  Signatures all = {};
  std::map<std::string, ramet::Tensor> results = {};
  RunTensors last = {};
  std::vector<ramet::Tensor> fed = {};

 private:
  const std::string model_ = "m";
};

inline ramet::SignatureTensor TensorOf(const std::string& name, ramet::DType dtype) {
  return {.name = name, .dtype = dtype};
}

}  // namespace server
