/* Prints what `nightlatch auth PROVIDER` would: the state, and the user if there is one. Its exit status is the same.
 *
 *     cc -std=c11 -D_POSIX_C_SOURCE=200809L -Iinclude -o auth-state examples/auth-state.c
 *     ./auth-state [RUNTIME/]PROVIDER */
#include <nightlatch/auth-cache.h>

static const char *name(enum nightlatch_state state) {
  switch (state) {
  case NIGHTLATCH_AUTHENTICATED: return "authenticated";
  case NIGHTLATCH_UNVERIFIED: return "authenticatedUnverified";
  case NIGHTLATCH_UNAUTHENTICATED: return "unauthenticated";
  case NIGHTLATCH_NOT_READY: break;
  }
  return "notReady";
}

int main(int count, char **arguments) {
  struct nightlatch_auth auth;
  if (count != 2) return 64;
  char *slash = strrchr(arguments[1], '/');
  if (slash) *slash = 0;
  if (nightlatch_auth_open(&auth, slash ? arguments[1] : NULL, slash ? slash + 1 : arguments[1]) != 0) {
    perror("auth-state");
    return 1;
  }
  enum nightlatch_state state = nightlatch_auth_state(&auth);
  printf("%s %s\n", name(state), auth.user_id);
  nightlatch_auth_close(&auth);
  return state;
}
