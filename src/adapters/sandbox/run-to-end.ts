import type { Readable } from 'node:stream'
import type { SandboxCommand } from '../../ports/sandbox.ts'
import type { SandboxEnd, StartedSandbox } from './start.ts'
import { watchSpace } from './watch-space.ts'

/** What happens in a sandbox before its command runs. */
export interface Preparation {
  readonly over: Promise<void>
  readonly mostMs: number
}

export interface CommandInSandbox {
  readonly sandbox: Pick<StartedSandbox, 'kill' | 'gone'>
  readonly output: Readable
  readonly command: PreparedCommand
  /** The command's time, or that of its preparation, counts from when this resolves. */
  readonly started: Promise<void>
  /** Folders of the host that it can fill. */
  readonly writable: readonly string[]
}

export interface PreparedCommand extends Pick<SandboxCommand, 'timeoutMs' | 'onOutput'> {
  readonly preparation?: Preparation
}

export interface SeenEnd {
  readonly end: SandboxEnd
  /** When the preparation was over, of `performance`; null when there was none, or it was not. */
  readonly preparedAt: number | null
  readonly timedOut: boolean
  /** Of a command that was ended because it left too little space on a disk. */
  readonly spaceTaken: string | null
}

/**
 * Waits until a command's sandbox is gone, which is forced when its time or a disk's space is over,
 * `signal` aborts, or nobody wants its output any more.
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
