#pragma once
/* Calls behind LinuxPlatform: timers, processes, inotify, netlink, peers.
 * No <sys/types.h> or <spawn.h> here: read with _GNU_SOURCE their types would
 * differ from those of Swift's own Glibc module. */
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>

/* ---- Processes ---- */

/* pidfd_open(2): glibc declares it only since 2.36. Close-on-exec by itself. */
int nl_pidfd_open(int32_t pid);
/* pidfd_send_signal(2): as above. */
int nl_pidfd_send_signal(int pidfd, int signal);
/* prctl(2) is variadic. */
int nl_become_subreaper(void);
/* GNU extensions that Swift's view of <spawn.h> may lack. */
int nl_spawn_add_close_from(void *actions, int first);
int nl_spawn_add_change_folder(void *actions, const char *path);
extern const short nl_spawn_new_session;

/* siginfo_t keeps pid and status in macros over a union. */
struct nl_exit {
  int32_t pid;     /* 0: nobody is waiting to be reaped */
  int exited;    /* 1: `status` is an exit code; 0: it is a signal number */
  int status;
};
/* waitid(2) for children that ended, without blocking; pid 0 means any child.
 * `keep` leaves the child waitable (WNOWAIT). Returns 0, or -1 with errno. */
int nl_wait(int32_t pid, int keep, struct nl_exit *result);

/* setrlimit's resource is an enum that Swift cannot spell: RLIMIT_NOFILE, soft and hard.
 * Return 0, or -1 with errno. */
int nl_get_file_limit(uint64_t *soft, uint64_t *hard);
int nl_set_file_limit(uint64_t soft, uint64_t hard);

/* ---- Clock ---- */

/* Swift's Glibc module lacks <sys/timex.h>. The largest error of the wall clock that adjtimex(2) reports, in
 * microseconds. */
int64_t nl_clock_error(void);

/* ---- Sockets ---- */

/* AF_UNIX socket, close-on-exec; glibc keeps the types of socket(2) in an enum
 * that two modules would both claim. */
int nl_unix_stream(void);
int nl_unix_datagram(void);
/* struct ucred is a GNU extension. Returns 0, or -1 with errno. */
int nl_peer_credentials(int fd, int32_t *pid, uint32_t *uid, uint32_t *gid);
/* SO_PEERGROUPS, which glibc does not declare everywhere: the peer's supplementary groups, as of the moment
 * it connected. Returns how many, or -1 with errno (ERANGE: there are more than `count`). */
int nl_peer_groups(int fd, uint32_t *groups, int count);
/* AF_NETLINK datagram socket bound to the multicast groups of a bit mask. */
int nl_netlink_open(int protocol, uint32_t groups);
/* pipe2(2) is a GNU extension: close-on-exec. */
int nl_pipe(int ends[2]);
/* accept4(2) is a GNU extension: non-blocking, close-on-exec. */
int nl_accept(int listener);
/* The sender of a netlink datagram, to refuse everyone but the kernel (port 0). */
intptr_t nl_netlink_receive(int fd, void *buffer, size_t length, uint32_t *sender);

/* unshare(2) and setns(2) are GNU extensions: a network namespace of its own
 * for one thread, for tests. The first returns a descriptor of the new one. */
int nl_unshare_network(void);
int nl_enter_network(int fd);
/* Mounts of its own for one thread, for tests. */
int nl_unshare_mounts(void);
