#include "report.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <sstream>

namespace example {
namespace {

// Devices add products in different orders, so their outputs differ by less than this.
constexpr float kRounding = 1e-5f;

int64_t Largest(const float* row, int64_t n) { return std::max_element(row, row + n) - row; }

bool IsClose(const float* row, int64_t n) {
  const float largest = row[Largest(row, n)];
  return std::count_if(row, row + n, [&](float x) { return x > largest - kRounding; }) > 1;
}

std::istream& operator>>(std::istream& in, Span& span) { return in >> span.begin >> span.end; }

std::string ToText(const Span& span) { return ramet::StrCat(span.begin, " ", span.end); }

}  // namespace

int64_t NowNanos() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

void Tell(const Report& r) {
  std::cout << ramet::StrCat("report ", r.step, " ", r.correct, " ", r.images, " ", r.close, " ",
                             r.change, " ", ToText(r.published), " ", ToText(r.saved), " ",
                             ToText(r.waited))
            << std::endl;
}

void Tell(const Failure& failure) {
  std::string line = failure.message;
  std::ranges::replace(line, '\n', ' ');
  std::cout << "failure " << failure.code << " " << line << std::endl;
}

std::variant<Report, Failure> ParseMessage(const std::string& line) {
  std::istringstream in(line);
  std::string kind;
  in >> kind;
  if (Report r; kind == "report" && in >> r.step >> r.correct >> r.images >> r.close >> r.change >>
                                        r.published >> r.saved >> r.waited) {
    return r;
  }
  Failure failure;
  if (int code; kind == "failure" && in >> code >> std::ws) {
    failure.code = static_cast<ExitCode>(code);
    std::getline(in, failure.message);
  } else {
    failure.message = "unexpected line on stdout: " + line;
  }
  return failure;
}

void CountCorrect(const ramet::Tensor& outputs, const ramet::Tensor& labels, Report* report) {
  const int64_t classes = labels.dim(1);
  const float* output = outputs.data<float>();
  const float* label = labels.data<float>();
  report->images = labels.dim(0);
  report->correct = report->close = 0;
  for (int64_t i = 0; i < report->images; ++i, output += classes, label += classes) {
    report->correct += Largest(output, classes) == Largest(label, classes);
    report->close += IsClose(output, classes);
  }
}

}  // namespace example
