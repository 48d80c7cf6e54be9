// Fine-tunes a pretrained network: imports it from its files, cuts it at a layer, adds a new head
// and trains it on different pictures. tune.cc is what a user of the library writes; somebody.cc
// creates the pretrained checkpoint.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>

#include "roles.h"

namespace example {
namespace {

namespace fs = std::filesystem;

// The folder for checkpoints. If `path` is empty, it is a temporary folder, which the destructor
// removes.
class Folder {
 public:
  explicit Folder(const std::string& path) : path_(path), is_fresh_(path.empty()) {
    if (!is_fresh_) return;
    std::string name = (fs::temp_directory_path() / "fine_tune.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw fs::filesystem_error("cannot create", name, {});
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (is_fresh_) fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
  bool is_fresh_;
};

int Run(const Options& options) {
  const auto data = ramet::Mnist::Read(options.data, {.reshape = false, .seed = options.seed});
  const Folder folder(options.folder);
  const std::string theirs = options.model.empty() ? folder / "theirs" : options.model;
  if (options.model.empty()) TrainTheirs(theirs, data.value(), options);
  const double tuned = FineTune(theirs, folder / "ours", data.value(), options);
  const double served = Serve(folder / "ours", data.value(), options);
  std::printf("Accuracy of the saved model: %.4f\n", served);
  return tuned == served ? 0 : 1;
}

}  // namespace
}  // namespace example

int main(int argc, char** argv) try {
  int exit_code = 0;
  const auto options = example::ParseOptions(argc, argv, &exit_code);
  return options ? example::Run(*options) : exit_code;
} catch (const ramet::BadStatusAccess& e) {
  std::cerr << "fine_tune: " << e.status().message() << "\n";
  return 1;
} catch (const std::exception& e) {
  std::cerr << "fine_tune: " << e.what() << "\n";
  return 1;
}
