import { constants } from 'node:fs'
import { chmod, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '../../../domain/limits.ts'
import { temporaryFolders } from '../../../domain/temporary-folders.ts'
import type { CommandTrace } from '../../../ports/command-trace.ts'
import type { CommandExit, SandboxCommand, SandboxResult, SandboxSpec } from '../../../ports/sandbox.ts'
import { quoted, straceWords } from '../tracer.ts'

/** Runs a command without tracing. */
type UntracedRun = (spec: SandboxSpec, command: Omit<SandboxCommand, 'trace'>) => Promise<SandboxResult<CommandExit>>

const inside = '/run/drydock-trace'

/**
 * Runs a command under strace(1) of the container's image, inside the container, because the host's
 * process is not a parent of the container's processes.
 */
export async function withTracer(
  spec: SandboxSpec,
  { trace, ...command }: SandboxCommand,
  run: UntracedRun,
): Promise<SandboxResult<CommandExit>> {
  if (trace === undefined) return run(spec, command)
  // The container's user may write into this folder; no other local user can enter its parent.
  const own = await mkdtemp(join(tmpdir(), temporaryFolders.trace))
  const folder = join(own, 'trace')
  try {
    await mkdir(folder)
    await chmod(folder, 0o777)
    const seen = { ...spec, mounts: [...spec.mounts, { path: folder, at: inside, access: 'write' as const }] }
    const ran = await run(seen, { ...command, command: traced(command.command, trace) })
    return ran.ok ? { ok: true, value: { ...ran.value, trace: await textOf(join(folder, 'trace')) } } : ran
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

/**
 * Runs the command under strace(1), including all its child processes. The exit code is the
 * command's own. The tracer gets a signal when the command has ended, since it would otherwise wait
 * for background processes. The tracer's own exit is not reported.
 */
function traced(command: string, trace: CommandTrace): string {
  const exitCode = `${inside}/exit-code`
  const inner = 'exec 2>&3 3>&-; /bin/sh -c "$1"; echo $? >"$2"; kill -TERM $PPID'
  const { keeps, leavesOut } = trace
  const filter = quoted(`|grep -aE ${quoted(keeps)} | grep -avE ${quoted(leavesOut)} >${inside}/trace`)
  return [
    'command -v strace >/dev/null || { echo "strace: not found"; exit 127; }',
    'exec 3>&2 2>/dev/null',
    `${straceWords(trace)} ${filter} -- /bin/sh -c ${quoted(inner)} sh ${quoted(command)} ${exitCode}`,
    `exit $(cat ${exitCode} || echo 125)`,
  ].join('\n')
}

/** The command may have replaced the file by anything, so links are not followed. */
async function textOf(path: string): Promise<string | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch(() => null)
  if (file === null) return null
  try {
    const { size } = await file.stat()
    return size > limits.trace.bytes ? null : await file.readFile('latin1')
  } finally {
    await file.close()
  }
}
