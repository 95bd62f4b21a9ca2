// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/daemon.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/parse.h"
#include "absl/flags/reflection.h"
#include "absl/flags/usage.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"

namespace banyan::rpc {
namespace {

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string HolderOf(int lock_fd) {
  std::array<char, 32> text{};
  const ssize_t length = pread(lock_fd, text.data(), text.size() - 1, 0);
  return length <= 0 ? "unknown"
                     : std::string(absl::StripAsciiWhitespace(text.data()));
}

bool IsDuration(absl::string_view flag_name) {
  const absl::CommandLineFlag* flag = absl::FindCommandLineFlag(flag_name);
  return flag != nullptr && flag->IsOfType<absl::Duration>();
}

}  // namespace

std::string HelpText(absl::string_view usage) {
  std::map<std::string, const absl::CommandLineFlag*> own;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (absl::EndsWith(flag->Filename(), "main.cc")) {
      own[std::string(name)] = flag;
    }
  }
  std::string text = absl::StrCat(usage, "\n\nFlags:\n");
  for (const auto& [name, flag] : own) {
    absl::StrAppend(&text, "  --", name, "=", flag->DefaultValue(), "\n      ",
                    flag->Help(), "\n");
  }
  absl::StrAppend(&text,
                  "\nBANYAN_<FLAG> in the environment sets a flag as well: "
                  "--data_dir is BANYAN_DATA_DIR.\n");
  return text;
}

absl::Status CheckDuration(absl::string_view name, absl::string_view value) {
  absl::Duration duration;
  if (absl::ParseDuration(value, &duration)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--", name, "=", value,
                   " is no duration; write it with a unit: 90s, 5m, 24h"));
}

absl::StatusOr<std::vector<std::string>> ParseFlags(int argc, char** argv,
                                                    absl::string_view usage) {
  absl::SetProgramUsageMessage(usage);
  for (int i = 1; i < argc; ++i) {
    absl::string_view word = argv[i];
    if (word == "--") break;
    if (!absl::ConsumePrefix(&word, "--")) continue;
    if (word == "help" || absl::StartsWith(word, "help=")) {
      std::printf("%s", HelpText(usage).c_str());
      std::exit(EXIT_SUCCESS);
    }
    if (word == "version") {
      std::printf("banyan %s\n", kProgramVersion);
      std::exit(EXIT_SUCCESS);
    }
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    if (!absl::StrContains(word, '=') || !IsDuration(parts.first)) continue;
    const absl::Status checked = CheckDuration(parts.first, parts.second);
    if (!checked.ok()) return checked;
  }
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    const std::string variable =
        absl::StrCat("BANYAN_", absl::AsciiStrToUpper(name));
    const char* value = std::getenv(variable.c_str());
    std::string error;
    if (value != nullptr && flag->IsOfType<absl::Duration>()) {
      const absl::Status checked = CheckDuration(name, value);
      if (!checked.ok()) return checked;
    }
    if (value != nullptr && !flag->ParseFrom(value, &error)) {
      return absl::InvalidArgumentError(
          absl::StrCat(variable, "=", value, ": ", error));
    }
  }
  const std::vector<char*> words = absl::ParseCommandLine(argc, argv);
  return std::vector<std::string>(words.begin() + 1, words.end());
}

void PrepareProcess() {
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

void WaitForStopSignal() {
  const sigset_t signals = StopSignals();
  int which = 0;
  sigwait(&signals, &which);
  std::thread([signals] {
    int second = 0;
    sigwait(&signals, &second);
    _exit(1);
  }).detach();
}

std::string DefaultDataDir() {
  const std::string state = Environment("XDG_STATE_HOME");
  if (!state.empty()) return absl::StrCat(state, "/banyan");
  const std::string home = Environment("HOME");
  return absl::StrCat(home.empty() ? "/var/lib" : home + "/.local/state",
                      "/banyan");
}

std::string SharedFile(absl::string_view name) {
  std::error_code error;
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = program.parent_path();
  const std::string file(name);
  // build/<preset>/bin/ stands three folders below the source tree.
  const std::filesystem::path in_tree = folder / "../../../deploy" / file;
  return std::filesystem::exists(in_tree, error)
             ? in_tree.lexically_normal().string()
             : (folder / "../share/banyan" / file).lexically_normal().string();
}

absl::StatusOr<DataDir> DataDir::Lock(const std::string& path) {
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(path, error);
  if (error) {
    return absl::PermissionDeniedError(
        absl::StrCat("cannot make the data folder ", path, ": ",
                     error.message(), "; pass --data_dir"));
  }
  if (is_new) chmod(path.c_str(), 0700);
  const std::string lock_path = absl::StrCat(path, "/lock");
  const int fd = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) {
    return absl::PermissionDeniedError(absl::StrCat(
        "cannot write to the data folder ", path, ": ", strerror(errno)));
  }
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const std::string holder = HolderOf(fd);
    close(fd);
    return absl::FailedPreconditionError(
        absl::StrCat("the data folder ", path, " is in use by process ", holder,
                     "; stop it or pass another --data_dir"));
  }
  const std::string pid = absl::StrCat(getpid(), "\n");
  if (ftruncate(fd, 0) != 0 || pwrite(fd, pid.data(), pid.size(), 0) !=
                                   static_cast<ssize_t>(pid.size())) {
    close(fd);
    return absl::InternalError(
        absl::StrCat("cannot write ", lock_path, ": ", strerror(errno)));
  }
  return DataDir(path, fd);
}

DataDir::DataDir(std::string path, int lock_fd)
    : path_(std::move(path)), lock_fd_(lock_fd) {}

DataDir::DataDir(DataDir&& other) noexcept
    : path_(std::move(other.path_)),
      lock_fd_(std::exchange(other.lock_fd_, -1)) {}

DataDir& DataDir::operator=(DataDir&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_fd_, other.lock_fd_);
  return *this;
}

DataDir::~DataDir() {
  if (lock_fd_ >= 0) close(lock_fd_);
}

int ExitCode(const absl::Status& status) {
  if (status.ok()) return EXIT_SUCCESS;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return EXIT_FAILURE;
}

}  // namespace banyan::rpc
