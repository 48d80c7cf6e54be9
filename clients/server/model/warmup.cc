#include "model/warmup.h"

#include <chrono>
#include <cstring>
#include <utility>

namespace server {
namespace {

namespace rm = ramet;

// The largest tensor that is made up for a warm-up.
constexpr int64_t kMaxGuessedElements = int64_t{1} << 24;

// Waits for the result of a request. Requests of a version that is not available yet are answered
// in this thread, or by the batcher soon.
template <class T>
class Answer {
 public:
  std::function<void(rm::StatusOr<T>)> Done() {
    return [this](rm::StatusOr<T> result) {
      rm::MutexLock lock(mutex_);
      status_ = result.status();
      done_ = true;
      changed_.NotifyAll();
    };
  }
  rm::Status Wait() {
    rm::MutexLock lock(mutex_);
    while (!done_) changed_.Wait(mutex_);
    return status_;
  }

 private:
  rm::Mutex mutex_;
  rm::CondVar changed_;
  bool done_ RAMET_GUARDED_BY(mutex_) = false;
  rm::Status status_ RAMET_GUARDED_BY(mutex_);
};

// Answers one request of a warm-up file.
struct Runner {
  const std::shared_ptr<ModelVersion>& version;

  rm::Status operator()(const PredictRequest& request) const {
    Answer<PredictResponse> answer;
    Predict(version, request, {}, answer.Done());
    return answer.Wait();
  }
  rm::Status operator()(const ClassifyWarmup& warmup) const {
    Answer<ExamplesResponse<Classifications>> answer;
    Classify(version, warmup.request, {}, answer.Done());
    return answer.Wait();
  }
  rm::Status operator()(const RegressWarmup& warmup) const {
    Answer<ExamplesResponse<Regressions>> answer;
    Regress(version, warmup.request, {}, answer.Done());
    return answer.Wait();
  }
  rm::Status operator()(const MultiInferenceWarmup& warmup) const {
    Answer<ExamplesResponse<std::vector<TaskResult>>> answer;
    MultiInference(version, warmup.tasks, warmup.request, {}, answer.Done());
    return answer.Wait();
  }
};

// Returns a tensor of zeros, with 1 for dimensions that are not known.
rm::StatusOr<rm::Tensor> GuessInput(const rm::SignatureTensor& input) {
  rm::Shape shape = input.shape.unknown_rank() ? rm::Shape{1} : input.shape;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) < 0) shape.set_dim(i, 1);
  }
  RAMET_RETURN_IF_ERROR(shape.Validate());
  if (shape.num_elements() > kMaxGuessedElements) {
    return rm::ResourceExhausted("an input has the shape ", shape.ToString());
  }
  RAMET_ASSIGN_OR_RETURN(rm::Tensor zeros, rm::Tensor::Allocate(input.dtype, shape));
  if (zeros.bytes() > 0) std::memset(zeros.raw_data(), 0, zeros.bytes());
  return zeros;
}

rm::StatusOr<PredictRequest> GuessRequest(const std::string& key, const rm::Signature& signature) {
  PredictRequest request{.signature_name = key};
  for (const auto& [name, input] : signature.inputs) {
    if (signature.defaults.contains(name)) continue;
    RAMET_ASSIGN_OR_RETURN(rm::Tensor guess, GuessInput(input));
    request.inputs.emplace_back(name, std::move(guess));
  }
  return request;
}

// The new version may have different tensors, so an error does not matter.
void RunRecent(const std::shared_ptr<ModelVersion>& version,
               const std::vector<RecentRuns::Run>& recent) {
  size_t failed = 0;
  for (const auto& [tensors, feeds] : recent) {
    Answer<RunResult> answer;
    version->Run(tensors, feeds, {}, answer.Done());
    failed += !answer.Wait().ok();
  }
  rm::LogInfo("model '", version->model(), "' version ", version->number(), ": warmed up with ",
              recent.size(), " recent requests",
              failed > 0 ? rm::StrCat(", of which ", failed, " failed") : "");
}

void RunGuesses(const std::shared_ptr<ModelVersion>& version) {
  const auto start = std::chrono::steady_clock::now();
  const auto signatures = version->signatures();
  std::string skipped;
  for (const auto& [key, signature] : *signatures) {
    auto request = GuessRequest(key, signature);
    const rm::Status status = request.ok() ? Runner{version}(*request) : request.status();
    if (!status.ok())
      skipped += rm::StrCat("; signature '", key, "' was not run: ", status.message());
  }
  const auto time = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - start);
  rm::LogInfo("model '", version->model(), "' version ", version->number(),
              ": warmed up with zeros in ", time.count(), " us", skipped);
}

// Sets `records` to the number of requests in the file.
rm::Status RunWarmup(const std::shared_ptr<ModelVersion>& version, const std::string& path,
                     const std::vector<RecentRuns::Run>& recent, const WarmupOptions& options,
                     uint64_t* records) {
  std::vector<WarmupRequest> requests;
  if (options.requests) {
    RAMET_ASSIGN_OR_RETURN(requests, options.requests(path));
  }
  *records = requests.size();
  if (requests.empty()) {
    recent.empty() ? RunGuesses(version) : RunRecent(version, recent);
    return rm::OkStatus();
  }
  for (size_t i = 0; i < requests.size(); ++i) {
    for (int n = 0; n < std::max(options.iterations, 1); ++n) {
      RAMET_RETURN_IF_ERROR(std::visit(Runner{version}, requests[i])
                                .WithContext(rm::StrCat("warm-up request ", i + 1)));
    }
  }
  rm::LogInfo("model '", version->model(), "' version ", version->number(), ": warmed up with ",
              requests.size(), " recorded requests");
  return rm::OkStatus();
}

}  // namespace

rm::Status WarmUp(const std::shared_ptr<ModelVersion>& version, const std::string& path,
                  const std::vector<RecentRuns::Run>& recent, const WarmupOptions& options) {
  if (!options.enabled) return rm::OkStatus();
  const auto start = std::chrono::steady_clock::now();
  uint64_t records = 0;
  const rm::Status status = RunWarmup(version, path, recent, options, &records);
  if (options.on_done) {
    options.on_done({.path = path,
                     .code = status.code(),
                     .time = std::chrono::steady_clock::now() - start,
                     .records = records});
  }
  return status;
}

}  // namespace server
