import type { Commit, Engine } from '../ports/engine.ts'
import type { Transaction } from '../ports/store.ts'

/** An addition to each transaction. It takes the place of some of its operations. */
export type Decoration = (tx: Transaction) => {
  readonly own: Partial<Transaction>
  /** Called once the transaction is committed. */
  readonly committed?: () => void
}

/**
 * The same engine, each of whose transactions is one with all its decorations. No two of these take
 * the place of the same operation, and each calls those of the engine itself.
 */
export function decorate(engine: Engine, decorations: readonly Decoration[]): Engine {
  function decorating() {
    let made: readonly ReturnType<Decoration>[] = []
    return {
      whole(tx: Transaction): Transaction {
        made = decorations.map((decoration) => decoration(tx))
        return Object.assign({ ...tx }, ...made.map(({ own }) => own))
      },
      committed() {
        for (const each of made) each.committed?.()
      },
    }
  }
  const committing =
    (commit: Commit): Commit =>
    async (change) => {
      const { whole, committed } = decorating()
      const isCommitted = await commit((tx) => change(whole(tx)))
      if (isCommitted) committed()
      return isCommitted
    }
  return {
    ...engine,
    async transact(work) {
      const { whole, committed } = decorating()
      const result = await engine.transact((tx) => work(whole(tx)))
      committed()
      return result
    },
    onHostGone: (handler) => engine.onHostGone((tx, gone) => handler(decorating().whole(tx), gone)),
    work: (kind, concurrency, handler) =>
      engine.work(kind, concurrency, (job, commit, signal) => handler(job, committing(commit), signal)),
  }
}
