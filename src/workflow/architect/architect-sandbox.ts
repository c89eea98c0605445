import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { InfraFailure } from '../../gate/infra-failure.ts'
import type { Files } from '../../ports/files.ts'
import type { ReadGit } from '../../ports/history.ts'
import { type Mount, type Sandbox, SandboxEnded, type SandboxSession, type SandboxSpec } from '../../ports/sandbox.ts'
import type { Slot, WorkTrees } from '../../ports/work-trees.ts'
import { sessionFiles } from '../lane/session-files.ts'

/** Path of the mirror inside the sandbox. */
export const insideMirror = '/mnt/mirror'

/**
 * The one sandbox in which the architect reads, for as long as this process owns the state (seed:
 * architect-read-access, phase 2).
 */
export interface ArchitectSandbox {
  /**
   * Opens the sandbox unless it is open; throws InfraFailure if none can be opened. A sandbox that
   * died is restarted once; if the second one dies too, this throws DrydockError
   * `architect_sandbox_ended`, and the next call tries again.
   */
  start(signal: AbortSignal): Promise<void>
  /**
   * The current workspace of a slot; the returned object reaches nothing else. Rejects as `start`
   * does; a request that failed because the sandbox died is repeated once.
   */
  workspace(slot: Slot, signal: AbortSignal): Promise<Files>
  /**
   * The git inside the sandbox, which sees the mirror at `insideMirror`. Null if the image has no
   * git that can do the reads; then the git of this machine reads, and only objects as well.
   */
  git(signal: AbortSignal): Promise<ReadGit | null>
  close(): Promise<void>
}

export interface ArchitectSandboxDependencies {
  readonly sandbox: Sandbox
  readonly workTrees: Pick<WorkTrees, 'path'>
  readonly slots: readonly Slot[]
  /** Absolute path of the mirror. */
  readonly mirror: string
}

interface OpenSession {
  readonly session: Promise<SandboxSession>
  readonly isRestart: boolean
  readonly closing: AbortController
  hasEnded: boolean
}

export function createArchitectSandbox(deps: ArchitectSandboxDependencies): ArchitectSandbox {
  const spec = architectSpec(deps)
  let opened: OpenSession | null = null

  function open({ isRestart }: Pick<OpenSession, 'isRestart'>): OpenSession {
    const closing = new AbortController()
    const session = openSession(deps.sandbox, spec, closing.signal)
    const entry: OpenSession = { session, isRestart, closing, hasEnded: false }
    const forget = () => {
      if (opened === entry) opened = null
    }
    const onEnd = () => {
      entry.hasEnded = true
    }
    session.then(({ ended }) => ended.then(onEnd), forget)
    return entry
  }

  function current(): OpenSession {
    if (opened?.hasEnded && opened.isRestart) throw endedTwice(opened)
    if (opened === null || opened.hasEnded) opened = open({ isRestart: opened !== null })
    return opened
  }

  /** Forgets the sandbox, so that the next call opens a new one. */
  function endedTwice(entry: OpenSession): DrydockError {
    if (opened === entry) opened = null
    return new DrydockError(
      'architect_sandbox_ended',
      'The sandbox in which the architect reads ended twice in a row',
      {
        todo: 'Find out what ends processes on this machine (most often too little memory), then run `drydock resume`.',
      },
    )
  }

  /** Each request is sent twice at most. */
  const restarting: Pick<SandboxSession, 'request'> = {
    async request(asked, signal) {
      const used = current()
      try {
        return await (await unlessAborted(used.session, signal)).request(asked, signal)
      } catch (error) {
        if (!(error instanceof SandboxEnded)) throw error
        used.hasEnded = true
        if (used.isRestart) throw endedTwice(used)
        return restarting.request(asked, signal)
      }
    },
  }

  let hasGit: Promise<boolean> | null = null
  const readGit: ReadGit = async (reading, signal) => {
    const reply = await restarting.request({ op: 'git', ...reading }, signal)
    if (!reply.ok) throw new Error(`git in the architect's sandbox: ${reply.message}`)
    return reply.value
  }

  /** True if the git of the sandbox supports the reads. */
  async function looksForGit(signal: AbortSignal): Promise<boolean> {
    const args = [`--git-dir=${insideMirror}`, 'cat-file', '--batch', '-z']
    const asked = {
      op: 'git',
      args,
      env: { GIT_CONFIG_NOSYSTEM: '1', HOME: '/' },
      input: 'HEAD\0',
      maxBytes: 1_000,
    } as const
    const reply = await restarting.request(asked, signal)
    return reply.ok && reply.value.code !== 128 && reply.value.code !== 129
  }

  return {
    async git(signal) {
      const looking = hasGit ?? looksForGit(signal)
      hasGit = looking
      looking.catch(() => {
        hasGit = null
      })
      return (await looking) ? readGit : null
    },
    async start(signal) {
      await unlessAborted(current().session, signal)
    },
    async workspace(slot, signal) {
      if (!deps.slots.includes(slot)) throw new Error(`The architect's sandbox shows no workspace ${slot}`)
      await unlessAborted(current().session, signal)
      return sessionFiles(restarting, insideWorkspace(slot))
    },
    async close() {
      const entry = opened
      opened = null
      entry?.closing.abort(new Error("The architect's sandbox is closed"))
      await entry?.session.then(
        (session) => session.close(),
        () => undefined,
      )
    },
  }
}

/**
 * The architect's sandbox shows a workspace for each slot and the mirror. All of it is read-only
 * and fixed when the sandbox opens.
 */
export function architectSpec({
  workTrees,
  slots,
  mirror,
}: Omit<ArchitectSandboxDependencies, 'sandbox'>): SandboxSpec {
  const coders = slots.map((slot): Mount => ({ path: workTrees.path(slot), at: insideWorkspace(slot), access: 'read' }))
  return {
    mounts: [...coders, { path: mirror, at: insideMirror, access: 'read' }],
    cwd: '/mnt',
    env: {},
    limits: limits.sandbox,
  }
}

function insideWorkspace(slot: Slot): string {
  return `/mnt/coders/${slot}`
}

async function openSession(sandbox: Sandbox, spec: SandboxSpec, signal: AbortSignal): Promise<SandboxSession> {
  const result = await sandbox.open(spec, signal)
  if (!result.ok) throw new InfraFailure(result.error)
  return result.value
}

/** Aborting one caller does not stop the opening, since others wait for the same sandbox. */
function unlessAborted<T>(opening: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
