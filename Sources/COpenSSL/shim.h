#pragma once
// OpenSSL 3. The static inline functions stand for macros and variadic functions, which Swift cannot import.
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>
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

/// Seconds from 1970 to a time of a certificate; INT64_MIN for what is no time.
static inline int64_t copenssl_seconds(const ASN1_TIME *time) {
  ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
  int days = 0, seconds = 0;
  int known = epoch != NULL && time != NULL && ASN1_TIME_diff(&days, &seconds, epoch, time) == 1;
  ASN1_TIME_free(epoch);
  return known ? (int64_t)days * 86400 + seconds : INT64_MIN;
}

/// Writes the names that a certificate is for, DNS names and addresses, each with a line break behind it, as many as
/// there is room for. How many bytes.
static inline size_t copenssl_names(const X509 *certificate, char *text, size_t capacity) {
  GENERAL_NAMES *names = (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  size_t used = 0;
  for (int i = 0; names != NULL && i < sk_GENERAL_NAME_num(names); i++) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
    char address[INET6_ADDRSTRLEN];
    const char *word = NULL;
    size_t length = 0;
    if (name->type == GEN_DNS) {
      word = (const char *)ASN1_STRING_get0_data(name->d.dNSName);
      length = (size_t)ASN1_STRING_length(name->d.dNSName);
    } else if (name->type == GEN_IPADD) {
      int family = ASN1_STRING_length(name->d.iPAddress) == 4 ? AF_INET : AF_INET6;
      if (family == AF_INET6 && ASN1_STRING_length(name->d.iPAddress) != 16) continue;
      word = inet_ntop(family, ASN1_STRING_get0_data(name->d.iPAddress), address, sizeof address);
      length = word != NULL ? strlen(word) : 0;
    }
    if (word == NULL || length == 0 || memchr(word, '\n', length) != NULL || used + length + 1 > capacity) continue;
    memcpy(text + used, word, length);
    text[used + length] = '\n';
    used += length + 1;
  }
  GENERAL_NAMES_free(names);
  return used;
}

/// What is wrong with a server's chain, whatever its names and dates: X509_V_OK, another X509_V code, or -1 where memory
/// runs out. Trusted are the system's authorities and those in the PEM file `authorities`, if it is not NULL.
static inline int copenssl_judge_chain(X509 *const *chain, int count, const char *authorities) {
  if (count < 1) return X509_V_ERR_UNSPECIFIED;
  X509_STORE *store = X509_STORE_new();
  X509_STORE_CTX *context = X509_STORE_CTX_new();
  OPENSSL_STACK *others = OPENSSL_sk_new_null();
  int verdict = -1;
  if (store != NULL && context != NULL && others != NULL) {
    X509_STORE_set_default_paths(store);
    if (authorities != NULL) X509_STORE_load_file(store, authorities);
    for (int i = 1; i < count; i++) OPENSSL_sk_push(others, chain[i]);
    if (X509_STORE_CTX_init(context, store, chain[0], (STACK_OF(X509) *)others) == 1) {
      X509_STORE_CTX_set_default(context, "ssl_server");
      X509_STORE_CTX_set_flags(context, X509_V_FLAG_NO_CHECK_TIME);
      verdict = X509_verify_cert(context) == 1 ? X509_V_OK : X509_STORE_CTX_get_error(context);
    }
  }
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  OPENSSL_sk_free(others);
  ERR_clear_error();
  return verdict;
}

/// HMAC-SHA1 of one key (RFC 2104): SHA-1 after the block of the key for the inside, and after that for the outside.
typedef struct {
  SHA_CTX inside, outside;
} copenssl_hmac_sha1;

// EVP_MAC and HMAC_CTX of OpenSSL 3.0 allocate and copy four contexts for each message; SHA_CTX is copied as a value.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

/// Takes a key of up to 64 bytes.
static inline void copenssl_hmac_sha1_init(copenssl_hmac_sha1 *hmac, const void *key, size_t length) {
  unsigned char block[SHA_CBLOCK] = {0};
  memcpy(block, key, length < sizeof block ? length : sizeof block);
  for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36;
  SHA1_Init(&hmac->inside);
  SHA1_Update(&hmac->inside, block, sizeof block);
  for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36 ^ 0x5c;
  SHA1_Init(&hmac->outside);
  SHA1_Update(&hmac->outside, block, sizeof block);
  OPENSSL_cleanse(block, sizeof block);
}

/// The code of some bytes and of four more behind them; `code` has 20 bytes.
static inline void copenssl_hmac_sha1_code(const copenssl_hmac_sha1 *hmac, const void *bytes, size_t count,
                                           const void *four, void *code) {
  SHA_CTX sha = hmac->inside;
  SHA1_Update(&sha, bytes, count);
  SHA1_Update(&sha, four, 4);
  SHA1_Final((unsigned char *)code, &sha);
  sha = hmac->outside;
  SHA1_Update(&sha, code, SHA_DIGEST_LENGTH);
  SHA1_Final((unsigned char *)code, &sha);
}

#pragma clang diagnostic pop
