#include "ramet/replica/redis/redis_url.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <type_traits>

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

template <auto kMember>
Status SetTlsFile(std::string_view, std::string text, RedisUrl* url) {
  url->tls.*kMember = std::move(text);
  return OkStatus();
}

template <auto kMember>
Status SetSeconds(std::string_view option, std::string text, RedisUrl* url) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !(seconds >= 0.01) || seconds > 1e8) {
    return InvalidArgument("option ", option, " is '", text, "', but must be 0.01 to 100000000 ",
                           "seconds");
  }
  url->times.*kMember = std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
  return OkStatus();
}

template <auto kMember, int64_t kMin, int64_t kMax>
Status SetNumber(std::string_view option, std::string text, RedisUrl* url) {
  int64_t number = 0;
  if (!ParseInt64(text, &number) || number < kMin || number > kMax) {
    return InvalidArgument("option ", option, " is '", text, "', but must be ", kMin, " to ", kMax);
  }
  auto& member = url->*kMember;
  member = static_cast<std::remove_reference_t<decltype(member)>>(number);
  return OkStatus();
}

// An option of an address, and the function that sets it.
struct Option {
  std::string_view name;
  Status (*set)(std::string_view option, std::string text, RedisUrl* url);
};

constexpr Option kOptions[] = {
    {"ca", SetTlsFile<&TlsSettings::ca>},
    {"cert", SetTlsFile<&TlsSettings::cert>},
    {"key", SetTlsFile<&TlsSettings::key>},
    {"lease", SetSeconds<&Times::lease>},
    {"ttl", SetSeconds<&Times::ttl>},
    {"poll", SetSeconds<&Times::poll>},
    {"timeout", SetSeconds<&Times::timeout>},
    {"db", SetNumber<&RedisUrl::db, 0, 1 << 20>},
    {"chunk", SetNumber<&RedisUrl::chunk_bytes, kMinChunkBytes, kMaxChunkBytes>},
    {"zstd", SetNumber<&RedisUrl::zstd, 0, 19>},
    {"max_bytes", SetNumber<&RedisUrl::max_bytes, 1, INT64_MAX>},
};

Status SetOption(std::string_view name, std::string text, RedisUrl* url) {
  const auto option = std::ranges::find(kOptions, name, &Option::name);
  if (option != std::end(kOptions)) return option->set(name, std::move(text), url);
  std::string names;
  for (const Option& known : kOptions) names += StrCat(names.empty() ? "" : ", ", known.name);
  return InvalidArgument("unknown option '", name, "'; the options are ", names);
}

Status ParseQuery(std::string_view query, RedisUrl* url) {
  for (std::string_view part : StrSplit(query, '&')) {
    const size_t equals = part.find('=');
    if (equals == part.npos) return InvalidArgument("option '", part, "' has no value");
    RAMET_ASSIGN_OR_RETURN(std::string value, Decoded(part.substr(equals + 1)));
    RAMET_RETURN_IF_ERROR(SetOption(part.substr(0, equals), std::move(value), url));
  }
  if (url->times.ttl < url->times.lease * 2) {
    return InvalidArgument("ttl must be at least twice the lease, so that values do not expire ",
                           "before the lease");
  }
  return OkStatus();
}

Status ParseCredentials(std::string_view text, RedisUrl* url) {
  const size_t colon = text.find(':');
  RAMET_ASSIGN_OR_RETURN(url->login.user, Decoded(text.substr(0, colon)));
  if (colon == text.npos) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(url->login.password, Decoded(text.substr(colon + 1)));
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

Status Parse(std::string_view location, RedisUrl* url) {
  if (location.substr(0, 2) != "//")
    return InvalidArgument("the address must have the form ", kForm);
  location.remove_prefix(2);
  const size_t slash = location.find('/');
  if (slash == location.npos) return InvalidArgument("there is no name; write ", kForm);
  std::string_view server = location.substr(0, slash);
  if (const size_t at = server.rfind('@'); at != server.npos) {
    RAMET_RETURN_IF_ERROR(ParseCredentials(server.substr(0, at), url));
    server.remove_prefix(at + 1);
  }
  RAMET_RETURN_IF_ERROR(ParseHost(server, url));
  const std::string_view rest = location.substr(slash + 1);
  const size_t question = rest.find('?');
  RAMET_ASSIGN_OR_RETURN(url->name, Decoded(rest.substr(0, question)));
  RAMET_RETURN_IF_ERROR(CheckName(url->name));
  return question == rest.npos ? OkStatus() : ParseQuery(rest.substr(question + 1), url);
}

}  // namespace

std::string RedisUrl::ToString() const {
  const bool brackets = host.find(':') != host.npos;
  return StrCat(tls.enabled ? "rediss://" : "redis://", brackets ? "[" : "", host,
                brackets ? "]" : "", ":", static_cast<uint32_t>(port), "/", name);
}

StatusOr<RedisUrl> ParseRedisUrl(std::string_view scheme, std::string_view location) {
  RedisUrl url;
  url.tls.enabled = scheme == "rediss";
  url.tls.ca = FromEnvironment("RAMET_REDIS_CA");
  url.tls.cert = FromEnvironment("RAMET_REDIS_CERT");
  url.tls.key = FromEnvironment("RAMET_REDIS_KEY");
  if (const Status status = Parse(location, &url); !status.ok()) {
    return status.WithContext(StrCat("a ", scheme, ": address"));
  }
  Login& login = url.login;
  if (login.user.empty()) login.user = FromEnvironment("RAMET_REDIS_USER");
  if (login.password.empty()) login.password = FromEnvironment("RAMET_REDIS_PASSWORD");
  return url;
}

}  // namespace ramet::redis
