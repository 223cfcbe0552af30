// TLS over memory (OpenSSL): encrypted bytes in and out, plain bytes in and out. No socket, no waiting.
#pragma once
#include <stddef.h>

struct hearth_tls;

/// A client that trusts `ca` (a file; NULL: the system's authorities). A certificate must be for `host`, a name or an address.
/// `certificate` and `key` are its own, or NULL. At least TLS 1.2. NULL on failure, with the reason in `error`.
struct hearth_tls *hearth_tls_open(
    const char *ca, const char *certificate, const char *key, const char *host, char *error, size_t error_size);
void hearth_tls_close(struct hearth_tls *tls);

/// 1: done, 0: needs received bytes, -1: failed, with the reason in `error`.
int hearth_tls_handshake(struct hearth_tls *tls, char *error, size_t error_size);
/// Takes received bytes. 0: no memory.
int hearth_tls_came(struct hearth_tls *tls, const void *bytes, size_t count);
/// Takes encrypted bytes to send, at most `count`. Returns their number.
size_t hearth_tls_goes(struct hearth_tls *tls, void *bytes, size_t count);
/// Reads plain bytes. Returns their number; 0: not yet, -1: the other side ended it, -2: failed, with the reason in `error`.
long hearth_tls_read(struct hearth_tls *tls, void *bytes, size_t count, char *error, size_t error_size);
/// Writes plain bytes, all of them. 0: failed, with the reason in `error`.
int hearth_tls_write(struct hearth_tls *tls, const void *bytes, size_t count, char *error, size_t error_size);
/// Sends the end of the connection; `hearth_tls_goes` then has its bytes.
void hearth_tls_end(struct hearth_tls *tls);
