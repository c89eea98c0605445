import type { CommandExit, SandboxCommand, SandboxResult } from '../../../ports/sandbox.ts'
import { type PreparedCommand, runToEnd, type SeenEnd } from '../run-to-end.ts'
import { writableFolders } from '../watch-space.ts'
import type { ContainerClient } from './client.ts'
import { containerFailure, failure } from './container-failure.ts'
import { execScript, parseEnded, scriptReader, startedMark } from './exec-script.ts'
import { dataLimit } from './run-arguments.ts'
import { type ContainerInput, startContainer } from './start-container.ts'

/** The time that a container may take before its command runs. */
const startMs = 60_000

export interface ExecInput extends Omit<ContainerInput, 'argv' | 'onLine'> {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Wraps the command line. */
  readonly wrap: (argv: readonly string[]) => readonly string[]
}

/** Runs one command in a new container. Its timeout starts when the command runs. */
export async function execInContainer(
  client: ContainerClient,
  input: ExecInput,
  command: Omit<SandboxCommand, 'services'> & PreparedCommand,
  signal: AbortSignal,
): Promise<SandboxResult<CommandExit>> {
  const { cwd, env, limits } = input
  const script = execScript({ cwd, env, command: command.command, limit: dataLimit(limits) })
  const marks = watchMarks()
  const container = await startContainer(client, {
    ...input,
    argv: input.wrap(scriptReader(script)),
    onLine: marks.onLine,
  })
  if (!container.ok) return container
  const { stdin, stdout, complaint, kill } = container.value
  if (stdin === null || stdout === null) throw new Error('a container was started without pipes')
  // The command need not read its input.
  stdin.on('error', () => undefined)
  stdin.write(script)
  stdin.end(command.stdin)
  const overdue = setTimeout(kill, startMs)
  marks.started.then(() => clearTimeout(overdue))
  const writable = writableFolders(input.mounts)
  const running = { sandbox: container.value, output: stdout, command, started: marks.started, writable }
  const seen = await runToEnd(running, signal).finally(() => clearTimeout(overdue))
  return outcome(
    { ...seen, ...marks.seen(seen.preparedAt), complaint: complaint() },
    { program: client.program, image: input.image.name },
  )
}

interface Marks {
  readonly durationMs: number | null
  readonly ended: ReturnType<typeof parseEnded>
}

function watchMarks() {
  const begun = Promise.withResolvers<void>()
  let startedAt: number | null = null
  let endedAt: number | null = null
  let ended: Marks['ended'] = null
  return {
    started: begun.promise,
    onLine(line: string): boolean {
      if (startedAt === null && line === startedMark) {
        startedAt = performance.now()
        begun.resolve()
        return true
      }
      const parsed = startedAt === null ? null : parseEnded(line)
      if (parsed === null) return false
      endedAt = performance.now()
      ended = parsed
      return true
    },
    seen: (preparedAt: number | null): Marks => ({
      durationMs: startedAt === null ? null : (endedAt ?? performance.now()) - (preparedAt ?? startedAt),
      ended,
    }),
  }
}

function outcome(
  { end, timedOut, spaceTaken, durationMs, ended, complaint }: SeenEnd & Marks & { readonly complaint: string },
  names: Parameters<typeof containerFailure>[0],
): SandboxResult<CommandExit> {
  if (!end.spawned) return { ok: false, error: containerFailure(names, end.error.message) }
  if (spaceTaken !== null) return { ok: false, error: failure('resource_exhaustion', spaceTaken) }
  if (durationMs === null) return { ok: false, error: containerFailure(names, complaint) }
  if (timedOut) return { ok: true, value: { exitCode: null, timedOut, durationMs } }
  if (ended?.exitCode === 137 && ended.outOfMemory) {
    return { ok: false, error: failure('resource_exhaustion', 'The container ran out of memory') }
  }
  // The container program has its own exit codes, and pid 1 can be killed from outside.
  if (ended === null || ended.exitCode !== end.exitCode) {
    const because = complaint || 'it was killed from outside, as the kernel does when memory runs out'
    return { ok: false, error: failure('resource_exhaustion', `The container ended before its command: ${because}`) }
  }
  return { ok: true, value: { exitCode: ended.exitCode, timedOut, durationMs } }
}
