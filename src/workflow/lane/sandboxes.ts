import { limits } from '../../domain/limits.ts'
import type { Service } from '../../domain/run/run-config.ts'
import { InfraFailure } from '../../gate/infra-failure.ts'
import { insideRepository } from '../../gate/inside.ts'
import { mountPoints, partMounts, type TreeParts } from '../../gate/layers/tree-parts.ts'
import { offlineEnvironment } from '../../gate/step-environment.ts'
import { serviceCommand } from '../../gate/step-services.ts'
import type { Mount, Sandbox, SandboxSession, SandboxSpec } from '../../ports/sandbox.ts'
import { type WorkTrees, workspaceMounts } from '../../ports/work-trees.ts'

export interface SandboxRequest {
  /** Workspace that becomes the repository and working directory. */
  readonly folder: string
  /** Object folder that the workspace's git borrows from. */
  readonly history?: string
  readonly access: 'read' | 'write'
  readonly readOnlyPaths: readonly string[]
  /** Services that commands can start, as the steps have them; omitted if there are none. */
  readonly services?: readonly Service[]
  readonly parts: TreeParts
  readonly lane: string
}

/**
 * The long-lived sandboxes of agents: one for each folder and access, opened at first use and then
 * kept.
 */
export interface Sandboxes {
  /**
   * Throws InfraFailure if none can be started. A sandbox that died, or that shows other parts, is
   * replaced.
   */
  session(request: SandboxRequest, signal: AbortSignal): Promise<SandboxSession>
  /**
   * The open, writable sandbox of the folder in which no command has run, if there is one: only its
   * runner answers there.
   */
  unused(folder: string): Promise<SandboxSession | null>
  /** Closes the sandboxes that show the folder. */
  close(folder: string): Promise<void>
  /**
   * Closes the sandboxes of the folder in which a command has run, before the host touches its
   * files: a command may have taken control of its sandbox and would survive. The next call opens a
   * new one.
   */
  closeUsed(folder: string): Promise<void>
  /**
   * Closes all before the process ends. None is opened afterwards, since it would keep the process
   * alive.
   */
  closeAll(): Promise<void>
  /**
   * Registers other work in the folder that has its own sandbox: `end` is called whenever used
   * sandboxes are closed. Returns a function to call once that work has ended by itself.
   */
  join(folder: string, end: () => Promise<void>): () => void
  /** Lanes with background commands, which end with their sandbox. */
  withCommands(): readonly { readonly folder: string; readonly lane: string }[]
}

interface Open {
  readonly folder: string
  readonly parts: string
  readonly session: Promise<SandboxSession>
  used: boolean
  /** The lane that has started background commands. */
  startedBy: string | null
}

export function createSandboxes(sandbox: Sandbox, workTrees: Pick<WorkTrees, 'makeMountPoints'>): Sandboxes {
  const open = new Map<string, Open>()
  const joined = new Set<{ readonly folder: string; readonly end: () => Promise<void> }>()
  let isClosed = false

  async function start(request: SandboxRequest, signal: AbortSignal): Promise<SandboxSession> {
    const points = await workTrees.makeMountPoints(request.folder, mountPoints(request.parts))
    const result = await sandbox.open(agentSpec(request, partMounts(request.parts, points)), signal)
    if (!result.ok) throw new InfraFailure(result.error)
    return result.value
  }

  /** The session for one lane, which records the lane's commands. */
  function noting(session: SandboxSession, entry: Open, lane: string): SandboxSession {
    return {
      ...session,
      request(asked, aborted) {
        if (asked.op === 'run' || asked.op === 'start') entry.used = true
        if (asked.op === 'start') entry.startedBy = lane
        return session.request(asked, aborted)
      },
    }
  }

  async function close(which: (entry: Open) => boolean): Promise<void> {
    const closing = [...open].filter(([, entry]) => which(entry))
    for (const [key] of closing) open.delete(key)
    await Promise.all(closing.map(async ([, { session }]) => (await session).close()))
  }

  async function endJoined(folder: string | null): Promise<void> {
    const ending = [...joined].filter((each) => folder === null || each.folder === folder)
    await Promise.all(ending.map(({ end }) => end()))
  }

  return {
    async session(request, signal) {
      const { folder } = request
      const key = keyOf(request)
      const parts = JSON.stringify(request.parts)
      await close((entry) => entry.folder === folder && entry.parts !== parts)
      if (isClosed) throw new Error('the sandboxes are closed')
      const known = open.get(key)
      if (known) return noting(await known.session, known, request.lane)
      const entry: Open = { folder, parts, session: start(request, signal), used: false, startedBy: null }
      const forget = () => {
        if (open.get(key) === entry) open.delete(key)
      }
      open.set(key, entry)
      entry.session.then(({ ended }) => ended).then(forget, forget)
      return noting(await entry.session, entry, request.lane)
    },
    async unused(folder) {
      const known = open.get(keyOf({ folder, access: 'write' }))
      return known === undefined || known.used ? null : known.session.catch(() => null)
    },
    async close(folder) {
      await Promise.all([close((entry) => entry.folder === folder), endJoined(folder)])
    },
    async closeUsed(folder) {
      await Promise.all([close((entry) => entry.folder === folder && entry.used), endJoined(folder)])
    },
    async closeAll() {
      isClosed = true
      await Promise.all([close(() => true), endJoined(null)])
    },
    join(folder, end) {
      const entry = { folder, end }
      joined.add(entry)
      return () => void joined.delete(entry)
    },
    withCommands: () =>
      [...open.values()].flatMap(({ folder, startedBy }) => (startedBy === null ? [] : [{ folder, lane: startedBy }])),
  }
}

function keyOf({ folder, access }: Pick<SandboxRequest, 'folder' | 'access'>): string {
  return JSON.stringify([folder, access])
}

/** An agent's sandbox shows the repository, the mounts over it, and the user's own toolchains. */
export function agentSpec(
  { access, readOnlyPaths, services = [], ...workspace }: Omit<SandboxRequest, 'parts' | 'lane'>,
  { mounts, scratch }: ReturnType<typeof partMounts> = { mounts: [], scratch: [] },
): SandboxSpec {
  const tools = readOnlyPaths.map((path): Mount => ({ path, access: 'read' }))
  return {
    mounts: [...tools, ...workspaceMounts(workspace, { at: insideRepository, access }), ...mounts],
    scratch,
    cwd: insideRepository,
    env: { CI: '1', GIT_TERMINAL_PROMPT: '0', ...offlineEnvironment },
    ...(services.length > 0 && { services: services.map(serviceCommand) }),
    limits: limits.sandbox,
  }
}
