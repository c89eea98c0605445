import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type WorkerList, workerListSchema } from '../../src/api/workers.ts'
import { createDatabase } from '../postgres/server.ts'
import { createCrewFixture, type Lanes } from '../scenarios/world/crew.ts'
import type { Fixture, FixtureOptions } from '../scenarios/world/fixture.ts'
import { launch, type Running } from '../scenarios/world/process.ts'
import { type Answer, ask, followStream } from '../server/browser.ts'

export interface Worker extends Running {
  /** The name of its host, as the rows have it. */
  readonly host: string
  /** Its own state root. */
  readonly root: string
  /** The folder of its state, below that. */
  readonly state: string
}

export interface WorkerWorld {
  readonly fixture: Fixture
  readonly database: string
  readonly port: number
  readonly hub: Running
  readonly stream: Awaited<ReturnType<typeof followStream>>
  /** Starts a worker with a state root and a token of its own, and waits until it works. */
  worker(name: string, ...more: readonly string[]): Promise<Worker>
  /** Starts one that may not come to work. */
  tryWorker(name: string, env?: Readonly<Record<string, string>>, ...more: readonly string[]): Promise<Running>
  /** Hands a spec in, and returns the id of its run. */
  build(title?: string): Promise<string>
  /** The status of what an operator asks for. */
  post(path: string, body?: object): Promise<number>
  /** What an operator reads. */
  get(path: string): Promise<unknown>
  ask(path: string): Promise<Answer>
  /** With a token of a worker. */
  asWorker(path: string): Promise<Answer>
  workers(): Promise<WorkerList>
  /** The hidden refs of the hub, `<sha> <ref>` each, in the order of their names. */
  refs(): readonly string[]
  /** Git in the hub's mirror. */
  inMirror(...args: readonly string[]): string
}

/** A hub on PostgreSQL that leaves all stories to its workers. It ends with the test. */
export async function workerWorld(
  lanes: Lanes,
  { coders = 0, ...options }: FixtureOptions & { readonly coders?: number } = {},
): Promise<WorkerWorld> {
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  const fixture = await createCrewFixture({ ...options, env: { DRYDOCK_DATABASE_URL: database.url } })
  onTestFinished(() => fixture.remove())
  const model = await fixture.replay(lanes)
  const tokenFor = async (name: string, role: string) =>
    (await fixture.drydock('hub', 'token', 'add', name, '--role', role)).stdout.trim()
  const ada = await tokenFor('ada', 'operator')
  const hub = launch(['hub', '--listen', '127.0.0.1:0', '--coders', `${coders}`, '--model', model, '--repo', fixture.repo], {
    env: fixture.env,
  })
  const port = Number(new URL(await hub.line(/^https?:\/\/\S+$/)).port)
  const headers = { Authorization: `Bearer ${ada}`, 'Content-Type': 'application/json' }
  const stream = await followStream(port, '/api/events?after=0', headers)
  const post = async (path: string, body: object = {}) =>
    ask(port, path, { method: 'POST', headers, body: JSON.stringify(body) })
  const tryWorker: WorkerWorld['tryWorker'] = async (name, env = {}, ...more) => {
    const token = env.DRYDOCK_HUB_TOKEN ?? (await tokenFor(name, 'worker'))
    const root = join(fixture.folder, `root-${name}`)
    const own = { DRYDOCK_HOME: root, DRYDOCK_HUB_TOKEN: token, ...env }
    return launch(['worker', '--hub', `http://127.0.0.1:${port}`, '--name', name, '--json', ...more], {
      env: { ...fixture.env, ...own },
      cwd: fixture.folder,
    })
  }
  const { state } = await fixture.open()
  const inMirror = (...args: readonly string[]) =>
    execFileSync('git', ['-C', join(state, 'mirror.git'), ...args], { encoding: 'utf8' }).trim()
  return {
    ...{ fixture, database: database.url, port, hub, stream, tryWorker },
    async worker(name, ...more) {
      const running = await tryWorker(name, {}, ...more)
      const { host } = JSON.parse(await running.line(/"type":"worker"/))
      const root = join(fixture.folder, `root-${name}`)
      const [state = ''] = await readdir(join(root, 'workers'))
      return { ...running, host, root, state: join(root, 'workers', state) }
    },
    async build(title = 'Make the files') {
      const { status, body } = await post('/api/runs', { spec: `# ${title}` })
      if (status !== 202) throw new Error(`${status} ${body}`)
      return JSON.parse(body).run
    },
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

/** What a machine loses that burns down. */
export async function burn({ child, ended, root }: Worker): Promise<void> {
  child.kill('SIGKILL')
  await ended
  await rm(root, { recursive: true, force: true, maxRetries: 5 })
}

/** The address of a server that answers everything with this. */
export async function answerAs(body: object, status = 200): Promise<string> {
  const server = createServer((_, answer) => {
    answer.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
