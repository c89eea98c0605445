import { closeSync, openSync } from 'node:fs'
import { scripts } from './installation.ts'
import { type ProgramEnvironment, startProgram } from './start-program.ts'

/** A Drydock of its own, which goes on when this process ends or is killed. */
export interface Detached {
  /** Fulfilled when it has ended, for whatever reason. */
  readonly ended: Promise<void>
}

interface Detaching {
  readonly env: ProgramEnvironment
  /** What it prints replaces what is in this file. */
  readonly log: string
}

/** Starts a command line of Drydock in a session of its own. Its standard input is empty. */
export function startDetached(args: readonly string[], { env, log }: Detaching): Detached {
  const output = openSync(log, 'w', 0o600)
  const child = startProgram(process.execPath, [...process.execArgv, scripts.program, ...args], {
    ...{ env, cwd: '/', detached: true, stdio: ['ignore', output, output] },
  })
  closeSync(output)
  child.unref()
  const ended = Promise.withResolvers<void>()
  child.once('error', () => ended.resolve())
  child.once('exit', () => ended.resolve())
  return { ended: ended.promise }
}
