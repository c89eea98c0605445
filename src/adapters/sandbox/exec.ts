import type { CommandExit, SandboxCommand, SandboxResult } from '../../ports/sandbox.ts'
import { limitArguments } from './limit-arguments.ts'
import { openOutputPipe } from './output-pipe.ts'
import { type PreparedCommand, runToEnd, type SeenEnd } from './run-to-end.ts'
import { type StartInput, startSandbox } from './start.ts'
import { startFailure } from './start-failure.ts'
import { writableFolders } from './watch-space.ts'

const started = 'drydock: started'
/**
 * Reports on bwrap's standard error that the setup is complete, then connects both outputs of the
 * command to the pipe.
 */
const wrapper = `echo '${started}' >&2; exec 2>&1; exec /bin/sh -c "$1"`
const killedFromOutside = 'The sandbox was killed from outside, as the kernel does when memory runs out'

export interface ExecInput extends Omit<StartInput, 'argv' | 'stdin' | 'stdout'> {
  /** Prepends a program that must start before the command. */
  readonly wrap: (argv: readonly string[]) => readonly string[]
}

/** Runs one command in a new sandbox. */
export async function execOnce(
  input: ExecInput,
  command: Omit<SandboxCommand, 'services'> & PreparedCommand,
  signal: AbortSignal,
): Promise<SandboxResult<CommandExit>> {
  signal.throwIfAborted()
  const opened = await openOutputPipe()
  if (!opened.ok) return opened
  const pipe = opened.value
  const startedAt = performance.now()
  const sandbox = startSandbox({
    ...input,
    argv: input.wrap([...limitArguments(input.limits), '/bin/sh', '-c', wrapper, 'sh', command.command]),
    stdin: command.stdin === undefined ? 'ignore' : 'pipe',
    stdout: pipe.writeFd,
  })
  pipe.release()
  if (!sandbox.ok) {
    pipe.output.destroy()
    return sandbox
  }
  const { complaint, stdin, trace } = sandbox.value
  // The command need not read its input.
  stdin?.on('error', () => undefined).end(command.stdin)
  const seen = await runToEnd(
    {
      sandbox: sandbox.value,
      output: pipe.output,
      command,
      started: Promise.resolve(),
      writable: writableFolders(input.mounts),
    },
    signal,
  )
  const durationMs = performance.now() - (seen.preparedAt ?? startedAt)
  const traced = trace && { trace: await trace }
  return outcome({ ...seen, complaint: complaint(), durationMs, ...traced })
}

function outcome(
  seen: SeenEnd & { readonly complaint: string; readonly durationMs: number } & Pick<CommandExit, 'trace'>,
): SandboxResult<CommandExit> {
  const { end, complaint, timedOut, spaceTaken, durationMs, trace } = seen
  if (!end.spawned) return { ok: false, error: startFailure(end.error.message) }
  if (spaceTaken !== null) {
    return { ok: false, error: { errorType: 'resource_exhaustion', errorMessage: spaceTaken } }
  }
  if (!complaint.includes(started)) {
    const silence = timedOut ? `nothing ran within ${Math.round(durationMs)} ms` : 'bubblewrap said nothing'
    return { ok: false, error: startFailure(complaint.trim() || silence) }
  }
  const traced = trace !== undefined && { trace }
  if (timedOut) return { ok: true, value: { exitCode: null, timedOut, durationMs, ...traced } }
  if (end.exitCode === null) {
    return { ok: false, error: { errorType: 'resource_exhaustion', errorMessage: killedFromOutside } }
  }
  return { ok: true, value: { exitCode: end.exitCode, timedOut, durationMs, ...traced } }
}
