// SPDX-License-Identifier: Apache-2.0
//
// A language server that misbehaves on demand: reads a script (argv[1]), whose
// format is what fake_server_script.h writes. It stands on its own feet and
// shares nothing with the code it is to test.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <list>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/fake_language_server_checks.h"

namespace banyan::fake_server {
namespace {

void WriteAll(int fd, const std::string& bytes) {
  size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t count = ::write(fd, bytes.data() + at, bytes.size() - at);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) at += static_cast<size_t>(count);
  }
}

// Messages to the client, in whatever form the script asks for.
class Output {
 public:
  void SetForm(const std::string& form) {
    form_ = form;
    if (form_ != "coalesced") WriteAll(STDOUT_FILENO, std::exchange(held_, ""));
  }

  void Send(const Json& message) {
    const std::string body =
        message.dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::string text = Header(body.size()) + body;
    if (form_ == "coalesced") {
      held_ += text;
    } else if (form_ == "split") {
      for (const char c : text) WriteAll(STDOUT_FILENO, std::string(1, c));
    } else {
      WriteAll(STDOUT_FILENO, text);
    }
  }

 private:
  std::string Header(size_t size) const {
    const std::string length = std::to_string(size);
    if (form_ == "lower_case") return "content-length: " + length + "\r\n\r\n";
    if (form_ == "bare_lf") return "Content-Length: " + length + "\n\n";
    if (form_ == "no_length") return "Content-Type: application/json\r\n\r\n";
    if (form_ == "too_long") return Plain(size + 20);
    if (form_ == "too_short") return Plain(size / 2);
    if (form_ == "content_type") {
      return "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
             "X-Other: 1\r\n" +
             Plain(size);
    }
    return Plain(size);
  }

  static std::string Plain(size_t size) {
    return "Content-Length: " + std::to_string(size) + "\r\n\r\n";
  }

  std::string form_ = "plain";
  std::string held_;
};

// What is left to do about one request, or about nothing in particular.
struct Task {
  Json id;  // Null: there is nothing to answer.
  Json params;
  bool is_initialize = false;
  std::deque<Json> actions;
  Clock::time_point due = Clock::time_point::min();
  Json awaits_cancel_of;  // Null: does not wait for one.
  Json awaits_answer_to;  // Null: does not wait for one.
};

class FakeServer {
 public:
  explicit FakeServer(Json script)
      : script_(std::move(script)),
        checks_(script_.value("strict", false), script_.value("report", "")) {}

  void Run();

 private:
  void ReadInput();
  bool TakeMessage(std::string* body);
  void Handle(const std::string& body);
  void HandleCall(const std::string& method, const Json& message);
  void HandleByDefault(const std::string& method, const Json& id);
  void ReleaseTasksOf(const Json& message);
  Json* FindAnswer(const std::string& method, const Json& params);

  void RunTasks();
  void RunTask(Task& task);
  void Act(Task& task, const Json& action);
  void AnswerTask(Task& task, const char* member, const Json& value);
  void Ask(const Json& request);
  void StartHelper(const Json& options);
  [[noreturn]] void End(int code);

  Json script_;
  ClientChecks checks_;
  Output output_;
  std::string input_;
  std::list<Task> tasks_;
  bool is_reading_ = true;
  std::vector<std::string> ballast_;
};

void FakeServer::Run() {
  std::ofstream(script_.value("starts", "/dev/null"), std::ios::app)
      << ::getpid() << '\n';
  Task start;
  for (const Json& action : script_.value("on_start", Json::array())) {
    start.actions.push_back(action);
  }
  tasks_.push_back(std::move(start));
  while (true) {
    RunTasks();
    int timeout = -1;
    for (const Task& task : tasks_) {
      if (!task.awaits_cancel_of.is_null() ||
          !task.awaits_answer_to.is_null()) {
        continue;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          task.due - Clock::now());
      const int wait = std::max(0, static_cast<int>(left.count()) + 1);
      timeout = timeout < 0 ? wait : std::min(timeout, wait);
    }
    pollfd source = {STDIN_FILENO, POLLIN, 0};
    ::poll(&source, is_reading_ ? 1 : 0, timeout);
    if (is_reading_ && source.revents != 0) ReadInput();
  }
}

void FakeServer::ReadInput() {
  char chunk[64 << 10];
  const ssize_t count = ::read(STDIN_FILENO, chunk, sizeof(chunk));
  if (count <= 0) End(checks_.IsShutDown() ? 0 : 1);
  input_.append(chunk, static_cast<size_t>(count));
  std::string body;
  while (is_reading_ && TakeMessage(&body)) {
    Handle(body);
    RunTasks();
  }
}

// The client's framing is taken literally: it has no excuse.
bool FakeServer::TakeMessage(std::string* body) {
  static const std::string kField = "Content-Length: ";
  const size_t end = input_.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  if (input_.compare(0, kField.size(), kField) != 0) {
    checks_.Report("bad header: " + input_.substr(0, end));
    End(3);
  }
  const size_t size = std::strtoul(input_.c_str() + kField.size(), nullptr, 10);
  if (input_.size() < end + 4 + size) return false;
  *body = input_.substr(end + 4, size);
  input_.erase(0, end + 4 + size);
  return true;
}

void FakeServer::Handle(const std::string& body) {
  std::ofstream(script_.value("log", "/dev/null"), std::ios::app)
      << body << '\n';
  const Json message = Json::parse(body, nullptr, false);
  checks_.OnClientMessage(message);
  if (!message.is_object()) return;
  ReleaseTasksOf(message);
  const std::string method = message.value("method", "");
  if (!method.empty()) HandleCall(method, message);
}

void FakeServer::HandleCall(const std::string& method, const Json& message) {
  const Json params = message.value("params", Json());
  const Json id = message.value("id", Json());
  const Json document =
      params.is_object() ? params.value("textDocument", Json()) : Json();
  const std::string uri =
      document.is_object() ? document.value("uri", "") : std::string();
  if (script_.value("require_open", false) && !id.is_null() && !uri.empty() &&
      !checks_.IsOpen(uri)) {
    output_.Send(
        {{"jsonrpc", "2.0"},
         {"id", id},
         {"error", {{"code", -32602}, {"message", "non-added document"}}}});
    return;
  }
  Json* answer = FindAnswer(method, params);
  if (answer == nullptr) return HandleByDefault(method, id);
  Task task;
  task.id = id;
  task.params = params;
  for (const Json& action : (*answer)["actions"])
    task.actions.push_back(action);
  task.is_initialize = method == "initialize";
  tasks_.push_back(std::move(task));
}

void FakeServer::HandleByDefault(const std::string& method, const Json& id) {
  if (method == "exit") End(checks_.IsShutDown() ? 0 : 1);
  if (id.is_null()) return;
  Json result;
  if (method == "initialize") {
    static const Json kDefault = {
        {"textDocumentSync", 1},           {"documentSymbolProvider", true},
        {"workspaceSymbolProvider", true}, {"definitionProvider", true},
        {"referencesProvider", true},      {"hoverProvider", true}};
    result = {{"capabilities", script_.value("capabilities", kDefault)},
              {"serverInfo", {{"name", "fake"}, {"version", "1"}}}};
    checks_.OnInitializeAnswered();
  }
  output_.Send({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

// A cancel, or the answer to a request of ours, may be what a task waits for.
void FakeServer::ReleaseTasksOf(const Json& message) {
  const std::string method = message.value("method", "");
  const Json id = message.value("id", Json());
  for (Task& task : tasks_) {
    if (method == "$/cancelRequest" && !task.awaits_cancel_of.is_null() &&
        message["params"]["id"] == task.awaits_cancel_of) {
      task.awaits_cancel_of = nullptr;
    }
    if (method.empty() && !task.awaits_answer_to.is_null() &&
        task.awaits_answer_to == id) {
      task.awaits_answer_to = nullptr;
    }
  }
}

// Every member of `pattern` is in `value`, with an equal value.
bool Matches(const Json& pattern, const Json& value) {
  if (!pattern.is_object()) return pattern.is_null() || pattern == value;
  if (!value.is_object()) return pattern.empty();
  for (const auto& [key, expected] : pattern.items()) {
    if (!value.contains(key) || !Matches(expected, value[key])) return false;
  }
  return true;
}

Json* FakeServer::FindAnswer(const std::string& method, const Json& params) {
  if (!script_.contains("answers") || !script_["answers"].contains(method)) {
    return nullptr;
  }
  for (Json& answer : script_["answers"][method]) {
    if (!Matches(answer["params"], params)) continue;
    const int times = answer.value("times", 0);
    if (times < 0) continue;  // Used up.
    if (times > 0) answer["times"] = times == 1 ? -1 : times - 1;
    return &answer;
  }
  return nullptr;
}

void FakeServer::RunTasks() {
  for (auto task = tasks_.begin(); task != tasks_.end();) {
    RunTask(*task);
    task = task->actions.empty() ? tasks_.erase(task) : std::next(task);
  }
}

void FakeServer::RunTask(Task& task) {
  while (!task.actions.empty() && task.due <= Clock::now() &&
         task.awaits_cancel_of.is_null() && task.awaits_answer_to.is_null()) {
    const Json action = std::move(task.actions.front());
    task.actions.pop_front();
    Act(task, action);
    // What comes after waiting is worth keeping the task for.
    if (task.actions.empty() && task.due > Clock::now()) {
      task.actions.push_back(Json::object());
    }
  }
}

void FakeServer::AnswerTask(Task& task, const char* member, const Json& value) {
  if (task.id.is_null()) return;
  if (task.is_initialize) checks_.OnInitializeAnswered();
  output_.Send({{"jsonrpc", "2.0"}, {"id", task.id}, {member, value}});
}

void FakeServer::Act(Task& task, const Json& action) {
  if (action.empty()) return;
  const std::string name = action.begin().key();
  const Json& value = action.begin().value();
  if (name == "result") {
    AnswerTask(task, "result", value);
  } else if (name == "error") {
    AnswerTask(task, "error", value);
  } else if (name == "echo_params") {
    AnswerTask(task, "result", task.params);
  } else if (name == "big_result") {
    AnswerTask(task, "result", std::string(value.get<size_t>(), 'x'));
  } else if (name == "result_twice") {
    AnswerTask(task, "result", value);
    AnswerTask(task, "result", value);
  } else if (name == "result_and_error") {
    output_.Send({{"jsonrpc", "2.0"},
                  {"id", task.id},
                  {"result", value},
                  {"error", {{"code", -32603}, {"message", "both"}}}});
  } else if (name == "sleep_ms") {
    task.due = Clock::now() + std::chrono::milliseconds(value.get<int>());
  } else if (name == "await_cancel") {
    task.awaits_cancel_of = task.id;
  } else if (name == "await_answer") {
    task.awaits_answer_to = value;
  } else if (name == "notify") {
    output_.Send({{"jsonrpc", "2.0"},
                  {"method", value["method"]},
                  {"params", value["params"]}});
  } else if (name == "flood") {
    for (int i = 0; i < value["count"].get<int>(); ++i) {
      output_.Send({{"jsonrpc", "2.0"},
                    {"method", value["method"]},
                    {"params", value["params"]}});
    }
  } else if (name == "request") {
    Ask(value);
  } else if (name == "answer_to") {
    output_.Send(
        {{"jsonrpc", "2.0"}, {"id", value["id"]}, {"result", value["result"]}});
  } else if (name == "framing") {
    output_.SetForm(value.get<std::string>());
  } else if (name == "raw") {
    WriteAll(STDOUT_FILENO, value.get<std::string>());
  } else if (name == "stderr") {
    for (int i = 0; i < value["times"].get<int>(); ++i) {
      WriteAll(STDERR_FILENO, value["text"].get<std::string>());
    }
  } else if (name == "exit") {
    End(value.get<int>());
  } else if (name == "signal") {
    ::signal(value.get<int>(), SIG_DFL);
    ::raise(value.get<int>());
  } else if (name == "close_stdout") {
    ::close(STDOUT_FILENO);
  } else if (name == "stop_reading") {
    is_reading_ = false;
  } else if (name == "helper") {
    StartHelper(value);
  } else if (name == "write_file") {
    std::ofstream(value["path"].get<std::string>())
        << value["text"].get<std::string>();
  } else if (name == "allocate_mb") {
    ballast_.emplace_back(value.get<size_t>() << 20, 'm');
  } else if (name == "burn_ms") {
    const auto end = Clock::now() + std::chrono::milliseconds(value.get<int>());
    while (Clock::now() < end) {
    }
  } else if (name != "never") {
    checks_.Report("the script knows no " + name);
    End(4);
  }
}

void FakeServer::Ask(const Json& request) {
  checks_.OnServerRequest(request["id"], request["method"].get<std::string>(),
                          request["params"]);
  Json message = {
      {"jsonrpc", "2.0"}, {"id", request["id"]}, {"method", request["method"]}};
  if (!request["params"].is_null()) message["params"] = request["params"];
  output_.Send(message);
}

void FakeServer::StartHelper(const Json& options) {
  const pid_t pid = ::fork();
  if (pid != 0) {
    if (!options["pid_file"].get<std::string>().empty()) {
      // Renamed, so that whoever waits for the file finds it complete.
      const std::string path = options["pid_file"].get<std::string>();
      std::ofstream(path + ".new") << pid << '\n';
      std::rename((path + ".new").c_str(), path.c_str());
    }
    return;
  }
  if (options["new_session"].get<bool>()) ::setsid();
  ::close(STDIN_FILENO);
  if (!options["holds_stdout"].get<bool>()) ::close(STDOUT_FILENO);
  ::close(STDERR_FILENO);
  ::sleep(600);
  ::_exit(0);
}

void FakeServer::End(int code) {
  checks_.OnEnd();
  std::_Exit(code);
}

}  // namespace
}  // namespace banyan::fake_server

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: fake_language_server SCRIPT.json\n", stderr);
    return 2;
  }
  std::ifstream file(argv[1]);
  auto script = banyan::fake_server::Json::parse(file, nullptr, false);
  if (!script.is_object()) {
    std::fputs("fake_language_server: the script is no JSON object\n", stderr);
    return 2;
  }
  banyan::fake_server::FakeServer(std::move(script)).Run();
}
