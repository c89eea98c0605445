import type { RunnerReplies } from '../../../ports/sandbox.ts'
import type { Background } from './background.ts'
import { headAndTail } from './head-and-tail.ts'
import { workFolder } from './paths.ts'
import type { Request, RunnerSetup } from './protocol.ts'
import { exitOf, makePipe, spawnCommand } from './spawn-command.ts'

export function createRun(setup: RunnerSetup, root: string, background: Background) {
  let pipe: string | null = null

  return async (request: Request<'run'>, signal: AbortSignal): Promise<RunnerReplies['run']> => {
    const cwd = workFolder(root, request.cwd ?? '.')
    pipe ??= makePipe().path
    const killOthers = background.guard()
    const startedAt = performance.now()
    const { child, reader } = spawnCommand(pipe, { ...setup, cwd, command: request.command })
    const output = headAndTail(reader, request.maxBytes)
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      killOthers()
    }, request.timeoutMs)
    signal.addEventListener('abort', killOthers)
    try {
      const exitCode = await exitOf(child)
      const durationMs = performance.now() - startedAt
      while (killOthers()) await new Promise((resolve) => setImmediate(resolve))
      return {
        exitCode: timedOut || signal.aborted ? null : exitCode,
        timedOut,
        durationMs,
        // The output ends when the last process closes the pipe.
        ...(await output),
      }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', killOthers)
    }
  }
}
