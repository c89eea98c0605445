/** Roughly as many answers as there are commits in use at the same time. */
const most = 100

export interface Memo<Answer> {
  /** The kept answer; undefined if nobody has asked. */
  known(key: string): Promise<Answer> | undefined
  /** The kept answer, or else the answer of `ask`. Failures are not kept. */
  of(key: string, ask: () => Promise<Answer>): Promise<Answer>
}

/** A cache for answers about immutable objects: commits and trees. */
export function remembered<Answer>(): Memo<Answer> {
  const answers = new Map<string, Promise<Answer>>()
  return {
    known: (key) => answers.get(key),
    of(key, ask) {
      const answer = answers.get(key) ?? ask()
      if (answers.size >= most) answers.clear()
      answers.set(key, answer)
      answer.catch(() => answers.delete(key))
      return answer
    },
  }
}
