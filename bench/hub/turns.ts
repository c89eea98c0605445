import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type PostgresServer, psql } from '../../test/postgres/server.ts'
import { statementsOf } from '../../test/postgres/statements.ts'
import type { Fixture } from '../../test/scenarios/world/fixture.ts'
import { anthropicModel, type Environment, environmentOf, startDrydock, taskArguments } from '../drydock-process.ts'
import { type ModelProcess, type ServerRequest, startModel } from '../model-process.ts'
import { createRepository } from '../repository.ts'
import { median } from '../statistics.ts'
import { commands, reads, task } from '../turns.ts'

const bin = fileURLToPath(new URL('../../bin/drydock', import.meta.url))

/** The median milliseconds of a turn at one place. */
export interface TurnsAt {
  readonly place: string
  readonly read: number
  readonly command: number
  /** Statements in a turn, by all processes; null without a server. */
  readonly statements: number | null
}

/** A place where a task of 30 turns runs: `run` returns when the task has ended. */
interface Place {
  readonly name: string
  readonly hasServer: boolean
  run(): Promise<void>
  close(): Promise<void>
}

/**
 * Repeats the same task in turn with a file, on PostgreSQL, and on a worker with its hub. A turn
 * lasts from one request to the next, with a model that answers at once.
 */
export async function measureTurnsOfWorkers(server: PostgresServer, rounds: number): Promise<readonly TurnsAt[]> {
  const model = await startModel()
  const opened: Place[] = []
  try {
    for (const open of [inFile, onServer, onWorker]) opened.push(await open(model, server))
    const taken = new Map<string, ServerRequest[][]>(opened.map(({ name }) => [name, []]))
    for (let round = 0; round <= rounds; round += 1) {
      for (const { name, run } of opened) {
        await model.play(task)
        await run()
        const requests = await model.taken()
        if (requests.length !== task.length) throw new Error(`${name}: ${requests.length} requests`)
        // The first task at each place compiles and probes for the later ones.
        if (round > 0) taken.get(name)?.push([...requests])
      }
    }
    const all: TurnsAt[] = []
    for (const place of opened) {
      const requests = taken.get(place.name) ?? []
      all.push({
        place: place.name,
        read: median(requests.flatMap((of) => turnsOf(of, 1, reads.length))),
        command: median(requests.flatMap((of) => turnsOf(of, 1 + reads.length, commands.length))),
        statements: place.hasServer ? await statementsOfTurn(server, model, place) : null,
      })
    }
    return all
  } finally {
    for (const { close } of opened) await close()
    await model.close()
  }
}

/**
 * Subtracts a short task from a long one, since the start and the end that both share are not
 * turns.
 */
async function statementsOfTurn(server: PostgresServer, model: ModelProcess, { run }: Place): Promise<number> {
  const short = [...task.slice(0, 2), ...task.slice(-2)]
  const counted: number[] = []
  for (const turns of [short, task]) {
    await model.play(turns)
    counted.push(await statementsOf(server, run))
  }
  const [few = 0, many = 0] = counted
  return (many - few) / (task.length - short.length)
}

function turnsOf(requests: readonly ServerRequest[], first: number, count: number): readonly number[] {
  return requests.slice(first, first + count).map(({ at }, i) => (requests[first + i + 1]?.at ?? Number.NaN) - at)
}

async function inFile(model: ModelProcess): Promise<Place> {
  const fixture = await createRepository(100)
  return { ...onOneMachine('one machine, SQLite', fixture, environmentOf(fixture, model.origin)), hasServer: false }
}

async function onServer(model: ModelProcess, server: PostgresServer): Promise<Place> {
  const fixture = await createRepository(100)
  const env = { ...environmentOf(fixture, model.origin), DRYDOCK_DATABASE_URL: makeDatabase(server, 'one') }
  return onOneMachine('one machine, PostgreSQL', fixture, env)
}

function onOneMachine(name: string, fixture: Fixture, env: Environment): Place {
  const run = async () => void (await startDrydock(taskArguments(fixture), env).done)
  return { name, hasServer: true, run, close: () => fixture.remove() }
}

async function onWorker(model: ModelProcess, server: PostgresServer): Promise<Place> {
  const fixture = await createRepository(100)
  const env = { ...environmentOf(fixture, model.origin), DRYDOCK_DATABASE_URL: makeDatabase(server, 'shared') }
  const ada = await addToken(fixture, env, 'ada', 'operator')
  const big = await addToken(fixture, env, 'big', 'worker')
  const atHub = ['--listen', '127.0.0.1:0', '--coders', '0', '--repo', fixture.repo, '--model', anthropicModel]
  const hub = await start(['hub', ...atHub], { env, cwd: fixture.folder, said: /^(https?:\/\/\S+)$/ })
  const own = { ...env, DRYDOCK_HOME: join(fixture.folder, 'worker'), DRYDOCK_HUB_TOKEN: big }
  const atWorker = ['--hub', hub.answer, '--name', 'big', '--json', '--coders', '1']
  const worker = await start(['worker', ...atWorker], { env: own, cwd: fixture.folder, said: /("type":"worker")/ })
  const headers = { Authorization: `Bearer ${ada}`, 'Content-Type': 'application/json' }
  return {
    name: 'worker and hub, PostgreSQL',
    hasServer: true,
    async run() {
      const body = JSON.stringify({ task: 'say new' })
      const answer = await fetch(`${hub.answer}/api/tasks`, { method: 'POST', headers, body })
      if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`)
      const { run } = (await answer.json()) as { readonly run: string }
      await untilEnded(`${hub.answer}/api/events?after=0`, run, headers)
    },
    async close() {
      await worker.end()
      await hub.end()
      await fixture.remove()
    },
  }
}

/** Reads the stream of events until a Run has ended. */
async function untilEnded(url: string, run: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const leaving = new AbortController()
  const { body } = await fetch(url, { headers, signal: leaving.signal })
  let text = ''
  for await (const part of body ?? []) {
    text += Buffer.from(part).toString()
    const ends = text.split('\n').filter((line) => line.includes(`"${run}"`) && line.includes('"result"'))
    if (ends.length > 0) break
  }
  leaving.abort()
}

async function addToken(fixture: Fixture, env: Environment, name: string, role: string): Promise<string> {
  const args = ['hub', 'token', 'add', name, '--role', role, '--repo', fixture.repo]
  const child = spawn(bin, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  await once(child, 'close')
  return said.trim()
}

interface Starting {
  readonly env: Environment
  readonly cwd: string
  readonly said: RegExp
}

/** Starts a long-running process; returns it and the part of its output that `said` matches. */
async function start(args: readonly string[], { env, cwd, said }: Starting) {
  const child: ChildProcess = spawn(bin, args, { env, cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  const answer = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const [, found] = said.exec(line) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`drydock ${args[0]} ended with ${code}`)))
  })
  return {
    answer,
    async end() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'close')
    },
  }
}

function makeDatabase(server: PostgresServer, name: string): string {
  psql(server, `create database turns_${name}`)
  return server.url(`turns_${name}`)
}
