#include <set>
#include <utility>

#include "grpc/call_table.h"
#include "grpc/observed_call.h"
#include "proto/examples_messages.h"
#include "proto/model_messages.h"
#include "proto/predict_messages.h"
#include "tensorflow_serving/apis/get_model_metadata.pb.h"

namespace server {
namespace {

namespace tfs = tensorflow::serving;

constexpr char kSignatureDef[] = "signature_def";

ramet::Status MissingModelSpec() { return ramet::InvalidArgument("Missing ModelSpec"); }

Pieces Serialized(const google::protobuf::MessageLite& message) {
  return Pieces(message.SerializeAsString());
}

// Returns the spec of a request.
// \error kInvalidArgument: "Missing ModelSpec".
template <class Request>
ramet::StatusOr<ModelSpec> SpecOf(const Request& request) {
  if (!request.has_model_spec()) return MissingModelSpec();
  return FromMessage(request.model_spec());
}

ramet::Status StartPredict(const ObservedCallPtr& call) {
  RAMET_ASSIGN_OR_RETURN(const PredictMessage message, ParsePredict(call->call().request()));
  if (!message.spec) return MissingModelSpec();
  RAMET_ASSIGN_OR_RETURN(auto version, call->Find(*message.spec));
  RAMET_ASSIGN_OR_RETURN(PredictRequest request, PredictRequestOf(message));
  call->LogAs(LogKind::kPredict);
  Predict(version, std::move(request), call->call().limits(),
          [call, version](ramet::StatusOr<PredictResponse> response) {
            if (!response.ok()) return call->Finish(response.status());
            auto bytes = WritePredictResponse(*version, *response, call->services().tensor_form);
            if (!bytes.ok()) return call->Finish(bytes.status());
            call->Finish(*bytes, response->signature_name, response->answered_by);
          });
  return ramet::OkStatus();
}

// Starts Classify or Regress, which differ in their messages and in the function that runs them.
template <class Request, class Response, class Result, class Run>
ramet::Status StartExamples(const ObservedCallPtr& call, LogKind kind, const Run& run) {
  RAMET_ASSIGN_OR_RETURN(Request request, ParseMessage<Request>(call->call().request()));
  RAMET_ASSIGN_OR_RETURN(const ModelSpec spec, SpecOf(request));
  RAMET_ASSIGN_OR_RETURN(auto version, call->Find(spec));
  ExamplesRequest examples = TakeExamples(spec.signature_name, request.mutable_input());
  call->set_examples(examples.examples.size());
  call->LogAs(kind);
  run(version, std::move(examples), call->call().limits(),
      [call, version](ramet::StatusOr<ExamplesResponse<Result>> response) {
        if (!response.ok()) return call->Finish(response.status());
        Response message;
        *message.mutable_model_spec() = ModelSpecMessage(*version, response->signature_name);
        *message.mutable_result() = ResultMessage(response->result);
        call->Finish(Serialized(message), response->signature_name, response->answered_by);
      });
  return ramet::OkStatus();
}

ramet::Status StartClassify(const ObservedCallPtr& call) {
  return StartExamples<tfs::ClassificationRequest, tfs::ClassificationResponse, Classifications>(
      call, LogKind::kClassify, Classify);
}

ramet::Status StartRegress(const ObservedCallPtr& call) {
  return StartExamples<tfs::RegressionRequest, tfs::RegressionResponse, Regressions>(
      call, LogKind::kRegress, Regress);
}

tfs::InferenceResult InferenceResultMessage(const ModelVersion& version, const InferenceTask& task,
                                            const TaskResult& result) {
  tfs::InferenceResult message;
  const std::string& signature = task.signature_name;
  *message.mutable_model_spec() = ModelSpecMessage(
      version, signature.empty() ? ramet::saved_model_keys::kDefaultServingSignature : signature);
  if (const auto* classes = std::get_if<Classifications>(&result)) {
    *message.mutable_classification_result() = ResultMessage(*classes);
  } else {
    *message.mutable_regression_result() = ResultMessage(std::get<Regressions>(result));
  }
  return message;
}

ramet::Status StartMultiInference(const ObservedCallPtr& call) {
  RAMET_ASSIGN_OR_RETURN(auto request,
                         ParseMessage<tfs::MultiInferenceRequest>(call->call().request()));
  if (request.tasks().empty()) return MissingModelSpec();
  RAMET_ASSIGN_OR_RETURN(auto tasks, TasksOf(request));
  RAMET_ASSIGN_OR_RETURN(const ModelSpec spec, SpecOf(request.tasks(0)));
  RAMET_ASSIGN_OR_RETURN(auto version, call->Find(spec));
  ExamplesRequest examples = TakeExamples(spec.signature_name, request.mutable_input());
  call->set_examples(examples.examples.size());
  call->LogAs(LogKind::kMultiInference);
  MultiInference(
      version, tasks, std::move(examples), call->call().limits(),
      [call, version, tasks](ramet::StatusOr<ExamplesResponse<std::vector<TaskResult>>> response) {
        if (!response.ok()) return call->Finish(response.status());
        tfs::MultiInferenceResponse message;
        for (size_t i = 0; i < response->result.size(); ++i) {
          *message.add_results() = InferenceResultMessage(*version, tasks[i], response->result[i]);
        }
        call->Finish(Serialized(message), response->signature_name, response->answered_by);
      });
  return ramet::OkStatus();
}

ramet::Status CheckFields(const tfs::GetModelMetadataRequest& request) {
  if (request.metadata_field_size() == 0) {
    return ramet::InvalidArgument(
        "GetModelMetadataRequest must specify at least one metadata_field");
  }
  for (const std::string& field : request.metadata_field()) {
    if (field != kSignatureDef) {
      return ramet::InvalidArgument("Metadata field ", field, " is not supported");
    }
  }
  return ramet::OkStatus();
}

ramet::Status GetModelMetadata(Call& call, const Services& services) {
  RAMET_ASSIGN_OR_RETURN(const auto request,
                         ParseMessage<tfs::GetModelMetadataRequest>(call.request()));
  RAMET_ASSIGN_OR_RETURN(const ModelSpec spec, SpecOf(request));
  RAMET_RETURN_IF_ERROR(CheckFields(request));
  RAMET_ASSIGN_OR_RETURN(const auto version, services.manager->Find(spec));
  tfs::SignatureDefMap map;
  for (const auto& [name, signature] : *version->signatures()) {
    (*map.mutable_signature_def())[name] = SignatureMessage(signature);
  }
  tfs::GetModelMetadataResponse response;
  *response.mutable_model_spec() = ModelSpecMessage(*version, "");
  (*response.mutable_metadata())[kSignatureDef].PackFrom(map);
  const AnsweredBy by{.version = version->number()};
  call.Finish(Serialized(response), &by);
  return ramet::OkStatus();
}

}  // namespace

void AddPredictionService(const Services& services, CallHandlers* handlers) {
  const std::string prefix = "/tensorflow.serving.PredictionService/";
  const auto add = [&](const char* name, ramet::Status (*start)(const ObservedCallPtr&)) {
    (*handlers)[prefix + name] = [&services, name, start](Call& call) {
      const auto observed = std::make_shared<ObservedCall>(call, services, name);
      if (const ramet::Status status = start(observed); !status.ok()) observed->Finish(status);
    };
  };
  add("Predict", StartPredict);
  add("Classify", StartClassify);
  add("Regress", StartRegress);
  add("MultiInference", StartMultiInference);
  AddHandler(prefix + "GetModelMetadata", GetModelMetadata, services, handlers);
}

}  // namespace server
