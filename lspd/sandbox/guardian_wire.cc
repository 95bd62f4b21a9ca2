// SPDX-License-Identifier: Apache-2.0
#include "lspd/sandbox/guardian_wire.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

namespace banyan::lspd {
namespace {

constexpr size_t kMaxDescriptors = 3;

void Put(std::string& packet, const void* bytes, size_t size) {
  packet.append(static_cast<const char*>(bytes), size);
}

template <typename Number>
void PutNumber(std::string& packet, Number number) {
  Put(packet, &number, sizeof(number));
}

void PutText(std::string& packet, const std::string& text) {
  PutNumber(packet, static_cast<uint32_t>(text.size()));
  Put(packet, text.data(), text.size());
}

void PutTexts(std::string& packet, const std::vector<std::string>& texts) {
  PutNumber(packet, static_cast<uint32_t>(texts.size()));
  for (const std::string& text : texts) PutText(packet, text);
}

// Takes values off the front of a packet; all false after the first miss.
class Unpacker {
 public:
  explicit Unpacker(const std::string& packet) : packet_(packet) {}

  template <typename Number>
  bool Take(Number* number) {
    if (packet_.size() - at_ < sizeof(*number)) return false;
    std::memcpy(number, packet_.data() + at_, sizeof(*number));
    at_ += sizeof(*number);
    return true;
  }

  bool Take(std::string* text) {
    uint32_t size = 0;
    if (!Take(&size) || packet_.size() - at_ < size) return false;
    text->assign(packet_, at_, size);
    at_ += size;
    return true;
  }

  bool Take(std::vector<std::string>* texts) {
    uint32_t count = 0;
    if (!Take(&count) || packet_.size() - at_ < count) return false;
    texts->resize(count);
    for (std::string& text : *texts) {
      if (!Take(&text)) return false;
    }
    return true;
  }

  bool AtEnd() const { return at_ == packet_.size(); }

 private:
  const std::string& packet_;
  size_t at_ = 0;
};

}  // namespace

std::string EncodeGuardianMessage(const GuardianMessage& message) {
  std::string packet;
  PutNumber(packet, message.verb);
  PutNumber(packet, message.request);
  PutNumber(packet, message.pid);
  PutNumber(packet, message.value);
  PutNumber(packet, message.stage);
  PutText(packet, message.directory);
  PutTexts(packet, message.argv);
  PutTexts(packet, message.environment);
  return packet;
}

bool DecodeGuardianMessage(const std::string& packet,
                           GuardianMessage* message) {
  Unpacker unpacker(packet);
  return unpacker.Take(&message->verb) && unpacker.Take(&message->request) &&
         unpacker.Take(&message->pid) && unpacker.Take(&message->value) &&
         unpacker.Take(&message->stage) && unpacker.Take(&message->directory) &&
         unpacker.Take(&message->argv) &&
         unpacker.Take(&message->environment) && unpacker.AtEnd();
}

bool SendGuardianMessage(int socket, const GuardianMessage& message,
                         const std::vector<int>& descriptors) {
  std::string packet = EncodeGuardianMessage(message);
  if (packet.size() > kMaxGuardianPacket ||
      descriptors.size() > kMaxDescriptors) {
    errno = E2BIG;
    return false;
  }
  iovec part = {packet.data(), packet.size()};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxDescriptors * sizeof(int))] = {};
  if (!descriptors.empty()) {
    const size_t size = descriptors.size() * sizeof(int);
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(size);
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(rights), descriptors.data(), size);
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

bool ReceiveGuardianMessage(int socket, GuardianMessage* message,
                            std::vector<int>* descriptors) {
  descriptors->clear();
  std::string packet(kMaxGuardianPacket, '\0');
  iovec part = {packet.data(), packet.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxDescriptors * sizeof(int))] = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  ssize_t received = 0;
  do {
    received = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  if (received <= 0) return false;

  for (cmsghdr* rights = CMSG_FIRSTHDR(&header); rights != nullptr;
       rights = CMSG_NXTHDR(&header, rights)) {
    if (rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    descriptors->resize((rights->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(descriptors->data(), CMSG_DATA(rights),
                descriptors->size() * sizeof(int));
  }
  packet.resize(static_cast<size_t>(received));
  return DecodeGuardianMessage(packet, message);
}

}  // namespace banyan::lspd
