import { limits } from '../../domain/limits.ts'
import type { RunFolder } from '../../ports/artifacts.ts'
import type { Sandbox, SandboxSpec } from '../../ports/sandbox.ts'
import { insideRepository } from '../inside.ts'
import { createOutputTail } from '../output-tail.ts'

/** Where a traced step leaves its trace, below ARTIFACT_DIR. */
export const traceFile = 'logs/.drydock-trace'
const codeFile = 'logs/.drydock-exit-code'

const calls = 'open,openat,openat2,execve,execveat,clone,clone3,fork,vfork'

/**
 * Keeps lines about the repository's own files, also where Python reads what it has compiled of
 * one, about programs and about new processes. What is installed is no file of the tree.
 */
const kept = `(execve(at)?|clone3?|v?fork)\\(|<${insideRepository}/|/pycache${insideRepository}/`
const leftOut = `<${insideRepository}/([^>]*/)?node_modules/`

const tracer = 'strace -f -I 2 --seccomp-bpf -qq -z -y'

/**
 * The command, run under strace(1) with all processes that it starts. It ends like the command
 * itself. The tracer is told when the command has ended, because it would otherwise wait for
 * background processes. The tracer's own end is not reported.
 */
export function traced(command: string, folder: string): string {
  const [trace, code] = [`${folder}/${traceFile}`, `${folder}/${codeFile}`]
  const filter = `|grep -aE ${quoted(kept)} | grep -avE ${quoted(leftOut)} >${quoted(trace)}`
  const inner = 'exec 2>&3 3>&-; /bin/sh -c "$1"; echo $? >"$2"; kill -TERM $PPID'
  const strace = [tracer, `-s 4096 -e signal=none -e trace=${calls} -o`, quoted(filter)]
  return [
    `rm -f ${quoted(code)}`,
    'exec 3>&2 2>/dev/null',
    `${strace.join(' ')} -- /bin/sh -c ${quoted(inner)} sh ${quoted(command)} ${quoted(code)}`,
    `exit $(cat ${quoted(code)} || echo 125)`,
  ].join('\n')
}

export interface TracePlace {
  readonly spec: SandboxSpec
  readonly folder: Pick<RunFolder, 'path' | 'report' | 'forget'>
}

/**
 * The reason, in plain words, why commands cannot be traced in such a sandbox; null when they can.
 */
export async function whyNotTraced(
  sandbox: Sandbox,
  { spec, folder }: TracePlace,
  signal: AbortSignal,
): Promise<string | null> {
  const tail = createOutputTail(limits.trace.reasonChars, 1)
  const tries = [
    'command -v strace >/dev/null || { echo "strace is not installed there"; exit 127; }',
    `${tracer} -o /dev/null true || exit`,
    traced('true', folder.path),
  ]
  const command = { command: tries.join('\n'), timeoutMs: limits.trace.probeMs, onOutput: tail.push }
  const ran = await sandbox.exec(spec, command, signal)
  if (!ran.ok) return ran.error.errorMessage
  const seen = await takeTrace(folder)
  if (ran.value.exitCode === 0 && seen?.includes('execve')) return null
  const said = tail.text().trim()
  return said === '' ? 'strace does not work in this sandbox' : said
}

/** The trace that a traced command left; null when it is too long to read. */
export async function takeTrace({ report, forget }: TracePlace['folder']): Promise<string | null> {
  const text = await report(traceFile, limits.trace.bytes)
  await forget(traceFile)
  await forget(codeFile)
  return text
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
