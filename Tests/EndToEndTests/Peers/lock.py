"""Holds the write lock of a SQLite database, as a backup or a tool would, until SIGTERM."""

import signal
import sqlite3
import sys

signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
database = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=20)
database.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
signal.sigwait([signal.SIGTERM])
database.execute("ROLLBACK")
database.close()
print("released", flush=True)
