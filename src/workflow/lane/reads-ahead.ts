import type { Answer } from '../../agents/answer-call.ts'
import type { Lane } from '../../domain/lane/lane.ts'

type Answers = Promise<readonly Answer[]>

/**
 * Reads that a reply asks for, begun beside the commit that stores the reply. Nothing comes of them
 * before the lane's next step takes their answers: what is lost before that is read again.
 */
export interface ReadsAhead {
  /** `lane` is as it will be when its reply is stored. */
  begin(lane: Lane, answers: Answers): void
  /** That commit came to nothing. */
  drop(lane: string): void
  /** What was read for this turn of the lane; null when nothing was, or when it could not be. */
  take(lane: Lane): Promise<readonly Answer[] | null>
}

export function createReadsAhead(): ReadsAhead {
  const begun = new Map<string, { readonly turn: number; readonly answers: Promise<readonly Answer[] | null> }>()
  return {
    begin: ({ id, data }, answers) => void begun.set(id, { turn: data.turn, answers: answers.catch(() => null) }),
    drop: (lane) => void begun.delete(lane),
    async take({ id, data }) {
      const found = begun.get(id)
      begun.delete(id)
      return found?.turn === data.turn ? found.answers : null
    },
  }
}
