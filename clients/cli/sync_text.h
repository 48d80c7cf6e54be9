#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

// The text and JSON forms of versions and publishers.
namespace cli {

// Formats a time: "18 µs", "4.2 ms", "1.3 s".
std::string Duration(int64_t nanos);
// Returns text such as "v12 step 1200 · loss 0.31", or "v13 (rollback to v11) step 1100".
std::string VersionText(const ramet::VersionInfo& info);
nlohmann::json VersionJson(const ramet::VersionInfo& info);

// Reports whether an address names a folder of checkpoints.
bool IsFolderAddress(std::string_view address);
// Returns one line: "v12 step 1200 · 3 readers · 4.1 MB in use".
std::string StatusLine(const ramet::ReplicaStatus& status);
// Returns several aligned lines.
std::string StatusTable(const std::string& address, const ramet::ReplicaStatus& status);
nlohmann::json StatusJson(const std::string& address, const ramet::ReplicaStatus& status);

}  // namespace cli
