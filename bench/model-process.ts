import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { WireTurn } from '../test/wire/turn.ts'

/** A request at the server; `at` is by the machine's monotonic clock. */
export interface ServerRequest {
  readonly at: number
  /** Empty if the bodies are not kept. */
  readonly raw: string
}

export type ToServer = 'take' | { readonly play: readonly WireTurn[]; readonly withBodies: boolean }
export type FromServer =
  | { readonly origin: string }
  | { readonly playing: true }
  | { readonly first: number }
  | { readonly reached: number }
  | { readonly taken: readonly ServerRequest[] }

/** A model in its own process that answers at once. */
export interface ModelProcess {
  readonly origin: string
  /**
   * Forgets earlier requests, and answers the next ones with these turns; later requests get no
   * answer. Without bodies only the times of the requests are kept.
   */
  play(turns: readonly WireTurn[], options?: { readonly withBodies: boolean }): Promise<Playing>
  taken(): Promise<readonly ServerRequest[]>
  close(): Promise<void>
}

export interface Playing {
  /** Time of the first request. */
  readonly first: Promise<number>
  /** Resolves when a request arrives that gets no answer. */
  readonly hanging: Promise<unknown>
}

export async function startModel(): Promise<ModelProcess> {
  const child = fork(fileURLToPath(new URL('./model-server.ts', import.meta.url)), { stdio: 'inherit' })
  const waiting = new Map<string, (message: never) => void>()
  child.on('message', (message: FromServer) => waiting.get(Object.keys(message)[0] ?? '')?.(message as never))
  const next = <Key extends string>(key: Key) =>
    new Promise<Extract<FromServer, Record<Key, unknown>>>((resolve) => void waiting.set(key, resolve))
  const tell = (message: ToServer) => void child.send(message)
  const { origin } = await next('origin')
  return {
    origin,
    async play(turns, { withBodies } = { withBodies: true }) {
      const playing = next('playing')
      tell({ play: turns, withBodies })
      await playing
      return { first: next('first').then(({ first }) => first), hanging: next('reached') }
    },
    async taken() {
      const taken = next('taken')
      tell('take')
      return (await taken).taken
    },
    async close() {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}
