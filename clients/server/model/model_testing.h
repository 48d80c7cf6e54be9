#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ramet/ramet.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "inference/predict.h"
#include "model/manager_options.h"

namespace server {

// Reports whether `condition` becomes true within 30 seconds.
template <class Condition>
bool Eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// Writes the SavedModel y = w * x to `folder`.
inline void WriteModel(const std::string& folder, float w, int64_t size = 1) {
  ramet::Graph graph;
  ramet::Scope scope(graph);
  const ramet::Output x = scope.Placeholder("x", ramet::kFloat, {-1, size});
  const ramet::Variable v =
      scope.NewVariable(ramet::Tensor::Of<float>(ramet::Shape{size}, {w}), "w");
  const ramet::Output y = ramet::AddOp(graph, "Mul", {x, v}, {}, "y").output(0);
  ramet::Session session = ramet::Session::Create(graph).value();
  ASSERT_TRUE(session.InitializeMissing().ok());
  const ramet::Status saved = ramet::SimpleSave(session, folder, {{"x", x}}, {{"y", y}});
  ASSERT_TRUE(saved.ok()) << saved.ToString();
}

// A test with an empty folder and a manager that looks for versions every 10 ms.
class ModelTest : public ::testing::Test {
 protected:
  ModelTest() {
    std::string name = (std::filesystem::temp_directory_path() / "ramet-serve-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    options_.poll_wait = std::chrono::milliseconds(10);
    options_.settle_time = std::chrono::milliseconds(0);
  }
  ~ModelTest() override {
    manager_.reset();
    std::filesystem::remove_all(folder_);
  }
  std::string At(const std::string& name) const { return (folder_ / name).string(); }
  // Makes a new version appear as a whole.
  void Add(const std::string& base, int64_t version, float w) {
    const std::string made = At(ramet::StrCat(".", base, version));
    WriteModel(made, w);
    std::filesystem::create_directories(At(base));
    std::filesystem::rename(made, At(ramet::StrCat(base, "/", version)));
  }

  ModelManager& manager() {
    if (!manager_) manager_ = MakeModelManager(options_);
    return *manager_;
  }
  ModelConfig Config(const std::string& name) const { return {.name = name, .source = At(name)}; }
  ramet::StatusOr<float> Ask(const ModelSpec& spec, float x = 1) {
    auto version = manager().Find(spec);
    if (!version.ok()) return version.status();
    ramet::StatusOr<PredictResponse> answer = ramet::Internal("not answered");
    Predict(*version, {.inputs = {{"x", ramet::Tensor::Of<float>(ramet::Shape{1, 1}, {x})}}}, {},
            [&](ramet::StatusOr<PredictResponse> got) { answer = std::move(got); });
    if (!answer.ok()) return answer.status();
    return answer->outputs.at(0).second.scalar<float>();
  }
  // Returns the state of a version of a model; kUnknown for an unknown version.
  VersionState StateOf(const std::string& name, int64_t version) {
    const auto status = manager().Status({.name = name, .version = version});
    return status.ok() ? status->at(0).state : VersionState::kUnknown;
  }

  std::filesystem::path folder_;
  ManagerOptions options_;
  std::unique_ptr<ModelManager> manager_;
};

}  // namespace server
