#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "grpc/call.h"
#include "grpc/services.h"

namespace server {

// Starts the work of a call. Must not throw.
using CallHandler = std::function<void(Call&)>;

// A CallTable holds the handlers of calls by path ("/tensorflow.serving.ModelService/...").
class CallTable {
 public:
  // Makes the table of all services. `services` must outlive it.
  explicit CallTable(const Services& services);
  // Returns null for an unknown path.
  const CallHandler* Find(std::string_view path) const;

 private:
  std::map<std::string, CallHandler, std::less<>> handlers_;
};

// The handlers of one service, which CallTable collects.
using CallHandlers = std::map<std::string, CallHandler, std::less<>>;
// Adds a handler that runs `run`, which finishes the call or returns an error to finish it with.
void AddHandler(const std::string& path, ramet::Status (*run)(Call&, const Services&),
                const Services& services, CallHandlers* handlers);
void AddPredictionService(const Services& services, CallHandlers* handlers);
void AddModelService(const Services& services, CallHandlers* handlers);
void AddInferenceService(const Services& services, CallHandlers* handlers);

}  // namespace server
