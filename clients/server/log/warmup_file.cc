#include "log/warmup_file.h"

#include <climits>
#include <optional>
#include <utility>

#include "proto/examples_messages.h"
#include "proto/model_messages.h"
#include "proto/predict_messages.h"
#include "tensorflow_serving/apis/prediction_log.pb.h"

namespace server {
namespace {

namespace tfs = tensorflow::serving;

constexpr char kWarmupFile[] = "/assets.extra/tf_serving_warmup_requests";
constexpr int64_t kMaxFileBytes = int64_t{1} << 30;

template <class Request>
ramet::StatusOr<ExamplesRequest> ExamplesOf(const std::string& bytes) {
  RAMET_ASSIGN_OR_RETURN(Request request, ParseMessage<Request>(bytes));
  return TakeExamples(request.model_spec().signature_name(), request.mutable_input());
}

ramet::StatusOr<WarmupRequest> PredictOf(const std::string& bytes) {
  RAMET_ASSIGN_OR_RETURN(const PredictMessage message, ParsePredict(bytes));
  RAMET_ASSIGN_OR_RETURN(PredictRequest request, PredictRequestOf(message));
  return WarmupRequest(std::move(request));
}

ramet::StatusOr<WarmupRequest> MultiInferenceOf(const std::string& bytes) {
  RAMET_ASSIGN_OR_RETURN(auto request, ParseMessage<tfs::MultiInferenceRequest>(bytes));
  MultiInferenceWarmup warmup;
  RAMET_ASSIGN_OR_RETURN(warmup.tasks, TasksOf(request));
  warmup.request = TakeExamples("", request.mutable_input());
  return WarmupRequest(std::move(warmup));
}

// Returns the request of a log, or nothing for one without a kind.
ramet::StatusOr<std::optional<WarmupRequest>> RequestOf(const tfs::PredictionLog& log) {
  switch (log.log_type_case()) {
    case tfs::PredictionLog::kPredictLog: {
      RAMET_ASSIGN_OR_RETURN(auto request, PredictOf(log.predict_log().request()));
      return std::optional(std::move(request));
    }
    case tfs::PredictionLog::kClassifyLog: {
      RAMET_ASSIGN_OR_RETURN(auto request,
                             ExamplesOf<tfs::ClassificationRequest>(log.classify_log().request()));
      return std::optional<WarmupRequest>(ClassifyWarmup{std::move(request)});
    }
    case tfs::PredictionLog::kRegressLog: {
      RAMET_ASSIGN_OR_RETURN(auto request,
                             ExamplesOf<tfs::RegressionRequest>(log.regress_log().request()));
      return std::optional<WarmupRequest>(RegressWarmup{std::move(request)});
    }
    case tfs::PredictionLog::kMultiInferenceLog: {
      RAMET_ASSIGN_OR_RETURN(auto request, MultiInferenceOf(log.multi_inference_log().request()));
      return std::optional(std::move(request));
    }
    case tfs::PredictionLog::LOG_TYPE_NOT_SET: return std::optional<WarmupRequest>();
    default:
      return ramet::Unimplemented("Unsupported log_type for warmup: ",
                                  static_cast<int>(log.log_type_case()));
  }
}

ramet::Status WithRecord(const ramet::Status& status, const std::string& path, size_t number) {
  return status.WithContext(ramet::StrCat(path, ", record ", number));
}

ramet::Status AddRecord(const std::string& record, std::vector<WarmupRequest>* requests) {
  if (requests->size() == kMaxWarmupRecords) {
    return ramet::InvalidArgument("Number of warmup records exceeds the maximum (",
                                  kMaxWarmupRecords, ")");
  }
  RAMET_ASSIGN_OR_RETURN(auto request, ParseWarmupRecord(record));
  if (request) requests->push_back(*std::move(request));
  return ramet::OkStatus();
}

}  // namespace

ramet::StatusOr<std::optional<WarmupRequest>> ParseWarmupRecord(std::string_view record) {
  tfs::PredictionLog log;
  if (record.size() > INT_MAX ||
      !log.ParseFromArray(record.data(), static_cast<int>(record.size()))) {
    return ramet::DataLoss("Failed to parse warmup record: it is not a PredictionLog");
  }
  return RequestOf(log);
}

ramet::StatusOr<std::vector<WarmupRequest>> ReadWarmupRequests(const std::string& version_folder) {
  const std::string path = version_folder + kWarmupFile;
  std::vector<WarmupRequest> requests;
  auto reader = ramet::TFRecordReader::Open(path);
  if (ramet::IsNotFound(reader.status())) return requests;
  if (!reader.ok()) return reader.status();
  std::string record;
  int64_t bytes = 0;
  for (size_t number = 1;; ++number) {
    const auto found = (*reader)->Read(&record);
    if (!found.ok()) {
      return WithRecord(found.status(), path, number)
          .WithSuffix(". Please verify your warmup data is in TFRecord format.");
    }
    if (!*found) return requests;
    bytes += static_cast<int64_t>(record.size());
    if (bytes > kMaxFileBytes) {
      return ramet::InvalidArgument(path, " has more than ", kMaxFileBytes, " bytes of records");
    }
    const ramet::Status status = AddRecord(record, &requests);
    if (!status.ok()) return WithRecord(status, path, number);
  }
}

}  // namespace server
