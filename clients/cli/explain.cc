#include <charconv>
#include <cstdlib>
#include <iostream>

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

// Returns the index of "gpu" or "gpu:1".
// \error kInvalidArgument: the device is another one.
rm::StatusOr<int> GpuIndex(const std::string& device) {
  if (device == "gpu") return 0;
  int index = -1;
  if (device.starts_with("gpu:")) {
    const char* const end = device.data() + device.size();
    const auto parsed = std::from_chars(device.data() + 4, end, index);
    if (parsed.ec == std::errc() && parsed.ptr == end && index >= 0) return index;
  }
  return rm::InvalidArgument("--device is '", device,
                             "'; expected gpu or gpu:N, since only GPUs count their work");
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
rm::StatusOr<rm::DeviceWork> CountStep(const ExplainOptions& options, int index) {
  RAMET_ASSIGN_OR_RETURN(Model model, Model::Open(options.step.model));
  const StepOptions& step = options.step;
  if (step.fetches.empty() && step.signature.empty()) {
    return rm::InvalidArgument(
        "nothing to run; use --fetch NAME or --signature NAME ('ramet inspect' shows the names)");
  }
  RAMET_RETURN_IF_ERROR(model.Prepare(step.feeds, step.fetches, step.signature));
  for (int i = 0; i < kRunsBefore; ++i) RAMET_RETURN_IF_ERROR(model.Run().status());
  RAMET_ASSIGN_OR_RETURN(const rm::DeviceWork before, WorkOfGpu(index));
  RAMET_RETURN_IF_ERROR(model.Run().status());
  RAMET_ASSIGN_OR_RETURN(const rm::DeviceWork after, WorkOfGpu(index));
  return after - before;
}

rm::Status Explain(const ExplainOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const int index, GpuIndex(options.device));
  RAMET_ASSIGN_OR_RETURN(const rm::DeviceWork work, CountStep(options, index));
  if (options.json) {
    PrintJson({{"device", rm::StrCat("/device:GPU:", index)},
               {"launches", work.launches},
               {"graph_launches", work.graph_launches},
               {"launches_in_graphs", work.launches_in_graphs},
               {"fused_launches", work.fused_launches},
               {"merged_launches", work.merged_launches},
               {"copies_to_device", work.copies_to_device},
               {"bytes_to_device", work.bytes_to_device},
               {"copies_to_host", work.copies_to_host},
               {"bytes_to_host", work.bytes_to_host}});
    return rm::OkStatus();
  }
  std::cout << "/device:GPU:" << index << ", one step\n"
            << "  launches   " << work.launches << "\n"
            << "  graphs     " << work.graph_launches << " of them, with "
            << work.launches_in_graphs << " kernels\n"
            << "  kernels    of element-wise ops together " << work.fused_launches
            << ", of updates together " << work.merged_launches << "\n"
            << "  to device  " << work.bytes_to_device << " B in " << work.copies_to_device
            << " copies\n"
            << "  to host    " << work.bytes_to_host << " B in " << work.copies_to_host
            << " copies\n";
  return rm::OkStatus();
}

}  // namespace

void AddExplain(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand("explain", "Count what a step of a graph does on a GPU");
  auto options = std::make_shared<ExplainOptions>();
  AddStepOptions(command, &options->step);
  command->add_option("--device", options->device, "The GPU: gpu or gpu:N")->type_name("DEVICE");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "The model runs four times, and the last run is counted. No file is changed.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error.\n"
      "Example:\n  ramet explain model-1000 --device gpu --feed images=x.npy --fetch out");
  command->callback([=] { *status = Explain(*options); });
}

}  // namespace cli
