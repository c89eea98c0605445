import { onTestFinished } from 'vitest'
import { createForge } from '../../src/adapters/forge/create-forge.ts'
import { landAsChange } from '../../src/app/commands/land/land-as-change.ts'
import { readLandable } from '../../src/app/commands/land/landable.ts'
import { watchForge } from '../../src/app/forge/watch-forge.ts'
import { createBell } from '../../src/app/wait/bell.ts'
import { workOnAll } from '../../src/app/wait/work-on-all.ts'
import { chooseForge } from '../../src/config/forge/choose-forge.ts'
import { DrydockError, errorCatalogue } from '../../src/domain/drydock-error.ts'
import { limits } from '../../src/domain/limits.ts'
import type { Remotes } from '../../src/ports/remotes.ts'
import type { ForgeCalls } from '../../src/ports/store.ts'
import { localToken, project } from '../forge/forge-model.ts'
import { type ForgeServer, type LocalKind, startForgeServer } from '../forge/local-forge.ts'
import { type People, peopleAt } from '../forge/watch-world.ts'
import type { Lanes } from '../scenarios/world/crew.ts'
import { greenLanes } from '../scenarios/world/fixture.ts'
import { configureUser } from '../scenarios/world/hook.ts'
import type { Machine } from './drydock.ts'
import { createMemoryFixture, type MemoryFixture } from './fixture.ts'
import { type Repository, revision } from './git.ts'
import { textOf } from './objects.ts'

interface ForgeWatch {
  readonly exitCode: number
  readonly events: readonly { readonly type: string; readonly [key: string]: unknown }[]
  readonly stdout: string
  readonly stderr: string
}

export interface MemoryWatchWorld extends People {
  readonly fixture: MemoryFixture
  readonly forge: ForgeServer
  readonly model: string
  /**
   * Does the work of `drydock forge watch --once`: until all work rests and every message was sent.
   */
  watch(): Promise<ForgeWatch>
  /** Only polls, without working on Runs. */
  poll(): Promise<ForgeWatch>
  /** Does the work of `drydock land --pr` with the last run. */
  land(): Promise<void>
  /** Watches until it is stopped, and reports each event at once. */
  follow(intervalSec: number): {
    until(what: string): Promise<object>
    stop(): Promise<ForgeWatch>
  }
}

interface Options extends NonNullable<Parameters<typeof createMemoryFixture>[0]> {
  readonly lanes?: Lanes
}

/** A repository in memory whose `origin` is a forge of this kind, and a model with these lanes. */
export async function createMemoryWatchWorld(
  kind: LocalKind = 'github',
  { lanes = greenLanes, ...options }: Options = {},
): Promise<MemoryWatchWorld> {
  let there: Repository | null = null
  let isWatched = false
  const remote = () => {
    if (there === null) throw new Error('the forge has no repository yet')
    return there
  }
  const forge = await startForgeServer(kind, {
    commitOf: async (branch) => remote().branches.get(branch) ?? null,
    git: async (...args) => gitThere(remote(), args),
  })
  const fixture = await createMemoryFixture({
    ...options,
    env: { LOCAL_FORGE_SECRET: localToken },
    extend: ({ user, env, remotes, openRecords }) => ({
      remotes: { ...remotes, ...remotesTo(remote(), `${forge.url}/${project.path}.git`) },
      openForge: async (url, name) => createForge(chooseForge({ user, env, url, name })),
      // The records of a process in memory are its whole store.
      openForgeCalls: async () => callsIn(openRecords() as Machine['store']),
      async lockForgeWatch() {
        if (isWatched) return null
        isWatched = true
        return {
          release() {
            isWatched = false
          },
        }
      },
    }),
  })
  onTestFinished(() => fixture.remove())
  const { repository } = fixture.machine
  there = {
    ...repository,
    branches: new Map(repository.branches),
    notes: new Map(),
    head: { branch: 'main' },
    work: new Map(),
  }
  await configureUser(fixture, { forges: { local: { kind, url: forge.url, token_env: 'LOCAL_FORGE_SECRET' } } })
  const model = await fixture.replay(lanes)
  const { receipts } = fixture.machine
  async function begin(ends: 'never' | 'after_poll' | 'at_rest', interval?: number, heard = (_: object) => {}) {
    const { process, drydock } = await fixture.begin()
    const events: ForgeWatch['events'][number][] = []
    const bell = createBell({ settleMs: limits.forge.settleMs })
    const stop = new AbortController()
    const given = { receipts, remote: 'origin', name: null, label: undefined, interval, options: { model }, bell }
    const say = (event: object) => {
      events.push({ type: 'forge', ...event })
      heard(event)
    }
    const working = workOnAll(drydock, {
      coders: 2,
      own: ends === 'at_rest',
      onNote: () => {},
      onChange: bell.ring,
      stop: stop.signal,
    }).finally(() => stop.abort())
    const watching = watchForge(drydock, {
      ...given,
      say,
      ends,
      stop: stop.signal,
      listen: async () => null,
    }).finally(() => stop.abort())
    async function ended(): Promise<ForgeWatch> {
      const [first] = (await Promise.allSettled([working, watching])).filter(({ status }) => status === 'rejected')
      process.exit(0)
      const error: unknown = first?.status === 'rejected' ? first.reason : null
      if (error !== null && !(error instanceof DrydockError)) throw error
      if (error !== null) events.push({ type: 'error', code: error.code, message: error.message })
      const stdout = events.map((event) => JSON.stringify(event)).join('\n')
      return {
        exitCode: error === null ? 0 : errorCatalogue[error.code].exit,
        events,
        stdout,
        stderr: error?.message ?? '',
      }
    }
    return { ended, stop }
  }
  return {
    fixture,
    forge,
    model,
    ...peopleAt(forge),
    watch: async () => (await begin('at_rest')).ended(),
    poll: async () => (await begin('after_poll')).ended(),
    async land() {
      const wanted = { remote: 'origin', base: null, forge: null, reviewers: [], draft: false }
      const drydock = await fixture.open()
      await landAsChange(drydock, await readLandable(drydock, receipts, { id: undefined, goal: 'change' }), wanted)
    },
    follow(intervalSec) {
      const [seen, waiting] = [[] as object[], new Set<() => void>()]
      const begun = begin('never', intervalSec, (event) => {
        seen.push(event)
        for (const look of waiting) look()
      })
      return {
        until: (what) =>
          new Promise((resolve) => {
            const look = () => {
              const found = seen.find((event) => (event as { what?: string }).what === what)
              if (found !== undefined) resolve(found)
            }
            waiting.add(look)
            look()
          }),
        async stop() {
          const { ended, stop } = await begun
          stop.abort()
          return ended()
        },
      }
    },
  }
}

function callsIn(store: Machine['store']): ForgeCalls {
  return {
    forgeCalls: store.forgeCalls,
    forgeCallsNamed: store.forgeCallsNamed,
    startForgeCall: (call) => store.transact((tx) => tx.startForgeCall(call)),
    finishForgeCall: (key, answer) => store.transact((tx) => tx.finishForgeCall(key, answer)),
    close: async () => {},
  }
}

/** See Remotes; both sides have the same objects. */
function remotesTo(there: Repository, url: string): Pick<Remotes, 'url' | 'push' | 'defaultBranch' | 'pushReceipts'> {
  const { objects, branches } = there
  return {
    url: async () => url,
    defaultBranch: async () => 'main',
    async push(_, { branch, sha, pushed }) {
      const at = branches.get(branch)
      if (at !== undefined && !pushed.includes(at) && !objects.isAncestor(at, sha))
        throw new DrydockError('branch_moved', `${branch} has other commits there.`, { todo: 'Look at them.' })
      branches.set(branch, sha)
    },
    async pushReceipts(_, commits) {
      for (const sha of commits) there.notes.set(sha, '')
    },
  }
}

function gitThere(there: Repository, args: readonly string[]): string {
  const { objects, branches } = there
  const words = args.filter((each, i) => !each.startsWith('-') && args[i - 1] !== '-c' && args[i - 1] !== '-p')
  const at = (name: string) => {
    const sha = revision(there, name)
    if (sha === null) throw new Error(`fatal: bad revision ${name}`)
    return sha
  }
  const [command = '', first = '', second = ''] = words
  switch (command) {
    case 'rev-parse':
      return at(first)
    case 'show': {
      const [name = '', path = ''] = first.split(':')
      const found = objects.tree(at(name)).get(path)
      if (found === undefined) throw new Error(`fatal: path ${path} does not exist in ${name}`)
      return textOf(found).trim()
    }
    case 'update-ref':
      branches.set(first.replace('refs/heads/', ''), at(second))
      return ''
    case 'commit-tree': {
      const tree = objects.commits.get(at(first.replace('^{tree}', '')))?.tree ?? ''
      const parent = at(args[args.indexOf('-p') + 1] ?? '')
      return objects.commit({ tree, parents: [parent], message: 'By hand', at: new Date('2026-11-03T10:00:00Z') })
    }
    default:
      throw new Error(`a forge in memory knows no git ${args.join(' ')}`)
  }
}
