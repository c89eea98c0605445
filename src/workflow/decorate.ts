import type { Commit, Engine } from '../ports/engine.ts'
import type { Transaction } from '../ports/store.ts'

/** An addition to each transaction. The result replaces some of the transaction's operations. */
export type Decoration = (tx: Transaction) => {
  readonly own: Partial<Transaction>
  /** Called after the transaction is committed. */
  readonly committed?: () => void
}

/**
 * Wraps an engine so that every transaction has all the decorations. Each decoration calls the
 * engine's own operations, and no two may replace the same one.
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
