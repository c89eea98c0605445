import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { follow } from '../../../src/cli/start/follow.ts'
import { type Drydock, openDrydock } from '../../../src/compose.ts'
import type { Fixture } from './fixture.ts'

/** Whether a query on the state has a row. */
export type Condition = string

export const machineIn = (kind: string, state: string): Condition =>
  `select 1 from machines where kind = '${kind}' and state = '${state}'`

/**
 * A drydock that calls back right after the first commit that makes each condition true, before
 * anything else is done in this process.
 */
export async function openWatched(
  { repo, env }: Fixture,
  watched: readonly { readonly when: Condition; readonly act: () => void }[],
): Promise<Drydock> {
  let database: DatabaseSync | null = null
  const waiting = new Set(watched)
  const drydock = await openDrydock({
    directory: repo,
    env,
    afterCommit() {
      database ??= new DatabaseSync(join(drydock.state, 'drydock.db'), { readOnly: true })
      for (const each of waiting) {
        if (database.prepare(each.when).get() === undefined) continue
        waiting.delete(each)
        each.act()
      }
      if (waiting.size > 0) return
      database.close()
      database = null
    },
  })
  return drydock
}

/** Works on a Run until a commit makes the condition true, and stops there as Ctrl-C does. */
export async function interruptWhen(fixture: Fixture, run: string, when: Condition, coders = 2): Promise<void> {
  const stop = new AbortController()
  const drydock = await openWatched(fixture, [{ when, act: () => stop.abort() }])
  const { exitCode } = await follow(drydock, {
    ...{ runs: [run], after: 0, coders, own: true, noWait: true, humanDelayMs: null, stop: stop.signal },
    ...{ onEvent: () => {}, onNote: () => {} },
  })
  if (exitCode !== 130) throw new Error(`the run ended with ${exitCode} before: ${when}`)
}

/** Ends what runs inside the sandbox that the architect reads in. */
export function killArchitectSandbox({ folder }: Fixture): void {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
  const seen = pids.filter((pid) => {
    try {
      const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
      return mounts.includes('/mnt/coders/coder-001') && mounts.includes(folder)
    } catch {
      return false
    }
  })
  if (seen.length === 0) throw new Error('there is no architect’s sandbox')
  for (const pid of seen) process.kill(Number(pid), 'SIGKILL')
}
