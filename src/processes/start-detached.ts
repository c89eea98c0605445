import { closeSync, openSync } from 'node:fs'
import { scripts } from './installation.ts'
import { type ProgramEnvironment, startProgram } from './start-program.ts'

/** A separate Drydock process, which continues when this process ends or is killed. */
export interface DetachedProcess {
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<void>
}

interface Detaching {
  readonly env: ProgramEnvironment
  /** The file that its output replaces. */
  readonly log: string
}

/** Starts a Drydock command line in a new session, with empty standard input. */
export function startDetached(args: readonly string[], { env, log }: Detaching): DetachedProcess {
  const output = openSync(log, 'w', 0o600)
  const child = startProgram(process.execPath, [...process.execArgv, scripts.program, ...args], {
    env,
    cwd: '/',
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  child.unref()
  const ended = Promise.withResolvers<void>()
  child.once('error', () => ended.resolve())
  child.once('exit', () => ended.resolve())
  return { ended: ended.promise }
}
