#pragma once
#include <libpq-fe.h>

// The fields of an error are named by characters, which Swift does not import as constants.

static inline const char *cpq_state(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_SQLSTATE); }
static inline const char *cpq_message(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}
static inline const char *cpq_detail(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);
}

static inline void cpq_ignore(void *context, const char *notice) {
  (void)context;
  (void)notice;
}
// Notices go to standard error otherwise.
static inline void cpq_silence(PGconn *connection) { PQsetNoticeProcessor(connection, cpq_ignore, 0); }
