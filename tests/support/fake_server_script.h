// SPDX-License-Identifier: Apache-2.0
//
// What a fake language server shall do, written in a test:
//
//   FakeServerScript script(workspace.PathOf("fake"));
//   script.Strict()
//       .Answer("textDocument/hover", {fake::Error(-32801)}, {.times = 2})
//       .Answer("textDocument/hover", {fake::Result({{"contents", "int"}})})
//       .Answer("textDocument/definition", {fake::Exit(1)});
//   spawn.argv = script.Command();
//   ...
//   EXPECT_THAT(script.Violations(), IsEmpty());
//
// Actions run in order, and an answer that sleeps holds up no other. Methods
// without an answer: `initialize` and `shutdown` are answered as they should
// be, other requests with null.
#ifndef TESTS_SUPPORT_FAKE_SERVER_SCRIPT_H_
#define TESTS_SUPPORT_FAKE_SERVER_SCRIPT_H_

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"

namespace banyan {

namespace fake {

using Json = nlohmann::json;
using Actions = std::vector<Json>;

// How a request ends.
inline Json Result(Json value) { return {{"result", std::move(value)}}; }
inline Json Error(int code, const std::string& message = "scripted",
                  Json data = nullptr) {
  Json error = {{"code", code}, {"message", message}};
  if (!data.is_null()) error["data"] = std::move(data);
  return {{"error", std::move(error)}};
}
inline Json Never() { return {{"never", true}}; }
inline Json EchoParams() { return {{"echo_params", true}}; }
// A string of so many bytes.
inline Json BigResult(size_t bytes) { return {{"big_result", bytes}}; }
// The answer once more, and both `result` and `error` in one.
inline Json ResultTwice(Json value) {
  return {{"result_twice", std::move(value)}};
}
inline Json ResultAndError(Json value) {
  return {{"result_and_error", std::move(value)}};
}

// What else it may do, before, after or without an answer.
inline Json Sleep(int milliseconds) { return {{"sleep_ms", milliseconds}}; }
// Until `$/cancelRequest` comes for this request.
inline Json AwaitCancel() { return {{"await_cancel", true}}; }
inline Json Notify(const std::string& method, Json params) {
  return {{"notify", {{"method", method}, {"params", std::move(params)}}}};
}
// A request of the server's. `id` may be a string or negative; the client must
// answer it, at once if strict.
inline Json Request(Json id, const std::string& method, Json params) {
  return {{"request",
           {{"id", std::move(id)},
            {"method", method},
            {"params", std::move(params)}}}};
}
// The actions continue when the client has answered request `id`.
inline Json AwaitAnswer(Json id) { return {{"await_answer", std::move(id)}}; }
inline Json Flood(const std::string& method, Json params, int count) {
  return {
      {"flood",
       {{"method", method}, {"params", std::move(params)}, {"count", count}}}};
}
inline Json AnswerTo(Json id, Json result) {  // An id nobody asked with.
  return {
      {"answer_to", {{"id", std::move(id)}, {"result", std::move(result)}}}};
}
inline Json Raw(const std::string& bytes) { return {{"raw", bytes}}; }
inline Json Stderr(const std::string& text, int times = 1) {
  return {{"stderr", {{"text", text}, {"times", times}}}};
}
inline Json Exit(int code) { return {{"exit", code}}; }
inline Json Signal(int number) { return {{"signal", number}}; }
inline Json CloseStdout() { return {{"close_stdout", true}}; }
inline Json StopReading() { return {{"stop_reading", true}}; }
// From now on messages are written so: "plain", "lower_case", "content_type",
// "bare_lf", "split" (each byte alone), "coalesced" (held back until "plain"),
// "too_long", "too_short", "no_length".
inline Json Framing(const std::string& form) { return {{"framing", form}}; }
// A child of the server that sleeps. It may leave the process group, and keep
// the server's standard output open.
struct HelperOptions {
  bool new_session = false;
  bool holds_stdout = false;
  std::string pid_file;
};
inline Json Helper(const HelperOptions& options) {
  return {{"helper",
           {{"new_session", options.new_session},
            {"holds_stdout", options.holds_stdout},
            {"pid_file", options.pid_file}}}};
}
inline Json WriteFile(const std::string& path, const std::string& text) {
  return {{"write_file", {{"path", path}, {"text", text}}}};
}
inline Json Allocate(int megabytes) { return {{"allocate_mb", megabytes}}; }
inline Json Burn(int milliseconds) { return {{"burn_ms", milliseconds}}; }

}  // namespace fake

class FakeServerScript {
 public:
  // When an answer applies. The first that does is taken.
  struct When {
    int times = 0;               // So often, then never more; 0: always.
    nlohmann::json params = {};  // These members of the params are equal.
  };

  // Script, report and log lie in `folder`, which is made.
  explicit FakeServerScript(std::string folder) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
    script_ = {{"report", PathOf("violations.txt")},
               {"log", PathOf("received.jsonl")},
               {"starts", PathOf("starts.txt")}};
  }

  // Of the result of `initialize`. Without: a server with symbols, definition,
  // references, hover, full text sync.
  FakeServerScript& Capabilities(nlohmann::json capabilities) {
    script_["capabilities"] = std::move(capabilities);
    return *this;
  }
  // Every breach of the protocol by the client is reported.
  FakeServerScript& Strict() {
    script_["strict"] = true;
    return *this;
  }
  // As clangd: questions about a document that is not open are an error -32602.
  FakeServerScript& RequireOpen() {
    script_["require_open"] = true;
    return *this;
  }
  FakeServerScript& OnStart(fake::Actions actions) {
    script_["on_start"] = std::move(actions);
    return *this;
  }
  // A request or a notification: for `initialized`, say, to start indexing.
  FakeServerScript& Answer(const std::string& method, fake::Actions actions) {
    return Answer(method, std::move(actions), When());
  }
  FakeServerScript& Answer(const std::string& method, fake::Actions actions,
                           const When& when) {
    script_["answers"][method].push_back({{"actions", std::move(actions)},
                                          {"times", when.times},
                                          {"params", when.params}});
    return *this;
  }
  // The answer to `method` about one document.
  FakeServerScript& AnswerFor(const std::string& uri, const std::string& method,
                              nlohmann::json result) {
    return Answer(method, {fake::Result(std::move(result))},
                  {.params = {{"textDocument", {{"uri", uri}}}}});
  }

  // The command line. Writes the script as it is now.
  std::vector<std::string> Command() const {
    std::ofstream(PathOf("script.json")) << script_.dump(1);
    return {BANYAN_FAKE_LANGUAGE_SERVER, PathOf("script.json")};
  }

  // What the client did wrong so far, one line each, of all runs.
  std::vector<std::string> Violations() const {
    return LinesOf("violations.txt");
  }
  // All messages of the client so far, of all runs, in order.
  std::vector<nlohmann::json> Received() const {
    std::vector<nlohmann::json> messages;
    for (const std::string& line : LinesOf("received.jsonl")) {
      messages.push_back(nlohmann::json::parse(line, nullptr, false));
    }
    return messages;
  }
  // Those of one method.
  std::vector<nlohmann::json> Received(const std::string& method) const {
    std::vector<nlohmann::json> messages;
    for (nlohmann::json& message : Received()) {
      if (message.is_object() && message.value("method", "") == method) {
        messages.push_back(std::move(message));
      }
    }
    return messages;
  }
  // How often a server has been started with this script.
  int Starts() const { return static_cast<int>(LinesOf("starts.txt").size()); }

  std::string PathOf(const std::string& name) const {
    return (std::filesystem::path(folder_) / name).string();
  }

 private:
  std::vector<std::string> LinesOf(const std::string& name) const {
    std::vector<std::string> lines;
    std::ifstream file(PathOf(name));
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  std::string folder_;
  nlohmann::json script_;
};

}  // namespace banyan

#endif  // TESTS_SUPPORT_FAKE_SERVER_SCRIPT_H_
