#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ramet/base/strings.h"
#include "ramet/ramet.h"

namespace ramet {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pointwise;

// Reports whether `condition` becomes true within 30 seconds.
template <class Condition>
bool Eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

// A trainer y = w * x with an operation that adds 1 to w, and a variable that is not a float.
class ReplicaTest : public ::testing::Test {
 protected:
  ReplicaTest() : scope_(graph_) {
    w_ = scope_.GetVariable("w", {4}, Zeros());
    step_ = scope_.GetVariable("step", {},
                               {.initializer = Zeros(), .dtype = kInt64, .trainable = false});
    x_ = scope_.Placeholder("x", kFloat, {4});
    y_ = Identity(w_ * x_, "y");
    add_ = AssignAdd(w_.ref(), Constant(graph_, Ones()), "add");
    session_.emplace(Session::Create(graph_).value());
    session_->Run(scope_.GlobalVariablesInitializer()).value();
  }
  static std::string Address(const std::string& more = "") {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return StrCat("shm:", test->test_suite_name(), " ", getpid(), " ", test->name(), more);
  }
  Publisher Publish(const PublisherOptions& options = {}) {
    return Publisher::Open(Address(), *session_, options).value();
  }
  static Tensor Ones() { return Tensor::Vector<float>({1, 1, 1, 1}); }
  static std::vector<float> Values(Session& session, const std::string& scope = "") {
    const Tensor y = session.Run({{scope + "x:0", Ones()}}, scope + "y:0").value();
    return {y.flat<float>().begin(), y.flat<float>().end()};
  }
  void Set(const Variable& variable, const std::vector<float>& values) {
    ASSERT_TRUE(session_->Assign(variable, Tensor::Vector<float>(values)).ok());
  }

  Graph graph_;
  Scope scope_;
  Variable w_, step_;
  Output x_, y_, add_;
  std::optional<Session> session_;
};

}  // namespace ramet
