#include "grpc/call_table.h"

namespace server {

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
