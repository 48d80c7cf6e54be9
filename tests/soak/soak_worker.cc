// soak_worker: one side of the harness saver_soak.py, which kills it and breaks its files.
//
//   save PREFIX COUNT FIRST MODE OWN OTHER
//       Saves steps FIRST, FIRST + 1, ... and prints "saved STEP" or "failed STEP CODE" for each.
//   restore PREFIX COUNT MODE OWN OTHER
//       Restores repeatedly and prints the figures at the end.
//   check PREFIX MODE
//       For each line of stdin: restores and prints "step STEP" or the error.
//
// All variables of step S hold S, so a mixed state is detected. MODE: plain (one prefix, one file),
// sharded (one prefix, two files), numbered (PREFIX-STEP, the two newest are kept). Both sides
// continue until each has done COUNT. A side that has creates the file OWN and checks for OTHER
// ("-": none).

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "ramet/ramet.h"

namespace rm = ramet;

namespace {

constexpr int kVariables = 6;

// Elements per variable: RAMET_SOAK_ELEMENTS if that is set.
const int64_t kElements = [] {
  const char* set = std::getenv("RAMET_SOAK_ELEMENTS");
  return set != nullptr ? std::atoll(set) : 2000;
}();

// A model with its session and its saver.
class Model {
 public:
  explicit Model(const std::string& mode) : numbered_(mode == "numbered") {
    rm::Scope s(graph_);
    for (int i = 0; i < kVariables; ++i) {
      rm::Scope device = s.Device(i % 2 == 0 ? "/cpu:0" : "/cpu:1");
      variables_.push_back(s.GetVariable(rm::StrCat("v", i), {kElements}, rm::Zeros()));
    }
    rm::SaverOptions options;
    options.sharded = mode == "sharded";
    options.max_to_keep = 2;
    saver_ = std::make_unique<rm::Saver>(graph_, options);
    rm::SessionOptions two;
    two.device_count = {{"CPU", 2}};
    session_ = std::make_unique<rm::Session>(rm::Session::Create(graph_, two).value());
  }

  rm::Status Save(const std::string& prefix, int64_t step) {
    for (const rm::Variable& v : variables_) {
      rm::Tensor value(rm::kFloat, {kElements});
      for (float& f : value.mutable_flat<float>()) f = static_cast<float>(step);
      if (rm::Status s = session_->Assign(v, value); !s.ok()) return s;
    }
    rm::SaveOptions options;
    options.write_meta_graph = false;
    if (numbered_) options.global_step = step;
    return saver_->Save(*session_, prefix, options).status();
  }

  // Restores and returns the step that all variables hold.
  rm::StatusOr<int64_t> Restore(const std::string& prefix) {
    if (!numbered_) return RestoreFrom(prefix);
    // A checkpoint may be deleted in favor of newer ones while it is read.
    for (std::string tried, said = LatestSaid(prefix); said != tried; said = LatestSaid(prefix)) {
      tried = said;
      auto step = RestoreFrom(tried);
      if (step.ok() || IsMixed(step.status())) return step;
      last_error_ = step.status();
    }
    return last_error_;
  }

  // Adopts the list of a saver that was killed.
  void Recover(const std::string& prefix) {
    auto state = rm::GetCheckpointState(FolderOf(prefix));
    if (numbered_ && state.ok() && *state) {
      saver_->RecoverLastCheckpoints((*state)->all_model_checkpoint_paths);
    }
  }

  static bool IsMixed(const rm::Status& status) { return status.message().starts_with("mixed"); }

 private:
  static std::string FolderOf(const std::string& prefix) {
    return std::filesystem::path(prefix).parent_path();
  }

  static std::string LatestSaid(const std::string& prefix) {
    auto state = rm::GetCheckpointState(FolderOf(prefix));
    return state.ok() && *state ? (*state)->model_checkpoint_path : "";
  }

  rm::StatusOr<int64_t> RestoreFrom(const std::string& prefix) {
    if (rm::Status s = saver_->Restore(*session_, prefix); !s.ok()) return s;
    const float step = session_->Value(variables_[0]).value().flat<float>()[0];
    for (const rm::Variable& v : variables_) {
      for (float f : session_->Value(v).value().flat<float>()) {
        if (f != step) return rm::DataLoss("mixed: ", v.name(), " holds ", f, " next to ", step);
      }
    }
    return static_cast<int64_t>(step);
  }

  bool numbered_;
  rm::Status last_error_ = rm::NotFound("there is no state file");
  rm::Graph graph_;
  std::vector<rm::Variable> variables_;
  std::unique_ptr<rm::Saver> saver_;
  std::unique_ptr<rm::Session> session_;
};

// Coordinates two sides that continue until both have done their count.
class Pair {
 public:
  Pair(int64_t count, std::string own, std::string other)
      : count_(count), own_(std::move(own)), other_(std::move(other)) {}
  bool Ended(int64_t done) {
    if (done < count_) return false;
    if (own_ == "-") return true;
    if (done == count_) std::ofstream(own_).put('1');
    return std::filesystem::exists(other_);
  }

 private:
  int64_t count_;
  std::string own_, other_;
};

int Save(const std::string& prefix, int64_t first, const std::string& mode, Pair pair) {
  Model model(mode);
  model.Recover(prefix);
  std::cout << "ready" << std::endl;
  for (int64_t done = 0; !pair.Ended(done); ++done) {
    const rm::Status status = model.Save(prefix, first + done);
    if (status.ok()) {
      std::cout << "saved " << first + done << std::endl;
    } else {
      std::cout << "failed " << first + done << " " << status.ToString() << std::endl;
    }
  }
  return 0;
}

int Restore(const std::string& prefix, const std::string& mode, Pair pair) {
  Model model(mode);
  int64_t done = 0, failures = 0, mixed = 0, backward = 0, last = -1;
  for (; !pair.Ended(done); ++done) {
    const auto step = model.Restore(prefix);
    if (step.ok()) {
      backward += *step < last;
      last = *step;
    } else if (Model::IsMixed(step.status())) {
      ++mixed;
    } else {
      if (failures++ < 5) std::cerr << step.status().ToString() << std::endl;
    }
  }
  std::cout << "restores " << done << " failures " << failures << " mixed " << mixed << " backward "
            << backward << std::endl;
  return 0;
}

int Check(const std::string& prefix, const std::string& mode) {
  Model model(mode);
  for (std::string line; std::getline(std::cin, line);) {
    const auto step = model.Restore(prefix);
    std::cout << (step.ok() ? rm::StrCat("step ", *step) : step.status().ToString()) << std::endl;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> a(argv + 1, argv + argc);
  if (a.size() == 7 && a[0] == "save") {
    return Save(a[1], std::stoll(a[3]), a[4], Pair(std::stoll(a[2]), a[5], a[6]));
  }
  if (a.size() == 6 && a[0] == "restore") {
    return Restore(a[1], a[3], Pair(std::stoll(a[2]), a[4], a[5]));
  }
  if (a.size() == 3 && a[0] == "check") return Check(a[1], a[2]);
  std::cerr << "usage: see the head of soak_worker.cc\n";
  return 2;
}
