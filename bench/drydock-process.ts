import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Fixture } from '../test/scenarios/world/fixture.ts'
import { now } from './now.ts'

const bin = fileURLToPath(new URL('../bin/drydock', import.meta.url))

export type Environment = Readonly<Record<string, string>>

/** A `drydock` process, as users start it. */
export interface DrydockProcess {
  readonly startedAt: number
  /** Resolves when the process has ended with exit code 0; otherwise rejects with its output. */
  readonly done: Promise<{ readonly endedAt: number; readonly peakMiB: number }>
  /** Ends the process with SIGKILL and waits for its end. */
  kill(): Promise<void>
}

/** `under` is the command line of a program that starts the process and exits with its code. */
export function startDrydock(args: readonly string[], env: Environment, under: readonly string[] = []): DrydockProcess {
  const startedAt = now()
  const [program = bin, ...rest] = [...under, bin, ...args]
  const child = spawn(program, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let peakMiB = 0
  let said = ''
  const hear = (text: string) => {
    said = (said + text).slice(-4_000)
    peakMiB = Math.max(peakMiB, peakOf(child.pid ?? 0))
  }
  child.stdout.setEncoding('utf8').on('data', hear)
  child.stderr.setEncoding('utf8').on('data', hear)
  const closed = once(child, 'close')
  const done = closed.then(([code]) => {
    if (code !== 0) throw new Error(`drydock ${args[0]} ended with ${code}:\n${said}`)
    return { endedAt: now(), peakMiB }
  })
  return {
    startedAt,
    done,
    async kill() {
      done.catch(() => {})
      child.kill('SIGKILL')
      await closed
    },
  }
}

/**
 * Peak resident memory of the process so far, without its children; the final value is read with
 * its last line.
 */
function peakOf(pid: number): number {
  try {
    const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return Number(line?.[1] ?? 0) / 1_024
  } catch {
    // The process has ended; the earlier reading counts.
    return 0
  }
}

/** The environment of a process with the local model; `state` names a separate state. */
export function environmentOf(fixture: Fixture, origin: string, state = 'state'): Environment {
  // Compiled code is below the home folder, as for a user, and not where tests share theirs.
  const { NODE_COMPILE_CACHE: _, ...env } = fixture.env
  return {
    ...env,
    DRYDOCK_HOME: `${fixture.folder}/${state}`,
    ANTHROPIC_API_KEY: 'sk-bench',
    ANTHROPIC_BASE_URL: origin,
  }
}

export const anthropicModel = 'anthropic:claude-bench'

export function taskArguments(fixture: Fixture, model: string = anthropicModel): readonly string[] {
  return ['task', 'say new', '--json', '--repo', fixture.repo, '--model', model]
}
