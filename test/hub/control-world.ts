import { execFileSync, spawn } from 'node:child_process'
import { createCipheriv } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, vi } from 'vitest'
import { createWorkerGit, type WorkerGit } from '../../src/adapters/git/worker/worker-git.ts'
import { emptyRecords } from '../../src/adapters/store/empty-records.ts'
import type { GitConversation } from '../../src/domain/hub/ref-rights.ts'
import type { ControlRepository } from '../../src/ports/hub/control-repository.ts'
import type { StateReader } from '../../src/ports/store.ts'
import type { ServedHub } from '../../src/server/http/hub/serve-hub.ts'
import { type makeReadyWorld, makeWorld, readyIn } from '../adapters/git/git-world.ts'
import { type BareHub, serveBareHub } from '../server/bare-hub.ts'

/** The result of a git process. */
export interface GitResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

interface Worker extends WorkerGit {
  readonly state: string
  readonly token: string
}

export interface ControlWorld extends Awaited<ReturnType<typeof makeReadyWorld>> {
  readonly hub: BareHub
  readonly url: string
  readonly mirror: string
  /** Sets the stories that a host holds from now on. */
  hold(host: string, ...stories: string[]): void
  /** Runs git with a token; `host` makes it a worker's git. */
  gitAs(token: string, args: readonly string[], host?: string): Promise<GitResult>
  /** A new commit without a branch, on top of the last one, which the hub does not have. */
  fresh(): string
  /** A commit on the tip, apart from all others. */
  apart(): string
  /** Runs git in the repository with bytes on stdin. */
  raw(args: readonly string[], input: Buffer): string
  write(path: string, content: Buffer): void
  /** Bytes that cannot be compressed, always the same. */
  noise(bytes: number): Buffer
  /** Resolves once this many git programs work on the mirror. */
  running(program: string, count: number): Promise<void>
  /** Git of a worker with its own state; its token has the name of the host's first part. */
  worker(host: string, more?: { readonly url?: string; readonly path?: string; readonly ca?: string }): Promise<Worker>
  /** The purpose of each git request. */
  readonly asked: readonly GitConversation[]
  /** The commit of a ref in the mirror; empty without one. */
  at(ref: string): string
}

/** A hub that serves the mirror of a ready world. The hub ends with the test. */
export async function controlWorld(
  files?: Readonly<Record<string, string>>,
  init?: string[],
  more: Partial<ServedHub> = {},
): Promise<ControlWorld> {
  const world = await readyIn(makeWorld(files, init))
  onTestFinished(() => world.close())
  const held = new Map<string, readonly string[]>()
  const asked: GitConversation[] = []
  const answer: ControlRepository['answer'] = (request, ...given) => {
    asked.push(request.conversation)
    return world.control.answer(request, ...given)
  }
  const hub = await serveBareHub({ control: { answer }, openRecords: () => recordsOf(held), ...more })
  const tokens = new Map<string, Promise<string>>()
  const mirror = `${world.state}/mirror.git`
  let [made, last] = [0, world.tip]
  const commit = (parent: string) => {
    made += 1
    return world.git('commit-tree', `${parent}^{tree}`, '-p', parent, '-m', `commit ${made}`)
  }
  return {
    ...world,
    hub,
    mirror,
    asked,
    url: `${hub.url}/git`,
    hold: (host, ...stories) => void held.set(host, stories),
    gitAs(token, args, host) {
      const headers = [`Authorization: Bearer ${token}`, ...(host === undefined ? [] : [`Drydock-Host: ${host}`])]
      const settings = headers.flatMap((header) => ['-c', `http.extraHeader=${header}`])
      return run([...settings, ...args], world.environment, world.repository)
    },
    fresh() {
      last = commit(last)
      return last
    },
    apart: () => commit(world.tip),
    raw: (args, input) =>
      execFileSync('git', [...args], { cwd: world.repository, env: world.environment, input })
        .toString()
        .trim(),
    write: (path, content) => writeFileSync(join(world.repository, path), content),
    noise: (bytes) => createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(bytes)),
    running: (program, count) => running(mirror, program, count),
    async worker(host, { url = `${hub.url}/git`, path, ca } = {}) {
      const state = join(world.top, 'workers', host)
      const [name = ''] = host.split('/')
      tokens.set(name, tokens.get(name) ?? hub.token(name, 'worker'))
      const token = (await tokens.get(name)) ?? ''
      const closing = new AbortController()
      onTestFinished(() => closing.abort(new Error('the test is over')))
      const given = { ...(path !== undefined && { PATH: path }), ...(ca !== undefined && { GIT_SSL_CAINFO: ca }) }
      const environment = { ...world.environment, ...given }
      const options = { control: { urls: () => [url], token, host }, state, environment, closing: closing.signal }
      return { ...createWorkerGit(options), state, token }
    },
    at: (ref) => world.gitIn(mirror, 'for-each-ref', '--format=%(objectname)', ref),
  }
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<GitResult> {
  const child = spawn('git', [...args], { cwd, env: { ...env, GIT_TERMINAL_PROMPT: '0' } })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, out, err }
}

/** Resolves once this many git programs work on a mirror. */
export async function running(mirror: string, program: string, count: number): Promise<void> {
  const programs = () => programsOf(mirror).filter((line) => line.includes(program))
  await vi.waitFor(() => expect(programs()).toHaveLength(count), { timeout: 60_000, interval: 20 })
}

/** Command lines with the folder as their last argument. */
function programsOf(folder: string): readonly string[] {
  const lines = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      } catch {
        return ''
      }
    })
  return lines.filter((line) => line.endsWith(`\0${folder}\0`))
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
