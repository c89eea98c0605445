import { limits } from '../../domain/limits.ts'
import type { RunScope } from '../../domain/scope.ts'
import { actAfter } from '../../ports/act-after.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OwnerFacts } from '../../ports/owner.ts'

/** Observes the process that works on the followed Runs. */
export interface Worker {
  /** Call this at each heartbeat of the owner. */
  heard(): void
  end(): void
}

interface Telling {
  readonly clock: Pick<Clock, 'sleep'>
  readonly facts: OwnerFacts | null
  readonly onNote: (text: string) => void
}

/** Reports which process works on the followed Runs, and reports when it falls silent. */
export function createWorker(asked: RunScope, { clock, facts, onNote }: Telling): Worker {
  const { silentMs } = limits.owner
  let silent = false
  onNote(following(asked, facts))
  const fallSilent = () => {
    silent = true
    const who = facts === null ? 'It' : `Process ${facts.pid}`
    const todo = facts === null ? 'fg, in its terminal' : `kill -CONT ${facts.pid}`
    onNote(`${who} has said nothing for ${silentMs / 1_000} s. It may be suspended (Ctrl-Z). To continue it: ${todo}`)
  }
  const listen = () => actAfter(clock, { ms: silentMs }, fallSilent)
  let cancel = listen()
  return {
    heard() {
      cancel()
      cancel = listen()
      if (silent) onNote('It continues.')
      silent = false
    },
    end: () => cancel(),
  }
}

function following(asked: RunScope, facts: OwnerFacts | null): string {
  const other = 'Another drydock process works on this repository; following it'
  if (facts === null) return `${other}.`
  const what = asked === 'all' ? 'all of it' : asked.join(', ')
  return facts.only
    ? `${other}. Process ${facts.pid} ends its own run first, then continues ${what}.`
    : `${other}. Process ${facts.pid} works on ${what}.`
}
