#include <algorithm>
#include <iostream>
#include <set>

#include "command.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

struct OpSummary {
  std::string name;
  std::set<std::string> devices;
  // The dtypes with a kernel; "any" stands for a kernel that takes all dtypes of the definition.
  std::set<std::string> dtypes;
  std::string gradient;
};

OpSummary Summarize(const rm::Op& op) {
  OpSummary summary{op.name(), {}, {}, "no"};
  for (const rm::KernelRegistration& kernel : op.kernels()) {
    summary.devices.emplace(kernel.device_type);
    const bool any = kernel.dtype == rm::DType::kInvalid;
    summary.dtypes.insert(any ? "any" : rm::DTypeName(kernel.dtype));
  }
  if (op.gradient() != nullptr) summary.gradient = "yes";
  if (op.not_differentiable()) summary.gradient = "none";
  return summary;
}

rm::Status Ops(bool as_json) {
  auto json = nlohmann::json::array();
  for (const rm::Op* op : rm::OpRegistry::Global().All()) {
    const OpSummary s = Summarize(*op);
    if (as_json) {
      json.push_back({{"name", s.name},
                      {"definition", op->schema().ToString()},
                      {"devices", s.devices},
                      {"dtypes", s.dtypes},
                      {"gradient", s.gradient}});
    } else {
      std::cout << s.name << "  " << rm::StrJoin(s.devices, ",") << "  gradient " << s.gradient
                << "  " << rm::StrJoin(s.dtypes, " ") << "\n";
    }
  }
  if (as_json) PrintJson(json);
  return rm::OkStatus();
}

}  // namespace

void AddOps(CLI::App& app, rm::Status* status) {
  auto* command =
      app.add_subcommand("ops", "List the supported ops: name, devices, gradient and dtypes");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print a JSON array of objects, with each op's definition");
  command->footer(
      "Gradient: yes, no (gradients() fails), or none (the gradient is None by definition).\n"
      "Exit codes: 0 success, 1 failure, 2 usage error.\n"
      "Examples:\n  ramet ops | grep Conv\n"
      "  ramet ops --json | jq -r '.[] | select(.gradient == \"no\") | .name'");
  command->callback([=] { *status = Ops(*json); });
}

}  // namespace cli
