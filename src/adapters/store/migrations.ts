import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The statements of each migration, in the order of their names. A released one never changes. */
const statements = {
  '001_one_task': createTables(),
  '002_crew': createChat(),
  '003_budget': createBudget(),
  '004_versions': createVersions(),
  '005_forge_calls': createForgeCalls(),
  '006_hub': createHub(),
  '007_hub_people': createHubPeople(),
  '008_hosts': createHosts(),
  // Only a server has this table: see `postgres/last-writes.ts`.
  '009_last_writes': [],
  '010_askers': [...createAskers(), ...renameEditors()],
  '011_acceptance': createAcceptance(),
  '012_written_tests': ownAcceptance(),
}

type Name = keyof typeof statements

/** The migrations in a database's dialect; `more` are additional statements for that database. */
export function migrationsIn(
  worded: (statement: string) => string,
  more: Partial<Readonly<Record<Name, readonly string[]>>> = {},
): Readonly<Record<string, Migration>> {
  const entries = Object.entries(statements).map(([name, own]): [string, Migration] => {
    return [name, { up: (db) => executeAll(db, [...own.map(worded), ...(more[name as Name] ?? [])]) }]
  })
  return Object.fromEntries(entries)
}

export const migrations = migrationsIn((statement) => statement)

/**
 * The version of Drydock that introduced each migration. It is stored in the state, so that an
 * older Drydock can name the version that the state needs. From 0.2.0 on, each migration has a new
 * minor version.
 */
export const versionOf: Readonly<Record<keyof typeof migrations, string>> = {
  '001_one_task': '0.1.0',
  '002_crew': '0.1.0',
  '003_budget': '0.1.0',
  '004_versions': '0.2.0',
  '005_forge_calls': '0.3.0',
  '006_hub': '0.4.0',
  '007_hub_people': '0.5.0',
  '008_hosts': '0.6.0',
  '009_last_writes': '0.7.0',
  '010_askers': '0.8.0',
  '011_acceptance': '0.9.0',
  '012_written_tests': '0.10.0',
}

function createTables(): readonly string[] {
  return [
    `create table machines (sequence integer primary key autoincrement, id text not null unique, kind text not null, run text not null,
      story text, state text not null, version integer not null, data text not null, created_at text not null, updated_at text not null)`,
    'create index machines_by_kind on machines (kind, state)',
    'create index machines_by_run on machines (run)',
    `create table jobs (id integer primary key autoincrement, queue text not null, machine text not null, version integer not null,
      run_at text not null, unique (machine, version))`,
    `create table events (id integer primary key autoincrement, run text not null, story text, type text not null, data text not null,
      at text not null)`,
    'create index events_by_run on events (run, id)',
    'create table messages (lane text not null, sequence integer not null, message text not null, primary key (lane, sequence))',
    `create table model_calls (id integer primary key autoincrement, lane text not null, turn integer not null, run text not null, story text,
      agent text not null, model text not null, stop text not null, error text, input_tokens integer, output_tokens integer,
      cache_read_tokens integer, cache_write_tokens integer, started_at text not null, duration_ms integer not null, unique (lane, turn))`,
    'create index model_calls_by_run on model_calls (run)',
    `create table tool_executions (id integer primary key autoincrement, session text not null, lane text not null, turn integer not null,
      call_index integer not null, call_id text not null, story text, agent text not null, tool text not null, arguments text not null,
      expectation text, started_at text not null, result text, success integer, duration_ms integer, finished_at text,
      unique (lane, turn, call_index))`,
    'create index tool_executions_by_session on tool_executions (session)',
    `create table verifications (run_id text primary key, run text not null, story text, commit_sha text not null, status text not null,
      error_type text, error_message text, tail_log text, manifest text, finished_at text not null)`,
    'create index verifications_by_run on verifications (run)',
    `create table context_files (run text not null, story text not null, n integer not null, milestone text not null, content text not null,
      primary key (run, story, n))`,
    `create table commands (id integer primary key autoincrement, key text not null unique, kind text not null, payload text not null,
      created_at text not null, applied_at text)`,
  ]
}

/** `reply_to` refers to the unique index, so that an answer belongs to the Run of its question. */
function createChat(): readonly string[] {
  return [
    `create table chat_messages (id integer primary key autoincrement, agent_id text not null, content text not null, timestamp text not null,
      reply_to integer, post_type text not null default 'chat', run text not null, story text,
      foreign key (run, reply_to) references chat_messages (run, id))`,
    'create unique index chat_messages_by_run on chat_messages (run, id)',
    'create index chat_messages_by_reply_to on chat_messages (reply_to)',
    'create index chat_messages_by_post_type on chat_messages (post_type)',
  ]
}

/**
 * Money is stored in millionths of a dollar. A reservation that is no longer open belongs to a call
 * whose end was not seen; it counts as spent.
 */
function createBudget(): readonly string[] {
  return [
    'alter table model_calls add column cost_micro_usd integer',
    `create table reservations (id integer primary key autoincrement, run text not null, story text, lane text not null,
      micro_usd integer, tokens integer not null, open integer not null)`,
    'create index reservations_by_run on reservations (run)',
    'create index reservations_by_lane on reservations (lane)',
  ]
}

function createVersions(): readonly string[] {
  return ['create table schema_versions (migration text primary key, drydock text not null)']
}

/** Requests to forges and remotes. One without an answer may have taken effect. */
function createForgeCalls(): readonly string[] {
  return [
    `create table forge_calls (id integer primary key autoincrement, key text not null unique, run text not null, call text not null,
      request text not null, started_at text not null, answer text, finished_at text)`,
    'create index forge_calls_by_run on forge_calls (run)',
  ]
}

/** The tokens and sessions of a hub, and the author of each action. */
function createHub(): readonly string[] {
  return [
    `create table hub_tokens (id integer primary key autoincrement, name text not null unique, role text not null, hash text not null unique,
      created_at text not null, expires_at text, last_used_at text)`,
    'create table hub_sessions (hash text primary key, page_hash text not null, token integer not null, expires_at text not null)',
    'create index hub_sessions_by_token on hub_sessions (token)',
    'alter table chat_messages add column author text',
    'alter table events add column actor text',
  ]
}

/**
 * People who sign in through OpenID are stored beside the tokens, with the common columns shared.
 */
function createHubPeople(): readonly string[] {
  return [
    'alter table hub_tokens add column subject text',
    'create unique index hub_tokens_by_subject on hub_tokens (subject)',
  ]
}

/**
 * A Run or story has the host of the slot that it holds. A queued step has the host that takes it,
 * `#` if it concerns the state itself, and an empty text if any worker may take it.
 */
function createHosts(): readonly string[] {
  const ofState = `queue in ('run', 'merge', 'schedule', 'landing', 'notification') or queue = 'verification'
    and exists (select 1 from machines where machines.id = jobs.machine and json_extract(machines.data, '$.merge') is not null)`
  return [
    'alter table machines add column host text',
    `update machines set host = (select json_extract(slot.data, '$.host') from machines as slot
      where slot.id = 'slot/' || json_extract(machines.data, '$.slot')) where kind in ('run', 'story')`,
    `alter table jobs add column run text not null default ''`,
    'alter table jobs add column story text',
    `alter table jobs add column host text not null default ''`,
    `update jobs set run = (select machines.run from machines where machines.id = jobs.machine),
      story = (select machines.story from machines where machines.id = jobs.machine)`,
    `update jobs set host = case when ${ofState} then '#' else coalesce((select holder.host from machines as holder
      where holder.id = case when jobs.story is null then jobs.run else jobs.run || '/' || jobs.story end), '') end`,
    'create index jobs_by_host on jobs (host)',
  ]
}

/** An escalation names the machine that asked; older ones named only their message. */
function createAskers(): readonly string[] {
  const asking = `machines.run = chat_messages.run and machines.kind in ('run', 'story', 'request')
    and json_extract(machines.data, '$.escalation') = '' || chat_messages.id`
  return [
    'alter table chat_messages add column asker_kind text',
    'alter table chat_messages add column asker text',
    `update chat_messages set asker_kind = (select machines.kind from machines where ${asking} order by machines.id limit 1),
      asker = (select machines.id from machines where ${asking} order by machines.id limit 1) where post_type = 'escalate'`,
    // The questions of an interview belong to its Run.
    `update chat_messages set asker_kind = 'run', asker = run where post_type = 'escalate' and asker is null and story is null`,
  ]
}

function createAcceptance(): readonly string[] {
  return ['create table acceptance_tests (run text not null primary key, tests text not null)']
}

/** Acceptance tests belong to a Run, or to the machine of a story's tests. */
function ownAcceptance(): readonly string[] {
  return ['alter table acceptance_tests rename column run to owner']
}

async function executeAll(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** The roles of editors in rows; roles in lanes change when they are read (`upcast-machine.ts`). */
function renameEditors(): readonly string[] {
  return ['model_calls', 'tool_executions'].flatMap((table) => [
    `update ${table} set agent = 'editor_planning' where agent in ('planner', 'crew_planner')`,
    `update ${table} set agent = 'editor_coding' where agent in ('coder', 'crew_coder')`,
  ])
}
