#pragma once
#include <mosquitto.h>
// From 2.1 on a part of the above, and a warning by itself.
#if LIBMOSQUITTO_VERSION_NUMBER < 2001000
#include <mqtt_protocol.h>
#endif
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

// Reason of OpenSSL why the certificate of the broker is not trusted. NULL: it is trusted, or there is no TLS. Valid only
// during the connection: from within a callback.
static inline const char *hearth_mosquitto_distrust(struct mosquitto *client) {
  SSL *ssl = client ? (SSL *)mosquitto_ssl_get(client) : NULL;
  long result = ssl ? SSL_get_verify_result(ssl) : X509_V_OK;
  return result == X509_V_OK ? NULL : X509_verify_cert_error_string(result);
}
