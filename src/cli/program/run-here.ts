import type { EnvironmentVariables } from '../../config/environment.ts'
import type { Here } from '../door/ask-door.ts'
import { continuing } from '../door/continuing.ts'
import { run } from './program.ts'

/** Runs a command line in this process, unless another process has done it. */
export function runHere(
  argv: readonly string[],
  env: EnvironmentVariables,
  { continued, signal }: Here,
): Promise<number> {
  return run(argv, {
    env,
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: () => process.stdin,
    ...(continued && { host: continuing(continued, signal) }),
  })
}
