import type { Drydock } from '../../../src/app/drydock.ts'
import { follow } from '../../../src/app/wait/follow.ts'
import type { MachineKind } from '../../../src/domain/machine.ts'
import type { Records } from '../../../src/ports/store.ts'
import type { Fixture } from './fixture.ts'
import { sandboxProcesses } from './sandbox-processes.ts'

/** A condition on the state after a commit. */
export type Condition = (records: Records) => Promise<boolean>

/** True if a machine of any story, or of the given one, is in that state. */
export function machineIn(kind: MachineKind, state: string, story?: string): Condition {
  return async (records) => {
    const machines = await records.machines({ kind })
    return machines.some((machine) => machine.state === state && (story === undefined || machine.story === story))
  }
}

/**
 * A drydock that calls back right after the first commit that makes each condition true, before
 * this process does anything else.
 */
export async function openWatched(
  fixture: Pick<Fixture, 'open'>,
  watched: readonly { readonly when: Condition; readonly act: () => void }[],
): Promise<Drydock> {
  const waiting = new Set(watched)
  const due = new Set<() => void>()
  return fixture.open({
    async beforeCommit(records) {
      for (const each of waiting) {
        if (!(await each.when(records))) continue
        waiting.delete(each)
        due.add(each.act)
      }
    },
    afterCommit() {
      const acts = [...due]
      due.clear()
      try {
        for (const act of acts) act()
      } catch (error) {
        // The engine ignores errors of its observers; unhandled, the rejection fails the test.
        void Promise.reject(error)
      }
    },
  })
}

/** Works on a Run until a commit makes the condition true, and then stops like Ctrl-C. */
export async function interruptWhen(fixture: Fixture, run: string, when: Condition, coders = 2): Promise<void> {
  const stop = new AbortController()
  const drydock = await openWatched(fixture, [{ when, act: () => stop.abort() }])
  const { exitCode } = await follow(drydock, {
    runs: [run],
    after: 0,
    coders,
    own: true,
    noWait: true,
    humanDelayMs: null,
    stop: stop.signal,
    onEvent: () => {},
    onNote: () => {},
  })
  if (exitCode !== 130) throw new Error(`the run ended with ${exitCode} before that`)
}

/** Ends all processes of the architect's sandbox; throws if there are none. */
export function killArchitectSandbox({ folder }: Fixture): void {
  const seen = sandboxProcesses(folder, '/mnt/coders/coder-001')
  if (seen.length === 0) throw new Error('there is no architect’s sandbox')
  for (const pid of seen) {
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch (error) {
      // The kernel ends a whole sandbox with its first process.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
