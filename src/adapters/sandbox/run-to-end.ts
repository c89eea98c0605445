import type { Readable } from 'node:stream'
import type { SandboxCommand } from '../../ports/sandbox.ts'
import type { SandboxEnd, StartedSandbox } from './start.ts'
import { watchSpace } from './watch-space.ts'

/** The work in a sandbox before its command runs. */
export interface Preparation {
  readonly over: Promise<void>
  readonly mostMs: number
}

export interface CommandInSandbox {
  readonly sandbox: Pick<StartedSandbox, 'kill' | 'gone'>
  readonly output: Readable
  readonly command: PreparedCommand
  /** Resolves when the timeout of the command, or of its preparation, starts. */
  readonly started: Promise<void>
  /** Host folders that the command can fill. */
  readonly writable: readonly string[]
}

export interface PreparedCommand extends Pick<SandboxCommand, 'timeoutMs' | 'onOutput'> {
  readonly preparation?: Preparation
}

export interface SeenEnd {
  readonly end: SandboxEnd
  /**
   * The time of `performance` at which the preparation ended; null if there was none, or if it did
   * not end.
   */
  readonly preparedAt: number | null
  readonly timedOut: boolean
  /** The message for a command that was ended because it left too little disk space. */
  readonly spaceTaken: string | null
}

/**
 * Waits until a command's sandbox is gone. The sandbox is killed on timeout, when disk space runs
 * out, when `signal` aborts, and when its output is no longer wanted.
 */
export async function runToEnd(input: CommandInSandbox, signal: AbortSignal): Promise<SeenEnd> {
  const { kill, gone } = input.sandbox
  const deadline = startDeadline(input, kill)
  const space = watchSpace(input.writable, kill)
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  try {
    const [end] = await Promise.all([gone, drain(input.output, input.command.onOutput)])
    signal.throwIfAborted()
    return { end, preparedAt: deadline.preparedAt(), timedOut: deadline.passed(), spaceTaken: space.taken() }
  } finally {
    signal.removeEventListener('abort', kill)
    deadline.clear()
    space.stop()
    kill()
    await gone
  }
}

async function drain(output: Readable, onOutput: SandboxCommand['onOutput']): Promise<void> {
  for await (const chunk of output) onOutput?.(chunk)
}

function startDeadline({ started, command }: CommandInSandbox, onPassed: () => void) {
  const { timeoutMs, preparation } = command
  let passed = false
  let isOver = false
  let preparedAt: number | null = null
  let timer: NodeJS.Timeout | undefined
  const setTimer = (ms: number) => {
    clearTimeout(timer)
    if (isOver) return
    timer = setTimeout(() => {
      passed = true
      onPassed()
    }, ms)
  }
  started.then(() => setTimer(preparation?.mostMs ?? timeoutMs))
  preparation?.over.then(() => {
    preparedAt = performance.now()
    setTimer(timeoutMs)
  })
  return {
    passed: () => passed,
    preparedAt: () => preparedAt,
    clear: () => {
      isOver = true
      clearTimeout(timer)
    },
  }
}
