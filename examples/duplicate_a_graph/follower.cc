#include <ramet/ramet.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "report.h"
#include "roles.h"

namespace example {
namespace {

namespace rm = ramet;
using namespace std::chrono_literals;

// The trainer writes the first .meta file just after its first checkpoint.
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

}  // namespace

int Follow(const Options& options) {
  auto mnist = rm::Mnist::Read(options.data, {.one_hot = true, .seed = options.seed}).value();
  const rm::Tensor test_images = mnist.test.images();
  const rm::Tensor test_labels = mnist.test.labels();
  const rm::Tensor batch = mnist.test.NextBatch(50).images;

  rm::CheckpointWatcher watcher(options.checkpoint_dir);
  auto checkpoint = watcher.Wait(10min).value();
  WaitForFile(checkpoint.prefix + ".meta");

  rm::Graph graph;
  auto imported = ImportOnto(options.follower_device, graph, checkpoint.prefix + ".meta");
  auto session = rm::Session::Create(graph, {.intra_op_parallelism_threads = options.threads,
                                             .deterministic = true})
                     .value();

  rm::Tensor before;
  Report report;
  for (;; checkpoint = watcher.Wait(10min).value()) {
    Check(imported.saver.Restore(session, checkpoint.prefix));
    auto on_batch = session.Run({{"inputs:0", batch}}, {"output:0", "global_step:0"}).value();
    const auto step = on_batch[1].scalar<int64_t>();
    if (step == report.step) continue;  // a save that came between the notice and the restore
    auto on_test = session.Run({{"inputs:0", test_images}}, "output:0").value();

    report.step = step;
    report.change = LargestDifference(on_batch[0], before);
    CountCorrect(on_test[0], test_labels, &report);
    Tell(report);
    before = on_batch[0];
    if (step >= options.steps) return kOk;
  }
}

}  // namespace example
