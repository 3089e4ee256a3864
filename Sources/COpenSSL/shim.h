#pragma once
// OpenSSL 3. The static inline functions stand for macros and variadic functions, which Swift cannot import.
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdint.h>
#include <sys/time.h>

/// A new key pair on P-256, or NULL. The caller frees it.
static inline EVP_PKEY *copenssl_generate_p256(void) { return EVP_EC_gen("P-256"); }

/// DTLS 1.2 or better, no resumption and no renegotiation: a peer's certificate is looked at exactly once per session.
static inline int copenssl_harden(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_QUERY_MTU | SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  return SSL_CTX_set_min_proto_version(context, DTLS1_2_VERSION);
}

/// The longest datagram that OpenSSL may write.
static inline int copenssl_set_longest_datagram(SSL *ssl, long length) { return DTLS_set_link_mtu(ssl, length) == 1; }

/// Microseconds until the retransmission timer fires (0 = due), or -1 when it does not run.
static inline int64_t copenssl_microseconds_left(SSL *ssl) {
  struct timeval left;
  if (DTLSv1_get_timeout(ssl, &left) != 1) return -1;
  return (int64_t)left.tv_sec * 1000000 + left.tv_usec;
}

/// Sends the last flight again if its timer is due. Negative: given up.
static inline int copenssl_retransmit(SSL *ssl) { return (int)DTLSv1_handle_timeout(ssl); }

/// Says "nothing to read at the moment" instead of "end of file".
static inline void copenssl_say_retry(BIO *bio) { BIO_set_retry_read(bio); }
static inline void copenssl_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }
