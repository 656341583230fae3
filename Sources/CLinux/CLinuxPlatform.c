#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLinuxPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <unistd.h>

int nl_pidfd_open(int32_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int nl_pidfd_send_signal(int pidfd, int signal) {
  return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

int64_t nl_clock_error(void) {
  struct timex state = {.modes = 0};
  return adjtimex(&state) < 0 ? INT64_MAX : (int64_t)state.maxerror;
}

int nl_become_subreaper(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

int nl_spawn_add_close_from(void *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int nl_spawn_add_change_folder(void *actions, const char *path) {
  return posix_spawn_file_actions_addchdir_np(actions, path);
}

const short nl_spawn_new_session = POSIX_SPAWN_SETSID;

int nl_wait(int32_t pid, int keep, struct nl_exit *result) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  int options = WEXITED | WNOHANG | (keep ? WNOWAIT : 0);
  int outcome;
  do {
    outcome = waitid(pid == 0 ? P_ALL : P_PID, (id_t)pid, &info, options);
  } while (outcome < 0 && errno == EINTR);
  if (outcome < 0) return -1;
  result->pid = info.si_pid;
  result->exited = info.si_code == CLD_EXITED;
  result->status = info.si_status;
  return 0;
}

int nl_get_file_limit(uint64_t *soft, uint64_t *hard) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  *soft = limit.rlim_cur;
  *hard = limit.rlim_max;
  return 0;
}

int nl_set_file_limit(uint64_t soft, uint64_t hard) {
  const struct rlimit limit = {soft, hard};
  return setrlimit(RLIMIT_NOFILE, &limit);
}

int nl_peer_credentials(int fd, int32_t *pid, uint32_t *uid, uint32_t *gid) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -1;
  *pid = peer.pid;
  *uid = peer.uid;
  *gid = peer.gid;
  return 0;
}

int nl_peer_groups(int fd, uint32_t *groups, int count) {
  socklen_t length = (socklen_t)count * sizeof *groups;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &length) < 0) return -1;
  return (int)(length / sizeof *groups);
}

int nl_netlink_open(int protocol, uint32_t groups) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
  if (fd < 0) return -1;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
  if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
  int reason = errno;
  close(fd);
  errno = reason;
  return -1;
}

int nl_accept(int listener) {
  return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

intptr_t nl_netlink_receive(int fd, void *buffer, size_t length, uint32_t *sender) {
  struct sockaddr_nl address = {.nl_pid = UINT32_MAX};
  socklen_t size = sizeof address;
  ssize_t count = recvfrom(fd, buffer, length, 0, (struct sockaddr *)&address, &size);
  *sender = address.nl_pid;
  return count;
}

int nl_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int nl_unix_stream(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

int nl_unix_datagram(void) { return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0); }

int nl_unshare_network(void) {
  if (unshare(CLONE_NEWNET) < 0) return -1;
  return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

int nl_enter_network(int fd) { return setns(fd, CLONE_NEWNET); }

int nl_unshare_mounts(void) {
  if (unshare(CLONE_NEWNS) < 0) return -1;
  return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}
