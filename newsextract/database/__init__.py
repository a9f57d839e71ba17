"""Records in a database: SQLite or PostgreSQL, through SQLAlchemy's Core. The feed stays the ledger.

A crawl writes its feeds; :mod:`~newsextract.database.bringing_in` follows them like ``tail -f``, in a thread of its own, and
writes what it reads in batches. How far a feed has been read stands in the database, and is set in the transaction that
writes the rows. So there is no queue in memory that could grow or be lost: if the database does not answer, or the process
is killed, the lines wait in the feed, and the next start goes on from there. Writing is idempotent: reading a feed twice
does no harm.

Alembic and psycopg are optional (the extras ``storage`` and ``postgres``). Only
:mod:`~newsextract.database.connection` may be imported without them; it says what is missing.
"""
