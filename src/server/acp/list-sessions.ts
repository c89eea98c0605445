import type { SessionInfo } from '@agentclientprotocol/sdk'
import { openRunWindow } from '../../app/views/window/run-window.ts'
import type { Room } from './room.ts'
import { shortTitle } from './run-screen.ts'
import type { StoredSession } from './session-file.ts'
import { firstOptions } from './session-options.ts'

/**
 * The sessions of a repository, latest first. A Run that was started elsewhere counts as a session.
 */
export async function listSessions({ drydock, files }: Room): Promise<readonly SessionInfo[]> {
  const stored = new Map<string, StoredSession>()
  for (const id of await files.ids()) {
    const session = await files.read(id)
    if (session !== null) stored.set(id, session)
  }
  const window = openRunWindow(drydock)
  const titles = await window.titles().finally(() => window.close())
  const known = new Map(titles.map((each) => [each.run, each]))
  const taken = new Set([...stored].flatMap(([id, { runs }]) => [id, ...runs]))
  const alone = titles.filter(({ run }) => !taken.has(run)).map(({ run }) => [run, sessionOf(run)] as const)
  return [...stored, ...alone]
    .flatMap(([sessionId, { runs, deleted }]) => {
      const last = known.get(runs.at(-1) ?? '')
      if (deleted || last === undefined) return []
      const title = shortTitle(known.get(runs[0] ?? '')?.title ?? last.title)
      return [{ sessionId, cwd: drydock.repository, title: drydock.redact(title), updatedAt: last.updatedAt }]
    })
    .toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))
}

/** The stored session, or one for a Run of that id; null if neither exists. */
export async function findSession({ drydock, files }: Room, id: string): Promise<StoredSession | null> {
  const stored = await files.read(id)
  if (stored !== null) return stored.deleted ? null : stored
  const window = openRunWindow(drydock)
  const run = await window.now(id).finally(() => window.close())
  return run === null ? null : sessionOf(id)
}

/** A session for a Run that was started elsewhere. */
function sessionOf(run: string): StoredSession {
  return { runs: [run], options: firstOptions, deleted: false }
}
