/**
 * The smallest possible turn that keeps Drydock's promises: the bare loop, which stores each reply
 * before its calls run, and each result before the next request, together with the reservation of
 * that request, and which runs calls in a sandbox. A turn has two commits, each synced to disk, and
 * one request to the sandbox. Nothing is checked, redacted, shown, or read again. Arguments: the
 * model's origin, the folder, the file of the rows.
 */
import { DatabaseSync } from 'node:sqlite'
import { createBubblewrap } from '../src/adapters/sandbox/bubblewrap.ts'
import { agentSpec } from '../src/workflow/lane/sandboxes.ts'
import { type ModelCall, runLoop } from './loop.ts'

const [origin = '', folder = '', file = ''] = process.argv.slice(2)
const signal = new AbortController().signal
const sandbox = createBubblewrap({ hostPath: process.env.PATH ?? '' })
const opened = await sandbox.open(agentSpec({ folder, access: 'write', readOnlyPaths: [] }), signal)
if (!opened.ok) throw new Error(JSON.stringify(opened.error))
const session = opened.value

/** About as long as a coder lane's data, which is mostly its system prompt. */
const lane = 'a rule of the system prompt. '.repeat(220)
const rows = new DatabaseSync(file)
rows.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table machines (id integer primary key, version integer, data text);
  create table jobs (id integer primary key, machine integer, version integer);
  create table messages (id integer primary key, message text);
  create table model_calls (id integer primary key, usage text);
  create table reservations (id integer primary key, tokens integer);
  create table tool_executions (id integer primary key, call text unique, arguments text, result text);
  create table events (id integer primary key, data text);
  insert into machines values (1, 0, '');
  insert into jobs values (null, 1, 0);
  insert into reservations values (null, 1);`)
const begin = rows.prepare('begin immediate')
const commit = rows.prepare('commit')
const endJob = rows.prepare('delete from jobs')
const addJob = rows.prepare('insert into jobs (machine, version) select id, version from machines')
const move = rows.prepare('update machines set version = version + 1, data = ? where id = 1')
const say = rows.prepare('insert into messages (message) values (?)')
const noteCall = rows.prepare('insert into model_calls (usage) values (?)')
const settle = rows.prepare('delete from reservations')
const reserve = rows.prepare('insert into reservations (tokens) values (?)')
const started = rows.prepare('insert into tool_executions (call, arguments) values (?, ?)')
const finished = rows.prepare(
  'insert into tool_executions (call, arguments, result) values (?, ?, ?) on conflict (call) do update set result = excluded.result',
)
const log = rows.prepare('insert into events (data) values (?)')

/** Commits one step: its job, the lane with its data, and the messages. */
function step(known: object, message: object, more: () => void): void {
  begin.run()
  endJob.run()
  move.run(JSON.stringify({ lane, ...known }))
  addJob.run()
  say.run(JSON.stringify(message))
  more()
  commit.run()
}

async function answer({ name, input }: ModelCall): Promise<string> {
  if (name === 'read_file') {
    const read = await session.request({ op: 'read', path: input.path, maxBytes: 1_048_576 }, signal)
    if (read.ok) return Buffer.from(read.value.base64, 'base64').toString()
    throw new Error(read.message)
  }
  const { command } = input
  const ran = await session.request({ op: 'run', command, timeoutMs: 60_000, maxBytes: 65_536 }, signal)
  if (ran.ok) return ran.value.output
  throw new Error(ran.message)
}

await runLoop({
  origin,
  answer,
  keep: {
    reply: ({ message, calls }) =>
      step({ calls }, message, () => {
        settle.run()
        noteCall.run('{"input":1,"output":1}')
        log.run('{"type":"model_call"}')
        // A call that only reads can simply be repeated.
        for (const { id = '', name, input } of calls) if (name !== 'read_file') started.run(id, JSON.stringify(input))
      }),
    results: ({ calls }, message) =>
      step({ calls: [] }, message, () => {
        const result = JSON.stringify(message)
        for (const { id = '', input } of calls) finished.run(id, JSON.stringify(input), result)
        log.run('{"type":"tool"}')
        reserve.run(20_000)
      }),
  },
})
await session.close()
rows.close()
