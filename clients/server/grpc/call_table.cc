#include "grpc/call_table.h"

namespace server {

void AddHandler(const std::string& path, ramet::Status (*run)(Call&, const Services&),
                const Services& services, CallHandlers* handlers) {
  (*handlers)[path] = [&services, run](Call& call) {
    if (const ramet::Status status = run(call, services); !status.ok()) call.Finish(status);
  };
}

CallTable::CallTable(const Services& services) {
  AddPredictionService(services, &handlers_);
  AddModelService(services, &handlers_);
  AddInferenceService(services, &handlers_);
}

const CallHandler* CallTable::Find(std::string_view path) const {
  const auto found = handlers_.find(path);
  return found == handlers_.end() ? nullptr : &found->second;
}

}  // namespace server
