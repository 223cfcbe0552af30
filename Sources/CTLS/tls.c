#include "CTLS.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>

struct hearth_tls {
  SSL_CTX *context;
  SSL *ssl;
  BIO *wire_in, *wire_out;
};

/// The first of OpenSSL's errors, which is the cause, or the fault of the certificate. Clears all errors.
static void tell(struct hearth_tls *tls, const char *doing, char *error, size_t size) {
  unsigned long code = ERR_get_error();
  long verdict = tls && tls->ssl ? SSL_get_verify_result(tls->ssl) : X509_V_OK;
  const char *why = verdict != X509_V_OK ? X509_verify_cert_error_string(verdict) : code ? ERR_reason_error_string(code) : NULL;
  snprintf(error, size, "%s: %s", doing, why ? why : "no cause told");
  ERR_clear_error();
}

void hearth_tls_close(struct hearth_tls *tls) {
  if (!tls) return;
  SSL_free(tls->ssl);
  SSL_CTX_free(tls->context);
  free(tls);
}

static int is_address(const char *host) {
  unsigned char address[16];
  return inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1;
}

static struct hearth_tls *refuse(struct hearth_tls *tls, const char *doing, char *error, size_t size) {
  tell(NULL, doing, error, size);
  hearth_tls_close(tls);
  return NULL;
}

struct hearth_tls *hearth_tls_open(
    const char *ca, const char *certificate, const char *key, const char *host, char *error, size_t size) {
  struct hearth_tls *tls = calloc(1, sizeof *tls);
  if (!tls || !(tls->context = SSL_CTX_new(TLS_client_method()))) return refuse(tls, "no memory", error, size);
  SSL_CTX_set_min_proto_version(tls->context, TLS1_2_VERSION);
  SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER, NULL);
  int trusts = ca ? SSL_CTX_load_verify_locations(tls->context, ca, NULL) : SSL_CTX_set_default_verify_paths(tls->context);
  if (trusts != 1) return refuse(tls, "the file of trusted certificates", error, size);
  if (certificate && SSL_CTX_use_certificate_chain_file(tls->context, certificate) != 1)
    return refuse(tls, "the file of the own certificate", error, size);
  if (key && (SSL_CTX_use_PrivateKey_file(tls->context, key, SSL_FILETYPE_PEM) != 1 || SSL_CTX_check_private_key(tls->context) != 1))
    return refuse(tls, "the file of the own key", error, size);
  if (!(tls->ssl = SSL_new(tls->context))) return refuse(tls, "no memory", error, size);
  BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
  if (!in || !out) {
    BIO_free(in);
    BIO_free(out);
    return refuse(tls, "no memory", error, size);
  }
  // An empty buffer is no end: more comes.
  BIO_set_mem_eof_return(in, -1);
  BIO_set_mem_eof_return(out, -1);
  SSL_set_bio(tls->ssl, in, out);
  tls->wire_in = in;
  tls->wire_out = out;
  X509_VERIFY_PARAM *rules = SSL_get0_param(tls->ssl);
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  int named = is_address(host) ? X509_VERIFY_PARAM_set1_ip_asc(rules, host)
                               : X509_VERIFY_PARAM_set1_host(rules, host, 0) && SSL_set_tlsext_host_name(tls->ssl, host);
  if (!named) return refuse(tls, "the name of the broker", error, size);
  SSL_set_connect_state(tls->ssl);
  return tls;
}

int hearth_tls_handshake(struct hearth_tls *tls, char *error, size_t size) {
  ERR_clear_error();
  int result = SSL_do_handshake(tls->ssl);
  if (result == 1) return 1;
  int why = SSL_get_error(tls->ssl, result);
  if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return 0;
  tell(tls, "the secure connection", error, size);
  return -1;
}

int hearth_tls_came(struct hearth_tls *tls, const void *bytes, size_t count) {
  size_t done = 0;
  return count == 0 || (BIO_write_ex(tls->wire_in, bytes, count, &done) == 1 && done == count);
}

size_t hearth_tls_goes(struct hearth_tls *tls, void *bytes, size_t count) {
  size_t done = 0;
  return BIO_read_ex(tls->wire_out, bytes, count, &done) == 1 ? done : 0;
}

long hearth_tls_read(struct hearth_tls *tls, void *bytes, size_t count, char *error, size_t size) {
  size_t done = 0;
  ERR_clear_error();
  if (SSL_read_ex(tls->ssl, bytes, count, &done) == 1) return (long)done;
  int why = SSL_get_error(tls->ssl, 0);
  if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return 0;
  if (why == SSL_ERROR_ZERO_RETURN) return -1;
  tell(tls, "the secure connection", error, size);
  return -2;
}

int hearth_tls_write(struct hearth_tls *tls, const void *bytes, size_t count, char *error, size_t size) {
  size_t done = 0;
  ERR_clear_error();
  if (count == 0) return 1;
  // Memory takes all that is written.
  if (SSL_write_ex(tls->ssl, bytes, count, &done) == 1 && done == count) return 1;
  tell(tls, "the secure connection", error, size);
  return 0;
}

void hearth_tls_end(struct hearth_tls *tls) {
  ERR_clear_error();
  SSL_shutdown(tls->ssl);
}
