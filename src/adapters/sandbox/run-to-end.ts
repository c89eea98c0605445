import type { Readable } from 'node:stream'
import type { SandboxCommand } from '../../ports/sandbox.ts'
import type { SandboxEnd, StartedSandbox } from './start.ts'

export interface CommandInSandbox {
  readonly sandbox: Pick<StartedSandbox, 'kill' | 'gone'>
  readonly output: Readable
  readonly command: Pick<SandboxCommand, 'timeoutMs' | 'onOutput'>
  /** The command's time counts from when this resolves. */
  readonly started: Promise<void>
}

export interface SeenEnd {
  readonly end: SandboxEnd
  readonly timedOut: boolean
}

/** Waits until a command's sandbox is gone, which is forced when its time is over, `signal` aborts, or nobody wants its output any more. */
export async function runToEnd(input: CommandInSandbox, signal: AbortSignal): Promise<SeenEnd> {
  const { kill, gone } = input.sandbox
  const deadline = startDeadline(input, kill)
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  try {
    const [end] = await Promise.all([gone, drain(input.output, input.command.onOutput)])
    signal.throwIfAborted()
    return { end, timedOut: deadline.passed() }
  } finally {
    signal.removeEventListener('abort', kill)
    deadline.clear()
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
