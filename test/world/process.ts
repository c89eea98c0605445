type Listener = (signal: NodeJS.Signals) => void

/** The end of a process: by a signal, or by itself. */
export interface ProcessEnd {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
}

/**
 * A process in memory. Once it has ended, its calls get no answer: its code stops at its next call
 * to the world, like that of a killed process.
 */
export interface MemoryProcess {
  readonly hasEnded: () => boolean
  readonly ended: Promise<ProcessEnd>
  on(signal: NodeJS.Signals, listener: Listener): void
  off(signal: NodeJS.Signals, listener: Listener): void
  /** A signal without a listener ends the process, as SIGKILL always does. */
  kill(signal: NodeJS.Signals): void
  exit(code: number): void
  /** Calls back in the same event-loop turn in which the process ends. */
  onEnd(listener: () => void): void
  /** Wraps a port so that it answers only while this process lives. */
  mortal<Port extends object>(port: Port): Port
}

/** Synchronous members, for which no process waits. */
const immediate: ReadonlySet<PropertyKey> = new Set(['path', 'inside', 'committed', 'readFile', 'ofRepository'])

const never = new Promise<never>(() => {})

export function createProcess(): MemoryProcess {
  const listeners = new Map<NodeJS.Signals, Set<Listener>>()
  const onEnd = new Set<() => void>()
  const { promise: ended, resolve } = Promise.withResolvers<ProcessEnd>()
  let isOver = false
  function end(how: ProcessEnd) {
    if (isOver) return
    isOver = true
    for (const listener of onEnd) listener()
    resolve(how)
  }
  const live = <T>(value: T): T | Promise<never> => (isOver ? never : value)
  return {
    hasEnded: () => isOver,
    ended,
    on(signal, listener) {
      listeners.set(signal, (listeners.get(signal) ?? new Set()).add(listener))
    },
    off: (signal, listener) => void listeners.get(signal)?.delete(listener),
    kill(signal) {
      const heard = [...(listeners.get(signal) ?? [])]
      if (signal === 'SIGKILL' || heard.length === 0) end({ exitCode: null, signal })
      else for (const listener of heard) listener(signal)
    },
    exit: (code) => end({ exitCode: code, signal: null }),
    onEnd: (listener) => void onEnd.add(listener),
    mortal<Port extends object>(port: Port): Port {
      return new Proxy(port, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name)
          if (typeof member !== 'function' || immediate.has(name)) return member
          return (...args: unknown[]) => {
            if (isOver) return never
            const answer: unknown = Reflect.apply(member, target, args)
            if (!(answer instanceof Promise)) return answer
            return answer.then(live, (error: unknown) => {
              if (isOver) return never
              throw error
            })
          }
        },
      })
    },
  }
}
