import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type WorkerList, workerListSchema } from '../../src/api/workers.ts'
import { createDatabase, type PostgresServer } from '../postgres/server.ts'
import { createCrewFixture, greenStory, type Lanes, specLanes, submit, writeFile } from '../scenarios/world/crew.ts'
import { call, type Fixture, type FixtureOptions } from '../scenarios/world/fixture.ts'
import { findGate, launch, type Running } from '../scenarios/world/process.ts'
import { type Answer, ask, followStream } from '../server/browser.ts'

export interface Worker extends Running {
  /** The host's name in the rows. */
  readonly host: string
  readonly token: string
  /** State root of the worker. */
  readonly root: string
  /** The folder of its state, below that root. */
  readonly state: string
}

export interface WorkerWorld {
  readonly fixture: Fixture
  readonly database: string
  readonly port: number
  /** Token of an operator. */
  readonly token: string
  readonly hub: Running
  readonly stream: Awaited<ReturnType<typeof followStream>>
  /** Starts the hub again at its address, and follows its events from the first one. */
  again(coders: number): Promise<Pick<WorkerWorld, 'hub' | 'stream'>>
  /** Starts a hub there that may fail to serve. */
  tryHub(...more: readonly string[]): Running
  /** Starts hubs and workers with another program from now on; null for that of this checkout. */
  use(program: string | null): void
  /** Starts a worker with its own state root and token, and waits until it works. */
  worker(name: string, ...more: readonly string[]): Promise<Worker>
  /** Starts a worker that may fail. */
  tryWorker(name: string, env?: Readonly<Record<string, string>>, ...more: readonly string[]): Promise<Running>
  /** The results of `drydock doctor` on a future worker's machine, by the name of the check. */
  forHub(env?: Readonly<Record<string, string>>): Promise<Readonly<Record<string, unknown>>>
  /** Submits a spec, and returns the id of its run. */
  build(title?: string): Promise<string>
  /** Submits a task, and returns the id of its run. */
  task(text: string): Promise<string>
  /** The status of an operator's request. */
  post(path: string, body?: object): Promise<number>
  get(path: string): Promise<unknown>
  ask(path: string): Promise<Answer>
  /** Reads with a worker's token. */
  asWorker(path: string): Promise<Answer>
  workers(): Promise<WorkerList>
  /** The hidden refs of the hub, `<sha> <ref>` each, sorted by name. */
  refs(): readonly string[]
  inMirror(...args: readonly string[]): string
}

interface WorkerWorldOptions extends FixtureOptions {
  readonly coders?: number
  /** The test's own PostgreSQL server, which may be stopped. */
  readonly at?: PostgresServer
  /** Another model than a recording of the lanes. */
  readonly model?: (fixture: Fixture) => Promise<string>
}

/**
 * A hub on PostgreSQL that leaves all stories to its workers. The hub ends with the test. `prepare`
 * is called before the hub starts.
 */
export async function workerWorld(
  lanes: Lanes,
  { coders = 0, env = {}, at, model: other, ...options }: WorkerWorldOptions = {},
  prepare: (fixture: Fixture) => Promise<void> = async () => {},
): Promise<WorkerWorld> {
  const database = await createDatabase(at)
  if (at === undefined) onTestFinished(() => database.drop())
  const fixture = await createCrewFixture({ ...options, env: { ...env, DRYDOCK_DATABASE_URL: database.url } })
  onTestFinished(() => fixture.remove())
  await prepare(fixture)
  const model = (await other?.(fixture)) ?? (await fixture.replay(lanes))
  const tokenFor = async (name: string, role: string) =>
    (await fixture.drydock('hub', 'token', 'add', name, '--role', role)).stdout.trim()
  const ada = await tokenFor('ada', 'operator')
  let using: { readonly program?: string } = {}
  const hubAt = (address: string, atOnce: number, more: readonly string[] = []) =>
    launch(['hub', '--listen', address, '--coders', `${atOnce}`, '--model', model, '--repo', fixture.repo, ...more], {
      env: fixture.env,
      ...using,
    })
  const serving = /^https?:\/\/\S+$/
  const hub = hubAt('127.0.0.1:0', coders)
  const port = Number(new URL(await hub.line(serving)).port)
  const headers = { Authorization: `Bearer ${ada}`, 'Content-Type': 'application/json' }
  const follow = () => followStream(port, '/api/events?after=0', headers)
  const stream = await follow()
  const post = async (path: string, body: object = {}) =>
    ask(port, path, { method: 'POST', headers, body: JSON.stringify(body) })
  const start = async (path: string, body: object): Promise<string> => {
    const answer = await post(path, body)
    if (answer.status !== 202) throw new Error(`${answer.status} ${answer.body}`)
    return JSON.parse(answer.body).run
  }
  const tryWorker: WorkerWorld['tryWorker'] = async (name, env = {}, ...more) => {
    const token = env.DRYDOCK_HUB_TOKEN ?? (await tokenFor(name, 'worker'))
    const root = join(fixture.folder, `root-${name}`)
    const own = { DRYDOCK_HOME: root, DRYDOCK_HUB_TOKEN: token, ...env }
    return launch(['worker', '--hub', `http://127.0.0.1:${port}`, '--name', name, '--json', ...more], {
      env: { ...fixture.env, ...own },
      cwd: fixture.folder,
      ...using,
    })
  }
  const { state } = await fixture.open()
  const inMirror = (...args: readonly string[]) =>
    execFileSync('git', ['-C', join(state, 'mirror.git'), ...args], { encoding: 'utf8' }).trim()
  return {
    fixture,
    database: database.url,
    port,
    token: ada,
    hub,
    stream,
    tryWorker,
    async again(atOnce) {
      const next = hubAt(`127.0.0.1:${port}`, atOnce)
      await next.line(serving)
      return { hub: next, stream: await follow() }
    },
    async forHub(env = {}) {
      const own = { DRYDOCK_HUB_TOKEN: await tokenFor(`asks-${Math.random().toString(36).slice(2)}`, 'worker'), ...env }
      const args = ['doctor', '--for-hub', `http://127.0.0.1:${port}`, '--json']
      const { events } = await launch(args, { env: { ...fixture.env, ...own }, cwd: fixture.folder }).ended
      return Object.fromEntries(events.flatMap((each) => (each.type === 'check' ? [[each.name, each]] : [])))
    },
    tryHub: (...more) => hubAt(`127.0.0.1:${port}`, coders, more),
    use(program) {
      using = program === null ? {} : { program }
    },
    async worker(name, ...more) {
      const token = await tokenFor(name, 'worker')
      const running = await tryWorker(name, { DRYDOCK_HUB_TOKEN: token }, ...more)
      const { host } = JSON.parse(await running.line(/"type":"worker"/))
      const root = join(fixture.folder, `root-${name}`)
      const [state = ''] = await readdir(join(root, 'workers'))
      return { ...running, host, token, root, state: join(root, 'workers', state) }
    },
    build: (title = 'Make the files') => start('/api/runs', { spec: `# ${title}` }),
    task: (text) => start('/api/tasks', { task: text }),
    post: async (path, body) => (await post(path, body)).status,
    get: async (path) => JSON.parse((await ask(port, path, { headers })).body),
    ask: (path) => ask(port, path, { headers }),
    async asWorker(path) {
      const token = await tokenFor(`asking-${Math.random().toString(36).slice(2)}`, 'worker')
      return ask(port, path, { headers: { Authorization: `Bearer ${token}` } })
    },
    workers: async () => workerListSchema.parse(JSON.parse((await ask(port, '/api/workers', { headers })).body)),
    refs: () => inMirror('for-each-ref', '--format=%(objectname) %(refname)', 'refs/drydock/').split('\n'),
    inMirror,
  }
}

/** Simulates a machine that burns down. */
export async function burn({ child, ended, root }: Worker): Promise<void> {
  child.kill('SIGKILL')
  await ended
  await rm(root, { recursive: true, force: true, maxRetries: 5 })
}

/** The address of a server that gives every request this answer. */
export async function answerAs(body: object, status = 200): Promise<string> {
  const server = createServer((_, answer) => {
    answer.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A command that writes a file, and ends when the test opens the gate. */
const atGate = call('run_command', { command: 'echo late > late.txt && mkfifo gate && cat gate && rm gate' })

const waitingTurns = [
  writeFile('alpha.txt', 'half\n'),
  call('get_diff', {}),
  writeFile('kept.txt', 'kept\n'),
  atGate,
  writeFile('alpha.txt', 'alpha\n'),
  submit('alpha'),
]

/** One story, whose editor waits at a gate after it has written a file and looked at its diff. */
export const waitingLanes: Lanes = {
  ...specLanes('alpha'),
  ...greenStory('alpha'),
  'editor/alpha/CODING': waitingTurns,
}

/** The same story with a second gate before its editor hands in the change. */
export const twiceWaitingLanes: Lanes = {
  ...waitingLanes,
  'editor/alpha/CODING': [...waitingTurns.slice(0, -1), atGate, submit('alpha')],
}

/** The same story with a second submission after the first one was refused. */
export const insistingLanes: Lanes = {
  ...waitingLanes,
  'editor/alpha/CODING': [...waitingTurns, writeFile('alpha.txt', 'alpha\n'), submit('alpha')],
}

export async function resultOf({ stream }: Pick<WorkerWorld, 'stream'>, run: string) {
  const event = await stream.until((each) => each.type === 'result' && each.run === run)
  return event.data as { readonly status: string }
}

/** The gate of the only story, whose slot is on this worker. */
export async function reachGate(worker: Worker) {
  const slot = `${worker.host.split('/')[0]}-001`
  return findGate(join(worker.state, 'workspaces', slot))
}
