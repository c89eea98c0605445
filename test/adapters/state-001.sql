-- What Drydock 0.1, with only the first migration, has left of a Run in progress.
BEGIN TRANSACTION;
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO kysely_migration VALUES('001_one_task','2026-11-03T10:00:00.000Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO kysely_migration_lock VALUES('migration_lock',0);
CREATE TABLE machines (sequence integer primary key autoincrement, id text not null unique, kind text not null, run text not null,
      story text, state text not null, version integer not null, data text not null, created_at text not null, updated_at text not null);
INSERT INTO machines VALUES(1,'run-1','run','run-1',NULL,'MONITORING',1,'{}','2026-11-03T10:00:00.000Z','2026-11-03T10:00:00.000Z');
CREATE TABLE jobs (id integer primary key autoincrement, queue text not null, machine text not null, version integer not null,
      run_at text not null, unique (machine, version));
INSERT INTO jobs VALUES(1,'run','run-1',1,'2026-11-03T10:00:00.000Z');
CREATE TABLE events (id integer primary key autoincrement, run text not null, story text, type text not null, data text not null,
      at text not null);
INSERT INTO events VALUES(1,'run-1',NULL,'state','{"to":"MONITORING"}','2026-11-03T10:00:00.000Z');
CREATE TABLE messages (lane text not null, sequence integer not null, message text not null, primary key (lane, sequence));
CREATE TABLE model_calls (id integer primary key autoincrement, lane text not null, turn integer not null, run text not null, story text,
      agent text not null, model text not null, stop text not null, error text, input_tokens integer, output_tokens integer,
      cache_read_tokens integer, cache_write_tokens integer, started_at text not null, duration_ms integer not null, unique (lane, turn));
CREATE TABLE tool_executions (id integer primary key autoincrement, session text not null, lane text not null, turn integer not null,
      call_index integer not null, call_id text not null, story text, agent text not null, tool text not null, arguments text not null,
      expectation text, started_at text not null, result text, success integer, duration_ms integer, finished_at text,
      unique (lane, turn, call_index));
CREATE TABLE verifications (run_id text primary key, run text not null, story text, commit_sha text not null, status text not null,
      error_type text, error_message text, tail_log text, manifest text, finished_at text not null);
CREATE TABLE context_files (run text not null, story text not null, n integer not null, milestone text not null, content text not null,
      primary key (run, story, n));
CREATE TABLE commands (id integer primary key autoincrement, key text not null unique, kind text not null, payload text not null,
      created_at text not null, applied_at text);
INSERT INTO commands VALUES(1,'k','cancel','{"kind":"cancel","run":"run-1"}','2026-11-03T10:00:00.000Z',NULL);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('machines',1);
INSERT INTO sqlite_sequence VALUES('jobs',1);
INSERT INTO sqlite_sequence VALUES('events',1);
INSERT INTO sqlite_sequence VALUES('commands',1);
CREATE INDEX machines_by_kind on machines (kind, state);
CREATE INDEX machines_by_run on machines (run);
CREATE INDEX events_by_run on events (run, id);
CREATE INDEX model_calls_by_run on model_calls (run);
CREATE INDEX tool_executions_by_session on tool_executions (session);
CREATE INDEX verifications_by_run on verifications (run);
COMMIT;
