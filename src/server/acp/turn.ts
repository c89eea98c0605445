import type { StopReason } from '@agentclientprotocol/sdk'

/** One prompt, from its request to its answer. */
export interface Turn {
  readonly over: Promise<StopReason>
  isCancelled(): boolean
  /** The questions that its user is being asked, by their ids. */
  isAsking(): boolean
  /** Asks once; what is asked again is not. Its signal is aborted when nobody waits for it. */
  ask(id: string, asking: (signal: AbortSignal) => Promise<void>): void
  wasAsked(id: string): boolean
  /** Ends the questions that are not among these. */
  keepOnly(ids: ReadonlySet<string>): void
  cancel(): void
  /** Says why it ends here, once, and ends it. */
  close(saying: () => Promise<void>): void
  end(reason: StopReason): void
  fail(error: unknown): void
}

/** `onAsked` is called when a question has ended, answered or not. */
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
