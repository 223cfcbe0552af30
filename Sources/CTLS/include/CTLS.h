// TLS over memory (OpenSSL): bytes of the wire in and out, bytes of the talk in and out. No socket, no waiting.
#pragma once
#include <stddef.h>

struct hearth_tls;

/// A client that trusts `ca` (a file; NULL: what the system trusts) and takes only a certificate for `host`, a name or an address.
/// `certificate` and `key` are its own, or NULL. At least TLS 1.2. NULL on failure, with the words for it in `error`.
struct hearth_tls *hearth_tls_open(
    const char *ca, const char *certificate, const char *key, const char *host, char *error, size_t error_size);
void hearth_tls_close(struct hearth_tls *tls);

/// 1: done, 0: needs bytes of the wire, -1: failed, with the words for it in `error`.
int hearth_tls_handshake(struct hearth_tls *tls, char *error, size_t error_size);
/// Takes bytes that came over the wire. 0: no memory.
int hearth_tls_came(struct hearth_tls *tls, const void *bytes, size_t count);
/// Bytes to send over the wire, at most `count`: how many.
size_t hearth_tls_goes(struct hearth_tls *tls, void *bytes, size_t count);
/// Reads of the talk: how many bytes, 0: none now, -1: the other side ended it, -2: failed, with the words for it in `error`.
long hearth_tls_read(struct hearth_tls *tls, void *bytes, size_t count, char *error, size_t error_size);
/// Writes to the talk, all of it. 0: failed, with the words for it in `error`.
int hearth_tls_write(struct hearth_tls *tls, const void *bytes, size_t count, char *error, size_t error_size);
/// Says goodbye; `hearth_tls_goes` then has its bytes.
void hearth_tls_end(struct hearth_tls *tls);
