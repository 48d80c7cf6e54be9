#include "ramet/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <set>

#include "ramet/base/mutex.h"

namespace ramet {
namespace {

constexpr std::array<std::string_view, 5> kLevelNames = {"debug", "info", "warning", "error",
                                                         "off"};

LogLevel LevelFromEnvironment() {
  const char* name = std::getenv("RAMET_LOG_LEVEL");
  for (size_t i = 0; name != nullptr && i < kLevelNames.size(); ++i) {
    if (kLevelNames[i] == name) return static_cast<LogLevel>(i);
  }
  return LogLevel::kInfo;
}

std::atomic<LogLevel>& Level() {
  static std::atomic<LogLevel> level = LevelFromEnvironment();
  return level;
}

// Never destroyed, so that destructors of other statics can still log.
struct Output {
  Mutex mutex;
  LogSink sink RAMET_GUARDED_BY(mutex);
  std::unique_ptr<spdlog::logger> logger RAMET_GUARDED_BY(mutex);
  std::set<std::string, std::less<>> seen RAMET_GUARDED_BY(mutex);
};

Output& TheOutput() {
  static Output* const output = new Output;
  return *output;
}

std::unique_ptr<spdlog::logger> MakeLogger() {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_st>();
  auto logger = std::make_unique<spdlog::logger>("ramet", std::move(sink));
  logger->set_pattern("%^%L%$ %H:%M:%S.%e ramet: %v");
  logger->set_level(spdlog::level::trace);
  logger->flush_on(spdlog::level::trace);
  return logger;
}

spdlog::level::level_enum SpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
    case LogLevel::kOff: break;
  }
  return spdlog::level::off;
}

}  // namespace

void SetLogLevel(LogLevel level) { Level().store(level, std::memory_order_relaxed); }
LogLevel GetLogLevel() { return Level().load(std::memory_order_relaxed); }

void SetLogSink(LogSink sink) {
  Output& output = TheOutput();
  MutexLock lock(output.mutex);
  output.sink = std::move(sink);
}

void log_internal::Write(LogLevel level, std::string_view message) {
  Output& output = TheOutput();
  MutexLock lock(output.mutex);
  if (output.sink) return output.sink(level, message);
  if (!output.logger) output.logger = MakeLogger();
  output.logger->log(SpdlogLevel(level), spdlog::string_view_t(message.data(), message.size()));
}

bool FirstTime(std::string_view key) {
  Output& output = TheOutput();
  MutexLock lock(output.mutex);
  return output.seen.emplace(key).second;
}

}  // namespace ramet
