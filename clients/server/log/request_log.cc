#include "log/request_log.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <deque>
#include <random>
#include <thread>
#include <utility>

#include "proto/model_messages.h"
#include "proto/pieces.h"
#include "tensorflow_serving/apis/logging.pb.h"

namespace server {
namespace {

// The fields of PredictionLog and of the logs of its kinds.
constexpr uint32_t kLogMetadata = 1;
constexpr uint32_t kRequest = 1;
constexpr uint32_t kResponse = 2;

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// The file that the calls of one model go to.
struct LogFile {
  std::unique_ptr<std::FILE, FileCloser> file = {};
  uint64_t bytes = 0;
  int number = 0;
};

std::string TimeText() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &utc);
  return text;
}

// Returns a name for a file from the name of a model, which may have any characters.
std::string FileName(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '_'; }, '_');
  return name;
}

std::string PredictionLogOf(const LogRecord& record, double sampling_rate) {
  tensorflow::serving::LogMetadata metadata;
  *metadata.mutable_model_spec() =
      ModelSpecMessage({.name = record.model, .version = record.version}, record.signature);
  metadata.mutable_sampling_config()->set_sampling_rate(sampling_rate);
  metadata.set_timestamp_secs(std::time(nullptr));
  std::string out;
  AppendBytesField(kLogMetadata, metadata.SerializeAsString(), &out);
  AppendBytesHead(static_cast<uint32_t>(record.kind),
                  BytesFieldSize(kRequest, record.request.size()) +
                      BytesFieldSize(kResponse, record.response.size()),
                  &out);
  AppendBytesField(kRequest, record.request, &out);
  AppendBytesField(kResponse, record.response, &out);
  return out;
}

size_t BytesOf(const LogRecord& record) {
  return sizeof(record) + record.request.size() + record.response.size();
}

class RequestLogImpl final : public RequestLog {
 public:
  explicit RequestLogImpl(Options options)
      : options_(std::move(options)), thread_([this] { Work(); }) {}
  ~RequestLogImpl() override;

  ramet::Status Configure(const std::map<std::string, LoggingConfig>& models) override;
  bool Samples(std::string_view model) override;
  void Add(LogRecord record) override;
  void Flush() override;

 private:
  struct Queue {
    std::deque<LogRecord> records = {};
    size_t bytes = 0;
  };
  using Models = std::map<std::string, LoggingConfig, std::less<>>;

  void Work();
  void Write(const LogRecord& record);
  ramet::Status WriteTo(LogFile* file, const LogRecord& record, const LoggingConfig& config);
  ramet::Status OpenNext(LogFile* file, const std::string& model, const std::string& prefix);
  void Report(const std::string& model, ramet::Code code) const {
    if (options_.on_record) options_.on_record(model, code);
  }
  std::shared_ptr<const Models> models() {
    ramet::MutexLock lock(mutex_);
    return models_;
  }

  const Options options_;
  std::atomic<bool> any_ = false;  // a model is logged
  ramet::Mutex mutex_;
  ramet::CondVar changed_;
  std::shared_ptr<const Models> models_ RAMET_GUARDED_BY(mutex_) = std::make_shared<Models>();
  Queue queue_ RAMET_GUARDED_BY(mutex_);
  bool writing_ RAMET_GUARDED_BY(mutex_) = false;
  bool stop_ RAMET_GUARDED_BY(mutex_) = false;
  std::map<std::string, LogFile> files_;  // of thread_, by prefix and model
  std::thread thread_;
};

RequestLogImpl::~RequestLogImpl() {
  {
    ramet::MutexLock lock(mutex_);
    stop_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

ramet::Status RequestLogImpl::Configure(const std::map<std::string, LoggingConfig>& models) {
  for (const auto& [name, config] : models) {
    if (!(config.sampling_rate >= 0 && config.sampling_rate <= 1)) {
      return ramet::InvalidArgument("model '", name, "': the sampling rate ", config.sampling_rate,
                                    " is not in [0, 1]");
    }
    if (config.filename_prefix.empty()) {
      return ramet::InvalidArgument("model '", name, "': the log has no filename_prefix");
    }
  }
  ramet::MutexLock lock(mutex_);
  models_ = std::make_shared<const Models>(models.begin(), models.end());
  any_ = !models.empty();
  return ramet::OkStatus();
}

bool RequestLogImpl::Samples(std::string_view model) {
  if (!any_.load(std::memory_order_relaxed)) return false;
  const auto models = this->models();
  const auto found = models->find(model);
  if (found == models->end()) return false;
  thread_local std::minstd_rand random(std::random_device{}());
  return std::uniform_real_distribution<double>()(random) < found->second.sampling_rate;
}

void RequestLogImpl::Add(LogRecord record) {
  const size_t bytes = BytesOf(record);
  {
    ramet::MutexLock lock(mutex_);
    if (queue_.bytes + bytes <= options_.max_queue_bytes) {
      queue_.bytes += bytes;
      queue_.records.push_back(std::move(record));
      changed_.NotifyAll();
      return;
    }
  }
  Report(record.model, ramet::Code::kResourceExhausted);
}

void RequestLogImpl::Flush() {
  ramet::MutexLock lock(mutex_);
  while (!queue_.records.empty() || writing_) changed_.Wait(mutex_);
}

void RequestLogImpl::Work() {
  ramet::MutexLock lock(mutex_);
  while (!stop_ || !queue_.records.empty()) {
    if (queue_.records.empty()) {
      changed_.Wait(mutex_);
      continue;
    }
    const LogRecord record = std::move(queue_.records.front());
    queue_.records.pop_front();
    queue_.bytes -= BytesOf(record);
    writing_ = true;
    mutex_.Unlock();
    Write(record);
    mutex_.Lock();
    writing_ = false;
    if (queue_.records.empty()) changed_.NotifyAll();
  }
}

void RequestLogImpl::Write(const LogRecord& record) {
  const auto models = this->models();
  const auto model = models->find(record.model);
  if (model == models->end()) return;  // not logged any more
  LogFile& file = files_[model->second.filename_prefix + "." + record.model];
  const ramet::Status status = WriteTo(&file, record, model->second);
  if (!status.ok()) {
    ramet::LogOnce(ramet::LogLevel::kWarning, status.message(), "request log: ", status.message());
    file.file.reset();
  }
  Report(record.model, status.code());
}

ramet::Status RequestLogImpl::WriteTo(LogFile* file, const LogRecord& record,
                                      const LoggingConfig& config) {
  if (!file->file || file->bytes >= options_.max_file_bytes) {
    RAMET_RETURN_IF_ERROR(OpenNext(file, record.model, config.filename_prefix));
  }
  std::string bytes;
  ramet::AppendTFRecord(PredictionLogOf(record, config.sampling_rate), &bytes);
  file->bytes += bytes.size();
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file->file.get()) == bytes.size();
  if (written && std::fflush(file->file.get()) == 0) return ramet::OkStatus();
  return ramet::Unavailable("cannot write to ", config.filename_prefix, "...; ",
                            std::strerror(errno));
}

ramet::Status RequestLogImpl::OpenNext(LogFile* file, const std::string& model,
                                       const std::string& prefix) {
  const std::string path = ramet::StrCat(prefix, ".", FileName(model), ".", TimeText(), ".",
                                         getpid(), ".", file->number++, ".tfrecord");
  file->file.reset(std::fopen(path.c_str(), "wbxe"));
  file->bytes = 0;
  if (file->file) return ramet::OkStatus();
  return ramet::Unavailable("cannot create ", path, "; ", std::strerror(errno));
}

}  // namespace

std::unique_ptr<RequestLog> RequestLog::Create(Options options) {
  return std::make_unique<RequestLogImpl>(std::move(options));
}

}  // namespace server
