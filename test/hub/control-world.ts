import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { createWorkerGit, type WorkerGit } from '../../src/adapters/git/worker/worker-git.ts'
import { emptyRecords } from '../../src/adapters/store/empty-records.ts'
import type { StateReader } from '../../src/ports/store.ts'
import { makeReadyWorld } from '../adapters/git/git-world.ts'
import { type BareHub, serveBareHub } from '../server/bare-hub.ts'

/** What git has ended with. */
export interface Said {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface ControlWorld extends Awaited<ReturnType<typeof makeReadyWorld>> {
  readonly hub: BareHub
  /** Of the control repository. */
  readonly url: string
  /** The hub's mirror. */
  readonly mirror: string
  /** Says which host holds which stories from now on. */
  hold(host: string, ...stories: string[]): void
  /** Runs git as somebody with a token; `host` as a worker does. */
  gitAs(token: string, args: readonly string[], host?: string): Promise<Said>
  /** Git of a worker with a state of its own; its token is named like its host. */
  worker(host: string): Promise<WorkerGit & { readonly state: string }>
  /** The commit of a ref of the mirror; empty without one. */
  at(ref: string): string
}

/** A hub that serves the mirror of a ready world. It ends with the test. */
export async function controlWorld(files?: Readonly<Record<string, string>>): Promise<ControlWorld> {
  const world = await makeReadyWorld(files)
  onTestFinished(() => world.close())
  const held = new Map<string, readonly string[]>()
  const hub = await serveBareHub({ control: world.control, openRecords: () => recordsOf(held) })
  const mirror = `${world.state}/mirror.git`
  return {
    ...{ ...world, hub, mirror, url: `${hub.url}/git` },
    hold: (host, ...stories) => void held.set(host, stories),
    gitAs(token, args, host) {
      const headers = [`Authorization: Bearer ${token}`, ...(host === undefined ? [] : [`Drydock-Host: ${host}`])]
      const settings = headers.flatMap((header) => ['-c', `http.extraHeader=${header}`])
      return run([...settings, ...args], world.environment, world.repository)
    },
    async worker(host) {
      const state = join(world.top, host)
      const token = await hub.token(host, 'worker')
      const control = { url: `${hub.url}/git`, token, host }
      const closing = new AbortController()
      onTestFinished(() => closing.abort(new Error('the test is over')))
      return { ...createWorkerGit({ control, state, environment: world.environment, closing: closing.signal }), state }
    },
    at: (ref) => world.gitIn(mirror, 'for-each-ref', '--format=%(objectname)', ref),
  }
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<Said> {
  const child = spawn('git', [...args], { cwd, env: { ...env, GIT_TERMINAL_PROMPT: '0' } })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, out, err }
}

/** Rows of slots and stories, one slot for each story. */
function recordsOf(held: ReadonlyMap<string, readonly string[]>): StateReader {
  const all = () => [...held].flatMap(([host, stories]) => stories.map((story) => ({ host, story })))
  const machines = async ({ kind }: { readonly kind: string }) =>
    all().map(({ host, story }) =>
      kind === 'slot'
        ? { id: `slot/${host} ${story}`, kind, data: { name: `${host} ${story}`, host } }
        : { id: story, kind, data: { slot: `${host} ${story}` } },
    )
  return { ...emptyRecords, machines: machines as never }
}
