#include "CLinux.h"

#include <sys/epoll.h>

int nl_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

int nl_epoll_add(int epoll, int fd, int writable, uint64_t token) {
  struct epoll_event event = {.events = writable ? EPOLLOUT : EPOLLIN, .data.u64 = token};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

int nl_epoll_remove(int epoll, int fd) { return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, 0); }

int nl_epoll_ready(int epoll, uint64_t *tokens, int count) {
  struct epoll_event events[64];
  int ready = epoll_wait(epoll, events, count < 64 ? count : 64, 0);
  for (int i = 0; i < ready; i++) tokens[i] = events[i].data.u64;
  return ready;
}
