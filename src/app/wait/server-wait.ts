import { sentence } from '../../domain/sentence.ts'
import type { ServerWait } from '../../ports/owner.ts'

/**
 * The wait of a working process: its work continues once the server is back, however long that
 * takes. After `end` the wait is as short as for a single command.
 */
export function createServerWait({
  onNote,
}: {
  readonly onNote: (text: string) => void
}): ServerWait & { end(): void } {
  let isAway = false
  let isOver = false
  return {
    goesOn({ message }) {
      if (isOver) return false
      if (!isAway) onNote(sentence`${message} The work waits for it, and goes on by itself.`)
      isAway = true
      return true
    },
    answered() {
      if (isAway) onNote('The database answers again.')
      isAway = false
    },
    end() {
      isOver = true
    },
  }
}
