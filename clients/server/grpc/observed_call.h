#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "grpc/call.h"
#include "grpc/services.h"
#include "log/request_log.h"

namespace server {

// An ObservedCall finishes a call of an inference and then counts it in the metrics and writes it
// to the request log. A handler shares it with the functions that continue the call.
class ObservedCall {
 public:
  // `api` outlives the call.
  ObservedCall(Call& call, const Services& services, std::string_view api);

  Call& call() { return call_; }
  const Services& services() const { return services_; }
  // Finds the version for the request and remembers the model for the metrics and the log.
  // \error as for ModelManager::Find.
  ramet::StatusOr<std::shared_ptr<ModelVersion>> Find(const ModelSpec& spec);
  // The number of examples, for the metrics.
  void set_examples(uint64_t examples) { examples_ = examples; }
  // Logs the call as a record of this kind if it is a part of the sample. Call it after Find.
  void LogAs(LogKind kind);
  // Reports whether the call will be logged.
  bool logged() const { return log_kind_.has_value(); }
  // Replaces the call's own messages in the log, for a call that has no kind of record.
  void set_logged_request(std::string bytes) { logged_request_ = std::move(bytes); }
  void set_logged_response(std::string bytes) { logged_response_ = std::move(bytes); }

  void Finish(const Pieces& response, const std::string& signature, const AnsweredBy& by);
  void Finish(const ramet::Status& error);

 private:
  void WriteLog(const Pieces& response, const std::string& signature, int64_t version);
  void Record(ramet::Code code, const std::string& signature, const AnsweredBy* by);

  Call& call_;
  const Services& services_;
  const std::string_view api_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string model_ = {};  // empty until the model is found
  std::optional<uint64_t> examples_ = {};
  std::optional<LogKind> log_kind_ = {};  // empty: not logged
  std::optional<std::string> logged_request_ = {};
  std::optional<std::string> logged_response_ = {};
};

using ObservedCallPtr = std::shared_ptr<ObservedCall>;

}  // namespace server
