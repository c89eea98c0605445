import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Fixture } from './fixture.ts'

/** The end of a process that kills itself: its signal, or else its exit code. */
export async function endOf({ repo, env }: Fixture, script: string, ...args: readonly string[]) {
  const file = fileURLToPath(new URL(`../kill/${script}`, import.meta.url))
  const child = spawn(process.execPath, [file, repo, ...args], { env, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  return signal ?? code
}
