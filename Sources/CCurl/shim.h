#pragma once
#include <curl/curl.h>

/* curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call:
 * one wrapper for each type of argument. */
static inline CURLcode nl_curl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode nl_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode nl_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode nl_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
  return curl_easy_setopt(handle, option, value);
}
/* Not copied: the bytes must outlive the transfer. */
static inline CURLcode nl_curl_set_blob(CURL *handle, CURLoption option, const void *data, size_t length) {
  struct curl_blob blob = {(void *)data, length, CURL_BLOB_NOCOPY};
  return curl_easy_setopt(handle, option, &blob);
}
static inline CURLcode nl_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode nl_curl_set_write(CURL *handle, curl_write_callback function, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, function);
  return code ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}
static inline CURLcode nl_curl_set_progress(CURL *handle, curl_xferinfo_callback function, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
  if (!code) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
  return code ? code : curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}
/* The debug callback is curl's only report of bytes handed to the kernel. */
static inline CURLcode nl_curl_set_debug(CURL *handle, curl_debug_callback function, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, function);
  if (!code) code = curl_easy_setopt(handle, CURLOPT_DEBUGDATA, context);
  return code ? code : curl_easy_setopt(handle, CURLOPT_VERBOSE, 1L);
}
static inline CURLcode nl_curl_get_number(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode nl_curl_get_text(CURL *handle, CURLINFO info, const char **value) {
  return curl_easy_getinfo(handle, info, value);
}
