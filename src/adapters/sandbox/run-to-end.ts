import type { Readable } from 'node:stream'
import type { SandboxCommand } from '../../ports/sandbox.ts'
import type { SandboxEnd, StartedSandbox } from './start.ts'
import { watchSpace } from './watch-space.ts'

export interface CommandInSandbox {
  readonly sandbox: Pick<StartedSandbox, 'kill' | 'gone'>
  readonly output: Readable
  readonly command: Pick<SandboxCommand, 'timeoutMs' | 'onOutput'>
  /** The command's time counts from when this resolves. */
  readonly started: Promise<void>
  /** Folders of the host that it can fill. */
  readonly writable: readonly string[]
}

export interface SeenEnd {
  readonly end: SandboxEnd
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
    return { end, timedOut: deadline.passed(), spaceTaken: space.taken() }
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
  let passed = false
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  started.then(() => {
    if (isOver) return
    timer = setTimeout(() => {
      passed = true
      onPassed()
    }, command.timeoutMs)
  })
  return {
    passed: () => passed,
    clear: () => {
      isOver = true
      clearTimeout(timer)
    },
  }
}
