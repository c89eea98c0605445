import type { StopReason } from '@agentclientprotocol/sdk'

/** One prompt, from its request to its response. */
export interface Turn {
  readonly over: Promise<StopReason>
  isCancelled(): boolean
  /** True while the user is being asked a question. */
  isAsking(): boolean
  /**
   * Asks a question, unless it has been asked before. The signal is aborted when the answer is no
   * longer needed.
   */
  ask(id: string, asking: (signal: AbortSignal) => Promise<void>): void
  wasAsked(id: string): boolean
  /** Withdraws all questions except these. */
  keepOnly(ids: ReadonlySet<string>): void
  cancel(): void
  /** Ends the turn after sending a last message. Works only once. */
  close(saying: () => Promise<void>): void
  end(reason: StopReason): void
  fail(error: unknown): void
}

/** `onAsked` is called when a question has ended, with or without an answer. */
export function createTurn(onAsked: () => void): Turn {
  const over = Promise.withResolvers<StopReason>()
  const asked = new Set<string>()
  const open = new Map<string, AbortController>()
  let cancelled = false
  let isClosing = false
  const withdraw = (ids: Iterable<string>) => {
    for (const id of ids) open.get(id)?.abort()
  }
  const settle = () => withdraw([...open.keys()])
  over.promise.then(settle, settle)
  return {
    over: over.promise,
    isCancelled: () => cancelled,
    isAsking: () => open.size > 0,
    ask(id, asking) {
      if (asked.has(id)) return
      asked.add(id)
      const controller = new AbortController()
      open.set(id, controller)
      asking(controller.signal)
        .catch(over.reject)
        .finally(() => {
          open.delete(id)
          onAsked()
        })
    },
    wasAsked: (id) => asked.has(id),
    keepOnly: (ids) => withdraw([...open.keys()].filter((id) => !ids.has(id))),
    cancel() {
      cancelled = true
      settle()
    },
    close(saying) {
      if (isClosing) return
      isClosing = true
      saying().then(() => over.resolve('end_turn'), over.reject)
    },
    end: over.resolve,
    fail: over.reject,
  }
}
