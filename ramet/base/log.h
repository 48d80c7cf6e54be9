#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/strings.h"

namespace ramet {

// Messages for the person at the terminal, on stderr, one line each with time and level. All
// functions may be called from any thread. The level at start is the environment variable
// RAMET_LOG_LEVEL (debug, info, warning, error, off), info when it is unset or none of these.
enum class LogLevel : int { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3, kOff = 4 };

// Messages below `level` are dropped from now on.
RAMET_EXPORT void SetLogLevel(LogLevel level);
RAMET_EXPORT LogLevel GetLogLevel();
// Sends messages (of the level and above) to `sink` instead of stderr; an empty function: to stderr
// again. The sink is called from the thread that logs, one call at a time, and must not log itself.
using LogSink = std::function<void(LogLevel, std::string_view)>;
RAMET_EXPORT void SetLogSink(LogSink sink);

namespace log_internal {
void Write(LogLevel level, std::string_view message);
}  // namespace log_internal

// The arguments are joined as StrCat does, only when the level is on.
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

// True for the first call with `key` in this process, false after that.
bool FirstTime(std::string_view key);
// Logs once per process for each `key`, whatever the arguments say later.
template <class... Args>
void LogOnce(LogLevel level, std::string_view key, const Args&... args) {
  if (level >= GetLogLevel() && FirstTime(key)) log_internal::Write(level, StrCat(args...));
}

}  // namespace ramet
