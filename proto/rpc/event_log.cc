// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/event_log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"

namespace banyan::rpc {
namespace {

struct Logging {
  LogFormat format = LogFormat::kText;
  LogLevel least = LogLevel::kInfo;
  std::string service = "banyan";
  std::shared_ptr<spdlog::logger> lines;

  std::mutex mutex;
  // Guarded by mutex.
  std::shared_ptr<const std::function<void(const LogEntry&)>> observer;
};

// Never destroyed: threads may log while the process ends.
Logging& Global() {
  static Logging* const kLogging = [] {
    auto* logging = new Logging;
    logging->lines = std::make_shared<spdlog::logger>(
        "banyan", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logging->lines->set_pattern("%v");
    logging->lines->set_level(spdlog::level::trace);
    return logging;
  }();
  return *kLogging;
}

const char* NameOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

std::string TimeNow() {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::Now(),
                          absl::UTCTimeZone());
}

std::string JsonLine(const Logging& logging, const LogEntry& entry) {
  nlohmann::ordered_json line = {{"time", TimeNow()},
                                 {"level", NameOf(entry.level)},
                                 {"service", logging.service},
                                 {"event", EscapeForLog(entry.event)},
                                 {"msg", EscapeForLog(entry.message)}};
  for (const auto& [key, value] : entry.fields) {
    line[key] = EscapeForLog(value);
  }
  return line.dump();
}

std::string TextLine(const LogEntry& entry) {
  std::string line = absl::StrCat(TimeNow(), " ", NameOf(entry.level), " ",
                                  EscapeForLog(entry.message),
                                  " event=", EscapeForLog(entry.event));
  for (const auto& [key, value] : entry.fields) {
    absl::StrAppend(&line, " ", key, "=", EscapeForLog(value));
  }
  return line;
}

// Length of the well-formed UTF-8 sequence at the front, or 0.
size_t SequenceLength(absl::string_view text, uint32_t* code_point) {
  const auto byte = [&](size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned char lead = byte(0);
  if (lead < 0x80) {
    *code_point = lead;
    return 1;
  }
  size_t length = 0;
  uint32_t least = 0;
  if ((lead & 0xe0) == 0xc0) {
    length = 2, least = 0x80, *code_point = lead & 0x1fu;
  } else if ((lead & 0xf0) == 0xe0) {
    length = 3, least = 0x800, *code_point = lead & 0x0fu;
  } else if ((lead & 0xf8) == 0xf0) {
    length = 4, least = 0x10000, *code_point = lead & 0x07u;
  }
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    *code_point = (*code_point << 6) | (byte(i) & 0x3fu);
  }
  const bool is_surrogate = *code_point >= 0xd800 && *code_point <= 0xdfff;
  return *code_point < least || *code_point > 0x10ffff || is_surrogate ? 0
                                                                       : length;
}

// Controls, line separators and what changes the direction of text.
bool IsUnsafe(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e ||
         c == 0x200f || c == 0x2028 || c == 0x2029 ||
         (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
         c == 0xfeff;
}

void AppendEscaped(uint32_t c, std::string* out) {
  if (c == '\n') {
    out->append("\\n");
  } else if (c == '\r') {
    out->append("\\r");
  } else if (c == '\t') {
    out->append("\\t");
  } else if (c < 0x100) {
    absl::StrAppendFormat(out, "\\x%02x", c);
  } else {
    absl::StrAppendFormat(out, "\\u%04x", c);
  }
}

}  // namespace

absl::StatusOr<LogFormat> ParseLogFormat(absl::string_view name) {
  if (name == "text") return LogFormat::kText;
  if (name == "json") return LogFormat::kJson;
  return absl::InvalidArgumentError(
      absl::StrCat("--log_format: ", name, " is neither text nor json"));
}

void InitLogging(LogFormat format, LogLevel least, absl::string_view service) {
  Logging& logging = Global();
  logging.format = format;
  logging.least = least;
  logging.service = std::string(service);
}

void Log(const LogEntry& entry) {
  Logging& logging = Global();
  if (entry.level < logging.least) return;
  logging.lines->info("{}", logging.format == LogFormat::kJson
                                ? JsonLine(logging, entry)
                                : TextLine(entry));
  std::shared_ptr<const std::function<void(const LogEntry&)>> observer;
  {
    const std::lock_guard<std::mutex> lock(logging.mutex);
    observer = logging.observer;
  }
  if (observer != nullptr) (*observer)(entry);
}

void SetLogObserver(std::function<void(const LogEntry&)> observer) {
  Logging& logging = Global();
  const std::lock_guard<std::mutex> lock(logging.mutex);
  logging.observer =
      observer == nullptr
          ? nullptr
          : std::make_shared<const std::function<void(const LogEntry&)>>(
                std::move(observer));
}

std::string EscapeForLog(absl::string_view text, size_t limit) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= limit) return absl::StrCat(out, "…");
    uint32_t code_point = 0;
    const size_t length = SequenceLength(text, &code_point);
    if (length == 0) {
      absl::StrAppendFormat(&out, "\\x%02X",
                            static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    if (IsUnsafe(code_point)) {
      AppendEscaped(code_point, &out);
    } else {
      absl::StrAppend(&out, text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace banyan::rpc
