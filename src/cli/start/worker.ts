import type { Drydock } from '../../compose.ts'
import { limits } from '../../domain/limits.ts'
import type { Asked } from '../../domain/scope.ts'

type OwnerFacts = NonNullable<Awaited<ReturnType<Drydock['ownerFacts']>>>

/** The process that works on what is followed. */
export interface Worker {
  /** It has given a sign of life. */
  heard(): void
  end(): void
}

/** Says who works on the Runs that are followed, and when that process says nothing any more. */
export function createWorker(
  asked: Asked,
  { facts, onNote }: { readonly facts: OwnerFacts | null; readonly onNote: (text: string) => void },
): Worker {
  const { silentMs } = limits.owner
  let silent = false
  onNote(following(asked, facts))
  const fallSilent = () => {
    silent = true
    const who = facts === null ? 'It' : `Process ${facts.pid}`
    const todo = facts === null ? 'fg, in its terminal' : `kill -CONT ${facts.pid}`
    onNote(`${who} has said nothing for ${silentMs / 1_000} s. It may be stopped (Ctrl-Z). Let it go on: ${todo}`)
  }
  let timer = setTimeout(fallSilent, silentMs)
  return {
    heard() {
      clearTimeout(timer)
      timer = setTimeout(fallSilent, silentMs)
      if (silent) onNote('It goes on.')
      silent = false
    },
    end: () => clearTimeout(timer),
  }
}

function following(asked: Asked, facts: OwnerFacts | null): string {
  const other = 'Another drydock process does this repository’s work; following it'
  if (facts === null) return `${other}.`
  const what = asked === 'all' ? 'all of it' : asked.join(', ')
  return facts.only
    ? `${other}. Process ${facts.pid} ends its own run first, then ${what} goes on.`
    : `${other}. Process ${facts.pid} works on ${what}.`
}
