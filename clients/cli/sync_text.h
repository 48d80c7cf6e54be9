#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

// How versions and publishers are shown.
namespace cli {

// "18 µs", "4.2 ms", "1.3 s".
std::string Duration(int64_t nanos);
// "v12 step 1200 · loss 0.31"; of a version that was rolled back to "v13 (again v11) step 1100".
std::string VersionText(const ramet::VersionInfo& info);
nlohmann::json VersionJson(const ramet::VersionInfo& info);

// A line: "v12 step 1200 · 3 readers · 4.1 MB in use".
std::string StatusLine(const ramet::ReplicaStatus& status);
// Several lines, aligned.
std::string StatusTable(const std::string& address, const ramet::ReplicaStatus& status);
nlohmann::json StatusJson(const std::string& address, const ramet::ReplicaStatus& status);

}  // namespace cli
