import { limits } from '../../domain/limits.ts'
import type { CommandTrace } from '../../ports/command-trace.ts'
import type { Sandbox } from '../../ports/sandbox.ts'

const calls = 'open,openat,openat2,execve,execveat,clone,clone3,fork,vfork'

/** Calls for `looks`. The question mark means that some architectures lack the call. */
const looks = [
  '%file',
  '?getdents',
  'getdents64',
  '?fchdir',
  '?clone',
  '?clone3',
  '?fork',
  '?vfork',
  '?connect',
  'unshare',
  'setns',
  'ptrace',
  'process_vm_readv',
  '?pidfd_getfd',
  '?io_uring_setup',
  '?open_by_handle_at',
  '?move_mount',
  '?fanotify_init',
  '?shmget',
  '?semget',
  '?msgget',
  '?mq_open',
].join(',')

/** The arguments that start strace(1), to be followed by the output. */
export function straceWords({ looks: isLooking = false }: Pick<CommandTrace, 'looks'>): string {
  // With a selection of results, strace prints a call and its result on one line.
  const what = isLooking ? `-e status=successful,failed,unavailable -e trace=${looks}` : `-z -e trace=${calls}`
  return `strace -f -I 2 --seccomp-bpf -qq -y -s 4096 -e signal=none ${what} -o`
}

export type Tracer = { readonly ok: true } | { readonly ok: false; readonly reason: string }

/** Traces `true` in a sandbox, since an installed strace may still not be permitted to work. */
export async function probeTracer(sandbox: Pick<Sandbox, 'exec'>): Promise<Tracer> {
  const spec = { mounts: [], cwd: '/', env: {}, limits: limits.sandbox }
  let said = ''
  const onOutput = (chunk: Uint8Array) => {
    said = (said + Buffer.from(chunk).toString()).slice(-limits.trace.reasonChars)
  }
  const trace = { keeps: 'execve(at)?\\(', leavesOut: '^$' }
  const command = { command: 'true', timeoutMs: limits.trace.probeMs, onOutput, trace }
  const ran = await sandbox.exec(spec, command, new AbortController().signal)
  if (ran.ok && ran.value.exitCode === 0 && ran.value.trace?.includes('execve')) return { ok: true }
  const words = ran.ok ? said : ran.error.errorMessage
  if (/strace: (?:command )?not found|execute strace: No such file/.test(words))
    return { ok: false, reason: 'strace is not installed there' }
  const reason = words.trim().split('\n').at(-1) ?? ''
  return { ok: false, reason: reason === '' ? 'strace does not work in this sandbox' : reason }
}

/** The reason why tracing does not work; null if it works. */
export function whyNot(tracer: Tracer): string | null {
  return tracer.ok ? null : tracer.reason
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
