/** As many answers as commits that are worked on at once. */
const most = 100

export interface Remembered<Answer> {
  /** What is known; undefined when nobody has asked. */
  known(key: string): Promise<Answer> | undefined
  /** What is known, or what `ask` says. What failed is asked again. */
  of(key: string, ask: () => Promise<Answer>): Promise<Answer>
}

/** Answers about what never changes: commits and trees. */
export function remembered<Answer>(): Remembered<Answer> {
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
