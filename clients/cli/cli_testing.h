#pragma once

// A fixture for tests that run the program `ramet` on small models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ramet/ramet.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace cli {

namespace rm = ramet;
namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

inline std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Result {
  int code;
  std::string out, err;
};

// All tests of a suite share a temporary folder with the checkpoint `model` of step 7.
class Cli : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new std::string((fs::temp_directory_path() / "ramet-cli-XXXXXX").string());
    ASSERT_NE(mkdtemp(dir_->data()), nullptr);
    SaveModel(Path("model"), 7);
  }
  static void TearDownTestSuite() {
    fs::remove_all(*dir_);
    delete dir_;
  }

  static std::string Path(const std::string& name) { return *dir_ + "/" + name; }

  // Saves a model with out = x * w + b, a loss, a training step and global_step = `step`.
  static void SaveModel(const std::string& prefix, int64_t step) {
    rm::Graph graph;
    auto session = MakeModel(graph, step);
    rm::Saver(graph).Save(session, prefix).value();
  }
  static rm::Session MakeModel(rm::Graph& graph, int64_t step) {
    rm::Scope s(graph);
    auto x = s.Placeholder("x", rm::kFloat, {-1, 3});
    auto y = s.Placeholder("y", rm::kFloat, {-1, 2});
    auto w = s.GetVariable("w", {3, 2}, rm::Ones());
    auto b = s.GetVariable("b", {2}, rm::Zeros());
    auto out = rm::Identity(rm::MatMul(x, w) + b, "out");
    auto loss = rm::ReduceMean(rm::Square(out - y), {}, {.name = "loss"});
    auto count = rm::GetOrCreateGlobalStep(graph);
    rm::GradientDescent(0.1).Minimize(loss, {.global_step = count});
    auto init = s.GlobalVariablesInitializer();
    auto session = rm::Session::Create(graph).value();
    session.Run(init).value();
    EXPECT_TRUE(session.Assign(count, rm::Tensor(step)).ok());
    return session;
  }

  static Result Run(const std::string& arguments) {
    const std::string command = rm::StrCat("'", RAMET_PROGRAM, "' ", arguments, " > ",
                                           Path("stdout"), " 2> ", Path("stderr"), " < /dev/null");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Content(Path("stdout")),
            Content(Path("stderr"))};
  }
  static json RunJson(const std::string& arguments) {
    Result result = Run(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  }
  // Expects this exit code, nothing on stdout and, for exit code 1, one line on stderr that
  // contains `text`.
  static void ExpectError(const std::string& arguments, int code, const std::string& text) {
    Result result = Run(arguments);
    EXPECT_EQ(result.code, code) << arguments;
    EXPECT_THAT(result.err, HasSubstr(text));
    EXPECT_EQ(result.out, "");
    if (code == 1) {
      EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
      EXPECT_THAT(result.err, StartsWith("ramet: "));
    }
  }

  inline static std::string* dir_ = nullptr;
};

}  // namespace cli
