import { limits } from '../../domain/limits.ts'
import type { CommandTrace } from '../../ports/command-trace.ts'
import type { Sandbox, SandboxCommand } from '../../ports/sandbox.ts'

const calls = 'open,openat,openat2,execve,execveat,clone,clone3,fork,vfork'

/** For `looks`; a kind of machine lacks those with a question mark. */
const looks = [
  ...['%file', '?getdents', 'getdents64', '?fchdir', '?clone', '?clone3', '?fork', '?vfork', '?connect', 'unshare'],
  ...['setns', 'ptrace', 'process_vm_readv', '?pidfd_getfd', '?io_uring_setup', '?open_by_handle_at', '?move_mount'],
  ...['?fanotify_init', '?shmget', '?semget', '?msgget', '?mq_open'],
].join(',')

// With a choice of ends a call and its end are one line.
const tracer = 'strace -f -I 2 --seccomp-bpf -qq -y'
const succeeds = '-z'
const ends = '-e status=successful,failed,unavailable'

/** The command as the sandbox runs it: under the tracer if it is to be traced. */
export function withTracer({ trace, ...command }: SandboxCommand): Omit<SandboxCommand, 'trace'> {
  return trace === undefined ? command : { ...command, command: traced(command.command, trace) }
}

/**
 * The command, run under strace(1) with all processes that it starts. It ends like the command
 * itself. The tracer is told when the command has ended, because it would otherwise wait for
 * background processes. The tracer's own end is not reported.
 */
function traced(command: string, { file, exitCode, keeps, leavesOut, looks: isLooking = false }: CommandTrace): string {
  const filter = `|grep -aE ${quoted(keeps)} | grep -avE ${quoted(leavesOut)} >${quoted(file)}`
  const inner = 'exec 2>&3 3>&-; /bin/sh -c "$1"; echo $? >"$2"; kill -TERM $PPID'
  const what = isLooking ? `${ends} -e trace=${looks}` : `${succeeds} -e trace=${calls}`
  const strace = [tracer, `-s 4096 -e signal=none ${what} -o`, quoted(filter)]
  return [
    `rm -f ${quoted(exitCode)}`,
    'exec 3>&2 2>/dev/null',
    `${strace.join(' ')} -- /bin/sh -c ${quoted(inner)} sh ${quoted(command)} ${quoted(exitCode)}`,
    `exit $(cat ${quoted(exitCode)} || echo 125)`,
  ].join('\n')
}

export type Tracer = { readonly ok: true } | { readonly ok: false; readonly reason: string }

const probed: CommandTrace = {
  ...{ file: '/tmp/trace', exitCode: '/tmp/exit-code' },
  ...{ keeps: 'execve(at)?\\(', leavesOut: '^$' },
}

/** Traces `true` in a sandbox, because having strace does not mean that it may do its work. */
export async function probeTracer(sandbox: Pick<Sandbox, 'exec'>): Promise<Tracer> {
  const tries = [
    'command -v strace >/dev/null || { echo "strace is not installed there"; exit 127; }',
    `${tracer} ${succeeds} -o /dev/null true || exit`,
    `(${traced('true', probed)}) || exit`,
    `grep -q execve ${probed.file}`,
  ]
  let said = ''
  const onOutput = (chunk: Uint8Array) => {
    said = (said + Buffer.from(chunk).toString()).slice(-limits.trace.reasonChars)
  }
  const spec = { mounts: [], cwd: '/', env: {}, limits: limits.sandbox }
  const command = { command: tries.join('\n'), timeoutMs: limits.trace.probeMs, onOutput }
  const ran = await sandbox.exec(spec, command, new AbortController().signal)
  if (!ran.ok) return { ok: false, reason: ran.error.errorMessage }
  if (ran.value.exitCode === 0) return { ok: true }
  const reason = said.trim().split('\n').at(-1) ?? ''
  return { ok: false, reason: reason === '' ? 'strace does not work in this sandbox' : reason }
}

/** What the port says about it: null when it works. */
export function whyNot(tracer: Tracer): string | null {
  return tracer.ok ? null : tracer.reason
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
