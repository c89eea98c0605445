import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The end of its output. */
  readonly said: string
}

/** A program that is restarted whenever it ends, like under systemd. */
export interface Supervisor {
  /** Null while it is not running. */
  pid(): number | null
  /** The ends of its processes, in order. */
  readonly exits: readonly Exit[]
  /** Resolves with the first matching line of the running process, or of a later one. */
  line(pattern: RegExp): Promise<string>
  /** Prevents a restart, once this process has ended, until `letStart`. */
  keepDown(): void
  letStart(): void
  /** Resolves when the process has ended. It is not started again. */
  end(signal: NodeJS.Signals): Promise<void>
}

const restartMs = 1_000
const keptChars = 20_000

export function supervise(start: () => ChildProcess): Supervisor {
  const exits: Exit[] = []
  const listeners = new Set<(text: string) => void>()
  let [running, isOver, isDown]: [ChildProcess | null, boolean, boolean] = [null, false, false]
  let free = Promise.withResolvers<void>()

  const live = async () => {
    while (!isOver) {
      if (isDown) {
        await free.promise
        continue
      }
      const child = start()
      running = child
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding('utf8').on('data', (chunk: string) => {
          said = (said + chunk).slice(-keptChars)
          for (const listener of listeners) listener(said)
        })
      const [code, signal] = await once(child, 'close')
      running = null
      exits.push({ code, signal, said })
      if (process.env.STORM_DEBUG !== undefined)
        process.stderr.write(
          `${child.spawnargs.join(' ').slice(-60)} ended with ${code ?? signal}: ${said.slice(-1500)}\n`,
        )
      if (!isOver) await delay(restartMs)
    }
  }
  const over = live()

  return {
    pid: () => running?.pid ?? null,
    exits,
    line: (pattern) =>
      new Promise((resolve) => {
        const look = (text: string) => {
          const found = text.split('\n').find((each) => pattern.test(each))
          if (found === undefined) return
          listeners.delete(look)
          resolve(found)
        }
        listeners.add(look)
      }),
    keepDown() {
      isDown = true
      free = Promise.withResolvers()
    },
    letStart() {
      isDown = false
      free.resolve()
    },
    async end(signal) {
      isOver = true
      free.resolve()
      running?.kill(signal)
      await over
    },
  }
}
