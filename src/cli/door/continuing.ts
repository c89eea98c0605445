import type { Continuation } from './ask-door.ts'
import { type Beginning, type Host, thisProcess } from './host.ts'

/**
 * This process, in which a command goes on that another one did until it was gone. What that had
 * begun is stored once by its key, and what it had shown is not shown again.
 */
export function continuing({ after, ...begun }: Continuation, signal: NodeJS.Signals | null): Host {
  return {
    ...thisProcess,
    on(name, listener) {
      thisProcess.on(name, listener)
      if (name === signal) listener(name)
    },
    begin: async () => begun as Beginning,
    after,
  }
}
