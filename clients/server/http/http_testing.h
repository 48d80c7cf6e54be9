#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace server {

// A TestClient is a blocking TCP connection to a port of this machine, for tests.
class TestClient {
 public:
  explicit TestClient(int port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~TestClient() { close(fd_); }
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  bool connected() const { return connected_; }
  // Returns false if the server has ended the connection.
  bool Send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  void FinishSending() { shutdown(fd_, SHUT_WR); }
  // Returns the next whole answer, header and body; what there is if the server ends before.
  std::string ReadAnswer(bool has_body = true) {
    size_t header = std::string::npos;
    while ((header = received_.find("\r\n\r\n")) == std::string::npos) {
      if (!Receive()) return TakeAll();
    }
    const size_t size = header + 4 + (has_body ? BodyBytes(header) : 0);
    while (received_.size() < size) {
      if (!Receive()) return TakeAll();
    }
    std::string answer = received_.substr(0, size);
    received_.erase(0, size);
    return answer;
  }
  // Returns everything until the server ends the connection.
  std::string ReadToEnd() {
    while (Receive()) {
    }
    return TakeAll();
  }
  std::string Ask(std::string_view text) { return Send(text) ? ReadAnswer() : ""; }

 private:
  bool Receive() {
    char buffer[4096];
    const ssize_t size = recv(fd_, buffer, sizeof buffer, 0);
    if (size <= 0) return false;
    received_.append(buffer, static_cast<size_t>(size));
    return true;
  }
  size_t BodyBytes(size_t header) const {
    const size_t at = received_.substr(0, header).find("Content-Length: ");
    return at == std::string::npos ? 0 : std::strtoul(received_.c_str() + at + 16, nullptr, 10);
  }
  std::string TakeAll() {
    std::string all;
    all.swap(received_);
    return all;
  }

  int fd_;
  bool connected_ = false;
  std::string received_;
};

// Returns the body of an answer.
inline std::string BodyOf(const std::string& answer) {
  const size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

// Returns a request with a body.
inline std::string Post(std::string_view target, std::string_view body,
                        std::string_view headers = "") {
  std::string text = "POST ";
  text += target;
  text += " HTTP/1.1\r\nHost: x\r\n";
  text += headers;
  text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  text += body;
  return text;
}

inline std::string Get(std::string_view target, std::string_view headers = "") {
  std::string text = "GET ";
  text += target;
  text += " HTTP/1.1\r\nHost: x\r\n";
  text += headers;
  text += "\r\n";
  return text;
}

}  // namespace server
