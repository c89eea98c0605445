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
  /** Workspace that is shown as the repository, which is the working directory. */
  readonly folder: string
  /** The objects that its git borrows. */
  readonly history?: string
  readonly access: 'read' | 'write'
  readonly readOnlyPaths: readonly string[]
  /** What commands can start beside themselves, as the steps have it; nothing without it. */
  readonly services?: readonly Service[]
  readonly parts: TreeParts
  /** The lane that asks. */
  readonly lane: string
}

/**
 * The long-lived sandboxes of agents: one for a folder and an access, opened when first needed and
 * kept.
 */
export interface Sandboxes {
  /**
   * Throws InfraFailure when none can be started. One that died, or shows other parts, is replaced.
   */
  session(request: SandboxRequest, signal: AbortSignal): Promise<SandboxSession>
  /**
   * The one in which the folder can be written and no command has run, if it is open: its runner
   * alone answers there.
   */
  unused(folder: string): Promise<SandboxSession | null>
  /** Closes those that show the folder. */
  close(folder: string): Promise<void>
  /**
   * Closes those that show the folder and have run a command, before the host touches its files: a
   * command may have taken its sandbox over, and then outlives it. The next call opens a new one.
   */
  closeUsed(folder: string): Promise<void>
  /** Before the process ends: none is opened any more, or it would live on and keep the process. */
  closeAll(): Promise<void>
  /**
   * Whatever else works in the folder, in a sandbox of its own: it is ended wherever those that
   * have run a command are closed. Returns what to call once it has ended by itself.
   */
  join(folder: string, end: () => Promise<void>): () => void
  /** Where lanes have started commands in the background, which end with the sandbox. */
  withCommands(): readonly { readonly folder: string; readonly lane: string }[]
}

interface Open {
  readonly folder: string
  readonly parts: string
  readonly session: Promise<SandboxSession>
  used: boolean
  /** The lane that has started commands in the background. */
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

  /** The session as one lane has it: what the lane does in it is noted. */
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

/**
 * What an agent's sandbox shows: the repository, what is mounted over it, and the user's own
 * toolchains.
 */
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
