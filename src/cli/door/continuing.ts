import type { Continuation } from './ask-door.ts'
import { type Beginning, type Host, thisProcess } from './host.ts'

/**
 * The host for a command that continues here after its server has gone. A Run that the server had
 * begun is stored once by its key, and events that were shown are not shown again.
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
