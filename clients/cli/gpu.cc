#include <iostream>

#include "command.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

nlohmann::json ToJson(const rm::GpuLibrary& library) {
  return {{"use", library.use},
          {"name", library.name},
          {"file", OrNull(library.file)},
          {"version", OrNull(library.version)},
          {"missing", OrNull(library.missing)}};
}

nlohmann::json ToJson(const rm::GpuDescription& gpu) {
  auto libraries = nlohmann::json::array();
  for (const rm::GpuLibrary& library : gpu.libraries) libraries.push_back(ToJson(library));
  return {{"device", gpu.device},
          {"name", gpu.name},
          {"vendor", gpu.vendor},
          {"driver", gpu.driver},
          {"driver_version", gpu.driver_version},
          {"memory_bytes", gpu.memory_bytes},
          {"compute_units", gpu.compute_units},
          {"is_cpu", gpu.is_cpu},
          {"has_double", gpu.has_double},
          {"libraries", libraries}};
}

nlohmann::json ToJson(const rm::GpuCacheReport& cache) {
  return {{"folder", OrNull(cache.folder)},
          {"entries", cache.entries},
          {"bytes", cache.bytes},
          {"limit_bytes", cache.limit_bytes}};
}

std::string SizeOf(uint64_t bytes) { return Bytes(static_cast<int64_t>(bytes)); }

void PrintLibrary(const rm::GpuLibrary& library) {
  std::cout << "  " << library.use << " ";
  if (library.missing.empty()) {
    std::cout << "by " << library.name << (library.version.empty() ? "" : " ") << library.version
              << ", " << Clean(library.file) << "\n";
  } else {
    std::cout << "by Ramet's own kernels; " << library.name
              << " is not installed: " << library.missing << "\n";
  }
}

rm::Status ListGpus(bool as_json) {
  RAMET_ASSIGN_OR_RETURN(const rm::GpuReport report, rm::ReportGpus());
  if (as_json) {
    auto gpus = nlohmann::json::array();
    for (const rm::GpuDescription& gpu : report.gpus) gpus.push_back(ToJson(gpu));
    PrintJson({{"gpus", gpus}, {"missing", OrNull(report.missing)}});
    return rm::OkStatus();
  }
  for (const rm::GpuDescription& gpu : report.gpus) {
    std::cout << gpu.device << "  " << Clean(gpu.name) << (gpu.is_cpu ? " (a processor)" : "")
              << "\n  driver " << gpu.driver << ", version " << Clean(gpu.driver_version)
              << "\n  memory " << SizeOf(gpu.memory_bytes) << ", "
              << Count(gpu.compute_units, "compute unit")
              << (gpu.has_double ? "" : ", no double precision") << "\n";
    for (const rm::GpuLibrary& library : gpu.libraries) PrintLibrary(library);
  }
  if (report.gpus.empty()) std::cout << "no GPU: " << report.missing << "\n";
  return rm::OkStatus();
}

rm::Status ShowCache(bool clear, bool as_json) {
  RAMET_ASSIGN_OR_RETURN(const rm::GpuCacheReport cache,
                         clear ? rm::ClearGpuCache() : rm::ReportGpuCache());
  if (as_json) {
    PrintJson(ToJson(cache));
  } else if (cache.folder.empty()) {
    std::cout << "compiled kernels are not kept: RAMET_GPU_CACHE is empty, or HOME is not set\n";
  } else {
    std::cout << Clean(cache.folder) << "  " << (clear ? "removed " : "") << cache.entries
              << (cache.entries == 1 ? " entry, " : " entries, ") << SizeOf(cache.bytes);
    if (!clear) std::cout << " of at most " << SizeOf(cache.limit_bytes);
    std::cout << "\n";
  }
  return rm::OkStatus();
}

}  // namespace

void AddGpu(CLI::App& app, rm::Status* status) {
  auto* gpu = app.add_subcommand("gpu", "List GPUs, and show or clear their compiled kernels");
  gpu->require_subcommand(1);
  auto json = std::make_shared<bool>(false);
  auto clear = std::make_shared<bool>(false);
  auto* list =
      gpu->add_subcommand("list", "List the GPUs that sessions use, or say what is missing");
  list->add_flag("--json", *json, "Print a JSON object");
  list->footer(
      "RAMET_GPU and CUDA_VISIBLE_DEVICES count as for a session.\n"
      "Exit codes: 0 success, also without a GPU; 1 failure; 2 usage error.\n"
      "Examples:\n  ramet gpu list\n"
      "  RAMET_GPU=opencl:cpu ramet gpu list --json | jq -r '.gpus[].name'");
  list->callback([=] { *status = ListGpus(*json); });
  auto* cache = gpu->add_subcommand("cache", "Show the folder of compiled kernels and its size");
  cache->add_flag("--clear", *clear,
                  "Remove the compiled kernels. Running programs compile again what they need");
  cache->add_flag("--json", *json, "Print a JSON object; with --clear, of what was removed");
  cache->footer(
      "The folder is RAMET_GPU_CACHE, otherwise $XDG_CACHE_HOME/ramet/gpu or ~/.cache/ramet/gpu.\n"
      "Exit codes: 0 success; 1 failure; 2 usage error.\n"
      "Examples:\n  ramet gpu cache\n"
      "  ramet gpu cache --clear");
  cache->callback([=] { *status = ShowCache(*clear, *json); });
  gpu->footer(
      "Environment: RAMET_GPU=off, cuda, opencl or opencl:cpu chooses the driver,\n"
      "CUDA_VISIBLE_DEVICES=1,0 the GPUs, RAMET_GPU_CACHE the folder of compiled kernels.\n"
      "Exit codes: 0 success, also without a GPU; 1 failure; 2 usage error.\n"
      "Examples:\n  ramet gpu list\n"
      "  RAMET_GPU=opencl:cpu ramet gpu list --json | jq -r '.gpus[].name'\n"
      "  ramet gpu cache --clear");
}

}  // namespace cli
