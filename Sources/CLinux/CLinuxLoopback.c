#include "CLinux.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

int nl_listen_on_loopback(int is_ipv6, uint16_t *port) {
  struct sockaddr_in v4 = {
    .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  struct sockaddr_in6 v6 = {
    .sin6_family = AF_INET6, .sin6_port = htons(*port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  struct sockaddr *address = is_ipv6 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4;
  socklen_t length = is_ipv6 ? sizeof v6 : sizeof v4;
  int one = 1, fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -errno;
  /* A port that is written in the provider file is wanted again right after the last login. */
  if ((*port == 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0)
      && bind(fd, address, length) == 0 && listen(fd, 16) == 0 && getsockname(fd, address, &length) == 0) {
    *port = ntohs(is_ipv6 ? v6.sin6_port : v4.sin_port);
    return fd;
  }
  int code = errno;
  close(fd);
  return -code;
}
