import { limits } from '../domain/limits.ts'
import type { Mount, Sandbox, SandboxSession, SandboxSpec } from '../ports/sandbox.ts'
import { InfraFailure } from './infra-failure.ts'

export interface SandboxRequest {
  /** Folder that is shown, and the working directory. */
  readonly folder: string
  readonly access: 'read' | 'write'
  readonly readOnlyPaths: readonly string[]
}

/** The long-lived sandboxes of agents: one for a folder and an access, opened when first needed and kept. */
export interface Sandboxes {
  /** Throws InfraFailure when none can be started. One that died is replaced. */
  session(request: SandboxRequest, signal: AbortSignal): Promise<SandboxSession>
  /** Closes those that show the folder. */
  close(folder: string): Promise<void>
  /**
   * Closes those that show the folder and have run a command, before the host touches its files: a command may have taken its sandbox over, and then
   * outlives it. The next call opens a new one.
   */
  closeUsed(folder: string): Promise<void>
  closeAll(): Promise<void>
}

interface Open {
  readonly folder: string
  readonly session: Promise<SandboxSession>
  used: boolean
}

export function createSandboxes(sandbox: Sandbox): Sandboxes {
  const open = new Map<string, Open>()

  async function start(request: SandboxRequest, onRun: () => void, signal: AbortSignal): Promise<SandboxSession> {
    const result = await sandbox.open(agentSpec(request), signal)
    if (!result.ok) throw new InfraFailure(result.error)
    const session = result.value
    return {
      ...session,
      request(asked, aborted) {
        if (asked.op === 'run') onRun()
        return session.request(asked, aborted)
      },
    }
  }

  async function close(which: (entry: Open) => boolean): Promise<void> {
    const closing = [...open].filter(([, entry]) => which(entry))
    for (const [key] of closing) open.delete(key)
    await Promise.all(closing.map(async ([, { session }]) => (await session).close()))
  }

  return {
    session(request, signal) {
      const key = JSON.stringify([request.folder, request.access])
      const known = open.get(key)
      if (known) return known.session
      const onRun = () => {
        entry.used = true
      }
      const entry: Open = { folder: request.folder, session: start(request, onRun, signal), used: false }
      const forget = () => {
        if (open.get(key) === entry) open.delete(key)
      }
      open.set(key, entry)
      entry.session.then(({ ended }) => ended).then(forget, forget)
      return entry.session
    },
    close: (folder) => close((entry) => entry.folder === folder),
    closeUsed: (folder) => close((entry) => entry.folder === folder && entry.used),
    closeAll: () => close(() => true),
  }
}

/** What an agent's sandbox shows: its folder and the user's own toolchains. */
export function agentSpec({ folder, access, readOnlyPaths }: SandboxRequest): SandboxSpec {
  const mounts: Mount[] = [...readOnlyPaths.map((path): Mount => ({ path, access: 'read' })), { path: folder, access }]
  return { mounts, cwd: folder, env: { CI: '1', NO_COLOR: '1', GIT_TERMINAL_PROMPT: '0' }, limits: limits.sandbox }
}
