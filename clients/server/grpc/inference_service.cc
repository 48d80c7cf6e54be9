#include <algorithm>
#include <utility>

#include "grpc/call_table.h"
#include "grpc/observed_call.h"
#include "grpc/v2_tensors.h"
#include "inference/open_inference.h"
#include "inference/open_inference_grpc.pb.h"
#include "proto/model_messages.h"
#include "proto/predict_messages.h"

// The Open Inference Protocol's GRPCInferenceService.
namespace server {
namespace {

constexpr uint32_t kRawOutputContents = 6;  // the field of ModelInferResponse
constexpr char kSignatureParameter[] = "signature_name";

ramet::StatusOr<ModelSpec> SpecOf(const std::string& name, const std::string& version) {
  ModelSpec spec;
  spec.name = name;
  if (version.empty()) return spec;
  int64_t number = 0;
  if (!ramet::ParseInt64(version, &number)) {
    return ramet::InvalidArgument("the version of a model must be a number, but is '", version,
                                  "'");
  }
  spec.version = number;
  return spec;
}

void FinishWith(const google::protobuf::MessageLite& message, Call& call) {
  call.Finish(Pieces(message.SerializeAsString()), nullptr);
}

ramet::Status ServerLive(Call& call, const Services&) {
  inference::ServerLiveResponse response;
  response.set_live(true);
  FinishWith(response, call);
  return ramet::OkStatus();
}

ramet::Status ServerReady(Call& call, const Services& services) {
  inference::ServerReadyResponse response;
  response.set_ready(services.manager->Ready());
  FinishWith(response, call);
  return ramet::OkStatus();
}

ramet::Status ModelReady(Call& call, const Services& services) {
  RAMET_ASSIGN_OR_RETURN(const auto request,
                         ParseMessage<inference::ModelReadyRequest>(call.request()));
  RAMET_ASSIGN_OR_RETURN(const ModelSpec spec, SpecOf(request.name(), request.version()));
  inference::ModelReadyResponse response;
  response.set_ready(services.manager->Find(spec).ok());
  FinishWith(response, call);
  return ramet::OkStatus();
}

ramet::Status ServerMetadata(Call& call, const Services&) {
  inference::ServerMetadataResponse response;
  response.set_name("ramet");
  response.set_version(RAMET_VERSION);
  FinishWith(response, call);
  return ramet::OkStatus();
}

template <class List>
void Describe(const std::map<std::string, ramet::SignatureTensor>& tensors, List* list) {
  for (const auto& [name, tensor] : tensors) {
    auto* out = list->Add();
    out->set_name(name);
    out->set_datatype(OpenDatatypeName(tensor.dtype));
    if (tensor.shape.unknown_rank()) out->add_shape(-1);
    for (const int64_t dim : tensor.shape.dims()) out->add_shape(dim);
  }
}

ramet::Status ModelMetadata(Call& call, const Services& services) {
  RAMET_ASSIGN_OR_RETURN(const auto request,
                         ParseMessage<inference::ModelMetadataRequest>(call.request()));
  RAMET_ASSIGN_OR_RETURN(const ModelSpec spec, SpecOf(request.name(), request.version()));
  RAMET_ASSIGN_OR_RETURN(const auto version, services.manager->Find(spec));
  RAMET_ASSIGN_OR_RETURN(const auto statuses, services.manager->Status({.name = spec.name}));
  inference::ModelMetadataResponse response;
  response.set_name(spec.name);
  response.set_platform("tensorflow_savedmodel");
  for (const VersionStatus& status : statuses) {
    if (status.state == VersionState::kAvailable) {
      response.add_versions(std::to_string(status.version));
    }
  }
  const auto signatures = version->signatures();
  if (const ramet::Signature* signature = DescribedSignature(*signatures)) {
    Describe(signature->inputs, response.mutable_inputs());
    Describe(signature->outputs, response.mutable_outputs());
  }
  FinishWith(response, call);
  return ramet::OkStatus();
}

ramet::StatusOr<PredictRequest> PredictRequestOf(const inference::ModelInferRequest& message) {
  PredictRequest request;
  const auto parameter = message.parameters().find(kSignatureParameter);
  if (parameter != message.parameters().end()) {
    request.signature_name = parameter->second.string_param();
  }
  const int raw = message.raw_input_contents_size();
  if (raw != 0 && raw != message.inputs_size()) {
    return ramet::InvalidArgument("the request has ", message.inputs_size(), " inputs, but ", raw,
                                  " raw_input_contents; expected one for each input, or none");
  }
  for (int i = 0; i < message.inputs_size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(
        ramet::Tensor tensor,
        V2InputTensor(message.inputs(i), raw ? &message.raw_input_contents(i) : nullptr));
    request.inputs.emplace_back(message.inputs(i).name(), std::move(tensor));
  }
  for (const auto& output : message.outputs()) request.output_filter.push_back(output.name());
  return request;
}

// The parts of a ModelInfer request that its answer repeats.
struct InferContext {
  std::string model_name = {};
  std::string id = {};
  bool raw = false;
  std::vector<std::string> outputs = {};  // in the order of the answer; empty: all
};

void SortAsRequested(const std::vector<std::string>& names, NamedTensors* outputs) {
  const auto position = [&](const auto& output) {
    return std::ranges::find(names, output.first) - names.begin();
  };
  std::ranges::stable_sort(*outputs, {}, position);
}

// \error kInvalidArgument: a string is too long.
ramet::StatusOr<Pieces> InferResponse(const InferContext& context,
                                      const PredictResponse& response) {
  inference::ModelInferResponse message;
  message.set_model_name(context.model_name);
  message.set_model_version(std::to_string(response.answered_by.version));
  message.set_id(context.id);
  NamedTensors outputs = response.outputs;
  SortAsRequested(context.outputs, &outputs);
  const bool raw = context.raw || !std::ranges::all_of(outputs, [](const auto& output) {
                     return HasV2Contents(output.second.dtype());
                   });
  for (const auto& [name, tensor] : outputs) {
    auto* output = message.add_outputs();
    DescribeV2Output(name, tensor, output);
    if (!raw) WriteV2Contents(tensor, output->mutable_contents());
  }
  Pieces pieces(message.SerializeAsString());
  for (const auto& [name, tensor] : outputs) {
    if (!raw) break;
    if (tensor.dtype() == ramet::DType::kString) {
      std::string bytes;
      RAMET_RETURN_IF_ERROR(AppendBinary(tensor, &bytes));
      AppendBytesField(kRawOutputContents, bytes, pieces.bytes());
    } else {
      AppendBytesHead(kRawOutputContents, tensor.bytes(), pieces.bytes());
      pieces.AppendMemory(tensor);
    }
  }
  return pieces;
}

// The log holds the call as a Predict call.
void LogRequest(const ModelSpec& spec, const PredictRequest& request, ObservedCall& call) {
  call.LogAs(LogKind::kPredict);
  if (!call.logged()) return;
  if (auto bytes = WritePredictRequest(spec, request); bytes.ok()) {
    call.set_logged_request(bytes->Joined());
  }
}

void LogResponse(const ModelVersion& version, const PredictResponse& response, ObservedCall& call) {
  if (!call.logged()) return;
  if (auto bytes = WritePredictResponse(version, response, TensorForm::kContent); bytes.ok()) {
    call.set_logged_response(bytes->Joined());
  }
}

ramet::Status StartInfer(const ObservedCallPtr& call) {
  RAMET_ASSIGN_OR_RETURN(const auto message,
                         ParseMessage<inference::ModelInferRequest>(call->call().request()));
  RAMET_ASSIGN_OR_RETURN(const ModelSpec spec,
                         SpecOf(message.model_name(), message.model_version()));
  RAMET_ASSIGN_OR_RETURN(auto version, call->Find(spec));
  RAMET_ASSIGN_OR_RETURN(PredictRequest request, PredictRequestOf(message));
  LogRequest(spec, request, *call);
  const InferContext context{.model_name = message.model_name(),
                             .id = message.id(),
                             .raw = message.raw_input_contents_size() > 0,
                             .outputs = request.output_filter};
  Predict(version, std::move(request), call->call().limits(),
          [call, version, context](ramet::StatusOr<PredictResponse> response) {
            if (!response.ok()) return call->Finish(response.status());
            LogResponse(*version, *response, *call);
            const auto message = InferResponse(context, *response);
            if (!message.ok()) return call->Finish(message.status());
            call->Finish(*message, response->signature_name, response->answered_by);
          });
  return ramet::OkStatus();
}

}  // namespace

void AddInferenceService(const Services& services, CallHandlers* handlers) {
  const std::string prefix = "/inference.GRPCInferenceService/";
  AddHandler(prefix + "ServerLive", ServerLive, services, handlers);
  AddHandler(prefix + "ServerReady", ServerReady, services, handlers);
  AddHandler(prefix + "ModelReady", ModelReady, services, handlers);
  AddHandler(prefix + "ServerMetadata", ServerMetadata, services, handlers);
  AddHandler(prefix + "ModelMetadata", ModelMetadata, services, handlers);
  (*handlers)[prefix + "ModelInfer"] = [&services](Call& call) {
    const auto observed = std::make_shared<ObservedCall>(call, services, "ModelInfer");
    if (const ramet::Status status = StartInfer(observed); !status.ok()) observed->Finish(status);
  };
}

}  // namespace server
