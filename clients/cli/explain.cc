#include <charconv>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <optional>

#include "command.h"
#include "model.h"
#include "tensor_json.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

struct ExplainOptions {
  StepOptions step;
  std::string device = "gpu";
  bool json = false;
};

constexpr int kCpu = -1;

// Returns kCpu, or the index of "gpu" or "gpu:1".
// \error kInvalidArgument: the device is another one.
rm::StatusOr<int> DeviceIndex(const std::string& device) {
  if (device == "cpu") return kCpu;
  if (device == "gpu") return 0;
  int index = -1;
  if (device.starts_with("gpu:")) {
    const char* const end = device.data() + device.size();
    const auto parsed = std::from_chars(device.data() + 4, end, index);
    if (parsed.ec == std::errc() && parsed.ptr == end && index >= 0) return index;
  }
  return rm::InvalidArgument("--device is '", device, "'; expected cpu, gpu or gpu:N");
}

rm::StatusOr<rm::DeviceWork> WorkOfGpu(int index) {
  const auto work = rm::WorkOfDevice("GPU", index);
  if (work.has_value()) return *work;
  return rm::NotFound("/device:GPU:", index,
                      " does not exist; RAMET_GPU chooses the driver (see docs/gpu.md), and "
                      "RAMET_GPU=opencl:cpu counts on a processor behind OpenCL");
}

// The first run compiles kernels and moves variables to the device, and the next two show the
// device which work comes again.
constexpr int kRunsBefore = 3;

// Runs the model several times, and returns the work of the last run.
rm::StatusOr<rm::DeviceWork> CountStep(Model& model, int index) {
  for (int i = 0; i < kRunsBefore; ++i) RAMET_RETURN_IF_ERROR(model.Run().status());
  RAMET_ASSIGN_OR_RETURN(const rm::DeviceWork before, WorkOfGpu(index));
  RAMET_RETURN_IF_ERROR(model.Run().status());
  RAMET_ASSIGN_OR_RETURN(const rm::DeviceWork after, WorkOfGpu(index));
  return after - before;
}

nlohmann::json WorkJson(const rm::DeviceWork& work) {
  return {{"launches", work.launches},
          {"graph_launches", work.graph_launches},
          {"launches_in_graphs", work.launches_in_graphs},
          {"fused_launches", work.fused_launches},
          {"merged_launches", work.merged_launches},
          {"copies_to_device", work.copies_to_device},
          {"bytes_to_device", work.bytes_to_device},
          {"copies_to_host", work.copies_to_host},
          {"bytes_to_host", work.bytes_to_host}};
}

nlohmann::json PlanJson(const rm::PlanReport& plan) {
  nlohmann::json passes = nlohmann::json::array();
  for (const rm::PassEffect& pass : plan.passes) {
    passes.push_back({{"name", pass.name},
                      {"description", pass.description},
                      {"used", pass.used},
                      {"changes", pass.changes},
                      {"unit", pass.unit},
                      {"steps_saved", pass.steps_saved}});
  }
  return {{"nodes", plan.nodes},
          {"steps_compiled", plan.steps_compiled},
          {"steps", plan.steps},
          {"passes", passes}};
}

void PrintWork(const rm::DeviceWork& work) {
  std::cout << "  launches   " << work.launches << "\n"
            << "  graphs     " << work.graph_launches << " of them, with "
            << work.launches_in_graphs << " kernels\n"
            << "  kernels    of element-wise ops together " << work.fused_launches
            << ", of updates together " << work.merged_launches << "\n"
            << "  to device  " << work.bytes_to_device << " B in " << work.copies_to_device
            << " copies\n"
            << "  to host    " << work.bytes_to_host << " B in " << work.copies_to_host
            << " copies\n";
}

void PrintPlan(const rm::PlanReport& plan) {
  std::cout << "  steps      " << plan.steps << " of " << plan.steps_compiled << ", for "
            << Count(plan.nodes, "node") << "\n";
  for (const rm::PassEffect& pass : plan.passes) {
    std::cout << "  " << std::left << std::setw(22) << pass.name << " ";
    if (pass.used) {
      std::cout << pass.changes << " " << pass.unit << ", " << pass.steps_saved
                << " steps fewer: " << pass.description << "\n";
    } else {
      std::cout << "not used: " << pass.description << "\n";
    }
  }
}

rm::Status Explain(const ExplainOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const int index, DeviceIndex(options.device));
  RAMET_ASSIGN_OR_RETURN(Model model, OpenStep(options.step, "run"));
  std::optional<rm::DeviceWork> work;
  if (index != kCpu) {
    RAMET_ASSIGN_OR_RETURN(work, CountStep(model, index));
  }
  RAMET_ASSIGN_OR_RETURN(const rm::PlanReport plan, model.Explain());
  const std::string device = work ? rm::StrCat("/device:GPU:", index) : "/device:CPU:0";
  if (options.json) {
    nlohmann::json json = work ? WorkJson(*work) : nlohmann::json::object();
    json["device"] = device;
    json.update(PlanJson(plan));
    PrintJson(json);
    return rm::OkStatus();
  }
  std::cout << device << ", one step\n";
  if (work) PrintWork(*work);
  PrintPlan(plan);
  return rm::OkStatus();
}

}  // namespace

void AddExplain(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand(
      "explain", "Show the steps of a run and what passes did, and count its work on a GPU");
  auto options = std::make_shared<ExplainOptions>();
  AddStepOptions(command, &options->step);
  command->add_option("--device", options->device, "cpu, gpu or gpu:N")->type_name("DEVICE");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "On a GPU, the model runs four times, and the last run is counted. With --device cpu, it "
      "does\n"
      "not run. The environment variable RAMET_PASSES chooses the passes. No file is changed.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error.\n"
      "Example:\n  ramet explain model-1000 --device gpu --feed images=x.npy --fetch out");
  command->callback([=] { *status = Explain(*options); });
}

}  // namespace cli
