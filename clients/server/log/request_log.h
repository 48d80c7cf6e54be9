#pragma once

#include <ramet/ramet.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "config/server_config.h"

namespace server {

// The kinds of a PredictionLog, with the numbers of their fields.
enum class LogKind : uint8_t {
  kClassify = 2,
  kRegress = 3,
  kMultiInference = 4,
  kPredict = 6,
};

// One call to log: its serialized request and response.
struct LogRecord {
  LogKind kind = LogKind::kPredict;
  std::string model = {};
  int64_t version = 0;
  std::string signature = {};
  std::string request = {};
  std::string response = {};
};

// A RequestLog writes a sample of the calls of each model to TFRecord files of PredictionLog
// messages, in a thread of its own. A call never waits for it: while the queue is full, calls are
// dropped and counted. A log can be used as a warm-up file. Thread-safe.
class RequestLog {
 public:
  struct Options {
    size_t max_queue_bytes = 64 << 20;
    // A file that has grown beyond this is closed, and the next one begins.
    uint64_t max_file_bytes = uint64_t{1} << 30;
    // Called for each call that was logged (kOk), dropped (kResourceExhausted) or could not be
    // written, with the model's name.
    std::function<void(const std::string& model, ramet::Code code)> on_record = {};
  };

  static std::unique_ptr<RequestLog> Create(Options options);
  // Writes the calls in the queue.
  virtual ~RequestLog() = default;
  // Replaces the models to log. The files are PREFIX.MODEL.TIME.PROCESS.NUMBER.tfrecord.
  // \error kInvalidArgument: a sampling rate is not in [0, 1], or a prefix is empty.
  virtual ramet::Status Configure(const std::map<std::string, LoggingConfig>& models) = 0;
  // Decides whether this call is logged.
  virtual bool Samples(std::string_view model) = 0;
  virtual void Add(LogRecord record) = 0;
  // Waits until all calls so far are in the files.
  virtual void Flush() = 0;
};

}  // namespace server
