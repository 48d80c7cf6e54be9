#include <ramet/ramet.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "gpu.h"
#include "report.h"
#include "roles.h"

namespace example {
namespace {

namespace rm = ramet;
using namespace std::chrono_literals;

// Waits up to 10 seconds for a file. The trainer writes the .meta file just after its first
// checkpoint.
void WaitForFile(const std::string& path) {
  for (int i = 0; i < 1000 && !std::filesystem::exists(path); ++i)
    std::this_thread::sleep_for(10ms);
}

double LargestDifference(const rm::Tensor& now, const rm::Tensor& before) {
  if (before.empty()) return -1;
  auto a = now.flat<float>(), b = before.flat<float>();
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max<double>(largest, std::abs(a[i] - b[i]));
  return largest;
}

rm::ImportedMetaGraph ImportOnto(const std::string& device, rm::Graph& graph,
                                 const std::string& path) {
  rm::Scope root(graph);
  rm::Scope s = root.Device(device);
  return rm::ImportMetaGraph(graph, path, {.clear_devices = true}).value();
}

// Evaluates each update of a follower on the test images.
class Evaluation {
 public:
  explicit Evaluation(const Options& options)
      : mnist_(rm::Mnist::Read(options.data, {.one_hot = true, .seed = options.seed}).value()),
        batch_(mnist_.test.NextBatch(50).images) {}

  // Returns the step of the update, and reports it if it differs from the previous one.
  int64_t Show(rm::Session& session, Span waited) {
    auto on_batch = session.Run({{"inputs:0", batch_}}, {"output:0", "global_step:0"}).value();
    const auto step = on_batch[1].scalar<int64_t>();
    if (step == report_.step) return step;  // the restore already had the newer checkpoint
    auto on_test = session.Run({{"inputs:0", mnist_.test.images()}}, "output:0").value();
    report_.step = step;
    report_.change = LargestDifference(on_batch[0], before_);
    report_.waited = waited;
    CountCorrect(on_test, mnist_.test.labels(), &report_);
    Tell(report_);
    before_ = on_batch[0];
    return step;
  }

 private:
  rm::Mnist mnist_;
  rm::Tensor batch_, before_;
  Report report_;
};

rm::SessionOptions SessionOptionsOf(const Options& options) {
  return {.intra_op_parallelism_threads = options.threads,
          .allow_soft_placement = IsGpu(options.follower_device),
          .deterministic = true};
}

}  // namespace

// Follows the trainer by address, which provides graph and values. Both runs of an update use the
// same version.
int FollowMemory(const Options& options) {
  Evaluation evaluation(options);
  auto follower =
      rm::Follower::Open(options.address, {.device = options.follower_device,
                                           .wait = 10min,
                                           .automatic = false,
                                           .session_options = SessionOptionsOf(options)})
          .value();
  CheckGpu(follower.session(), options.follower_device).value();
  for (int64_t step = 0; step < options.steps;) {
    const uint64_t next = follower.current().id.version + 1;
    const int64_t since = NowNanos();
    follower.Wait(next, 10min).value();
    step = evaluation.Show(follower.session(), {since, NowNanos()});
  }
  return kOk;
}

// Follows the trainer by its checkpoints.
int FollowFiles(const Options& options) {
  Evaluation evaluation(options);
  rm::CheckpointWatcher watcher(options.checkpoint_dir);
  auto checkpoint = watcher.Wait(10min).value();
  WaitForFile(checkpoint.prefix + ".meta");

  rm::Graph graph;
  auto imported = ImportOnto(options.follower_device, graph, checkpoint.prefix + ".meta");
  auto session = rm::Session::Create(graph, SessionOptionsOf(options)).value();
  CheckGpu(session, options.follower_device).value();
  for (int64_t since = NowNanos();; since = NowNanos(), checkpoint = watcher.Wait(10min).value()) {
    imported.saver.Restore(session, checkpoint.prefix).value();
    if (evaluation.Show(session, {since, NowNanos()}) >= options.steps) return kOk;
  }
}

}  // namespace example
