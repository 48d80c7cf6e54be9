#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/strings.h"

namespace ramet {

// Logs to stderr, one line per message with time and level. Thread-safe. The initial level is the
// environment variable RAMET_LOG_LEVEL (debug, info, warning, error, off), or info if it is unset
// or invalid.
enum class LogLevel : int { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3, kOff = 4 };

// Drops messages below `level`.
RAMET_EXPORT void SetLogLevel(LogLevel level);
RAMET_EXPORT LogLevel GetLogLevel();
// Sends messages of the current level and above to `sink` instead of stderr. An empty function
// restores stderr. The sink is called on the logging thread, one call at a time, and must not log.
using LogSink = std::function<void(LogLevel, std::string_view)>;
RAMET_EXPORT void SetLogSink(LogSink sink);

namespace log_internal {
RAMET_EXPORT void Write(LogLevel level, std::string_view message);
}  // namespace log_internal

// Joins the arguments as StrCat does, but only if the level is enabled.
template <class... Args>
void Log(LogLevel level, const Args&... args) {
  if (level >= GetLogLevel()) log_internal::Write(level, StrCat(args...));
}
template <class... Args>
void LogDebug(const Args&... args) {
  Log(LogLevel::kDebug, args...);
}
template <class... Args>
void LogInfo(const Args&... args) {
  Log(LogLevel::kInfo, args...);
}
template <class... Args>
void LogWarning(const Args&... args) {
  Log(LogLevel::kWarning, args...);
}
template <class... Args>
void LogError(const Args&... args) {
  Log(LogLevel::kError, args...);
}

// Returns true for the first call with `key` in this process, false afterwards.
RAMET_EXPORT bool FirstTime(std::string_view key);
// Logs once per process for each `key`, even if later arguments differ.
template <class... Args>
void LogOnce(LogLevel level, std::string_view key, const Args&... args) {
  if (level >= GetLogLevel() && FirstTime(key)) log_internal::Write(level, StrCat(args...));
}

}  // namespace ramet
