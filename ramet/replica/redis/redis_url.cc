#include "ramet/replica/redis/redis_url.h"

#include <algorithm>
#include <cstdlib>

#include "ramet/base/strings.h"

namespace ramet::redis {
namespace {

constexpr size_t kMaxNameBytes = 200;
constexpr std::string_view kForm = "//[user[:password]@]host[:port]/NAME[@label][?option=value]";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Decodes percent-encoding: "%41b" becomes "Ab".
StatusOr<std::string> Decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0)
      return InvalidArgument("a % is not followed by two hexadecimal digits");
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Status ParseNumber(std::string_view option, std::string_view text, int64_t least, int64_t most,
                   int64_t* value) {
  if (ParseInt64(text, value) && *value >= least && *value <= most) return OkStatus();
  return InvalidArgument("option ", option, " is '", text, "', but must be ", least, " to ", most);
}

Status ParseSeconds(std::string_view option, std::string_view text,
                    std::chrono::milliseconds* value) {
  const std::string copy(text);
  char* end = nullptr;
  const double seconds = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != 0 || !(seconds >= 0.01) || seconds > 1e8) {
    return InvalidArgument("option ", option, " is '", text, "', but must be 0.01 to 100000000 ",
                           "seconds");
  }
  *value = std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
  return OkStatus();
}

Status SetOption(std::string_view option, std::string value, RedisUrl* url) {
  int64_t number = 0;
  if (option == "ca") {
    url->ca = std::move(value);
  } else if (option == "cert") {
    url->cert = std::move(value);
  } else if (option == "key") {
    url->key = std::move(value);
  } else if (option == "lease") {
    return ParseSeconds(option, value, &url->lease);
  } else if (option == "ttl") {
    return ParseSeconds(option, value, &url->ttl);
  } else if (option == "poll") {
    return ParseSeconds(option, value, &url->poll);
  } else if (option == "timeout") {
    return ParseSeconds(option, value, &url->timeout);
  } else if (option == "db") {
    RAMET_RETURN_IF_ERROR(ParseNumber(option, value, 0, 1 << 20, &number));
    url->db = static_cast<int>(number);
  } else if (option == "chunk") {
    RAMET_RETURN_IF_ERROR(ParseNumber(option, value, kMinChunkBytes, kMaxChunkBytes, &number));
    url->chunk_bytes = static_cast<size_t>(number);
  } else if (option == "zstd") {
    RAMET_RETURN_IF_ERROR(ParseNumber(option, value, 0, 19, &number));
    url->zstd = static_cast<int>(number);
  } else if (option == "max_bytes") {
    RAMET_RETURN_IF_ERROR(ParseNumber(option, value, 1, INT64_MAX, &number));
    url->max_bytes = static_cast<uint64_t>(number);
  } else {
    return InvalidArgument("unknown option '", option,
                           "'; the options are ca, cert, key, lease, ttl, ",
                           "poll, timeout, db, chunk, zstd, max_bytes");
  }
  return OkStatus();
}

Status ParseQuery(std::string_view query, RedisUrl* url) {
  for (std::string_view part : StrSplit(query, '&')) {
    const size_t equals = part.find('=');
    if (equals == part.npos) return InvalidArgument("option '", part, "' has no value");
    RAMET_ASSIGN_OR_RETURN(std::string value, Decoded(part.substr(equals + 1)));
    RAMET_RETURN_IF_ERROR(SetOption(part.substr(0, equals), std::move(value), url));
  }
  if (url->ttl < url->lease * 2) {
    return InvalidArgument("ttl must be at least twice the lease, so that values do not expire ",
                           "before the lease");
  }
  return OkStatus();
}

Status ParseCredentials(std::string_view text, RedisUrl* url) {
  const size_t colon = text.find(':');
  RAMET_ASSIGN_OR_RETURN(url->user, Decoded(text.substr(0, colon)));
  if (colon == text.npos) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(url->password, Decoded(text.substr(colon + 1)));
  return OkStatus();
}

// Parses "host", "host:port" or "[::1]:port".
Status ParseHost(std::string_view text, RedisUrl* url) {
  std::string_view rest;
  if (!text.empty() && text.front() == '[') {
    const size_t end = text.find(']');
    if (end == text.npos) return InvalidArgument("the host's ] is missing");
    url->host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
  } else {
    const size_t colon = text.find(':');
    url->host = text.substr(0, colon);
    rest = colon == text.npos ? "" : text.substr(colon);
  }
  if (url->host.empty()) return InvalidArgument("there is no host; write ", kForm);
  if (rest.empty()) return OkStatus();
  int64_t port = 0;
  if (rest.front() != ':' || !ParseInt64(rest.substr(1), &port) || port < 1 || port > 65535) {
    return InvalidArgument("'", rest, "' after the host is not a port");
  }
  url->port = static_cast<uint16_t>(port);
  return OkStatus();
}

Status CheckName(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameBytes) {
    return InvalidArgument("the name has ", name.size(), " bytes, but must have 1 to ",
                           kMaxNameBytes, "; write ", kForm);
  }
  const auto bad = std::ranges::find_if(name, [](char c) {
    return c == '{' || c == '}' || c == '/' || static_cast<unsigned char>(c) < ' ';
  });
  if (bad == name.end()) return OkStatus();
  return InvalidArgument("the name must not contain a brace, a slash or a control character");
}

Status Parse(std::string_view place, RedisUrl* url) {
  if (place.substr(0, 2) != "//") return InvalidArgument("the address must have the form ", kForm);
  place.remove_prefix(2);
  const size_t slash = place.find('/');
  if (slash == place.npos) return InvalidArgument("there is no name; write ", kForm);
  std::string_view server = place.substr(0, slash);
  if (const size_t at = server.rfind('@'); at != server.npos) {
    RAMET_RETURN_IF_ERROR(ParseCredentials(server.substr(0, at), url));
    server.remove_prefix(at + 1);
  }
  RAMET_RETURN_IF_ERROR(ParseHost(server, url));
  const std::string_view rest = place.substr(slash + 1);
  const size_t question = rest.find('?');
  RAMET_ASSIGN_OR_RETURN(url->name, Decoded(rest.substr(0, question)));
  RAMET_RETURN_IF_ERROR(CheckName(url->name));
  return question == rest.npos ? OkStatus() : ParseQuery(rest.substr(question + 1), url);
}

}  // namespace

std::string RedisUrl::ToString() const {
  const bool brackets = host.find(':') != host.npos;
  return StrCat(tls ? "rediss://" : "redis://", brackets ? "[" : "", host, brackets ? "]" : "", ":",
                static_cast<uint32_t>(port), "/", name);
}

StatusOr<RedisUrl> ParseRedisUrl(std::string_view scheme, std::string_view place) {
  RedisUrl url;
  url.tls = scheme == "rediss";
  url.ca = FromEnvironment("RAMET_REDIS_CA");
  url.cert = FromEnvironment("RAMET_REDIS_CERT");
  url.key = FromEnvironment("RAMET_REDIS_KEY");
  if (const Status status = Parse(place, &url); !status.ok()) {
    return status.WithContext(StrCat("a ", scheme, ": address"));
  }
  if (url.user.empty()) url.user = FromEnvironment("RAMET_REDIS_USER");
  if (url.password.empty()) url.password = FromEnvironment("RAMET_REDIS_PASSWORD");
  return url;
}

}  // namespace ramet::redis
