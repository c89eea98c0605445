import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '../../domain/limits.ts'
import { temporaryFolders } from '../../domain/temporary-folders.ts'
import type { Installation } from '../installation.ts'

export type TriedAgent =
  | { readonly ok: true; readonly version: string | null; readonly loadsSessions: boolean }
  | { readonly ok: false; readonly problem: string }

/**
 * Starts an agent in a sandbox and opens a session, without calling a model. Throws the
 * DrydockErrors of `agent`.
 */
export async function tryAgent(
  drydock: Pick<Installation, 'user' | 'agent' | 'foreign'>,
  name: string,
  signal: AbortSignal,
): Promise<TriedAgent> {
  const { command, model, files, credentials, authentication, env, readOnlyPaths } = drydock.agent(name)
  const folder = await mkdtemp(join(tmpdir(), temporaryFolders.doctor))
  await using closing = new AsyncDisposableStack()
  closing.defer(() => rm(folder, { recursive: true, force: true }))
  const [home, workspace, tools] = [join(folder, 'home'), join(folder, 'workspace'), join(folder, 't')] as const
  for (const each of [home, workspace]) await mkdir(each)
  const server = await drydock.foreign.tools.open({
    socket: tools,
    tools: [],
    call: async () => ({ ok: false, output: '' }),
  })
  closing.defer(() => server.close())
  const seen = [...drydock.user.sandbox.read_only_paths, ...readOnlyPaths]
  const mounts = [
    { path: workspace, at: '/repo', access: 'write' },
    ...seen.map((path) => ({ path, access: 'read' }) as const),
  ] as const
  const sandbox = { mounts, cwd: '/repo', env, limits: limits.sandbox }
  const starting = { name, command, model, files, credentials, authentication, sandbox, home, tools }
  const opened = await drydock.foreign.agents.open({ ...starting, gateway: null, session: null }, signal)
  if (!opened.ok) return { ok: false, problem: opened.failure.message }
  const { version, canLoad } = opened.session
  await opened.session.close()
  return { ok: true, version, loadsSessions: canLoad }
}
