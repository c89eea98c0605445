import { Readable, type Stream } from 'node:stream'
import { limits } from '../../domain/limits.ts'
import type { CommandTrace } from '../../ports/command-trace.ts'
import { quoted, straceWords } from './tracer.ts'

/** Descriptors of the tracer: its output, and the signal to begin. */
interface TracerSlots {
  readonly out: number
  readonly go: number
}

/** A trace of one command, which is visible to the host only. */
export interface OutsideTrace extends CommandTrace {
  /** The number of programs that the shell's process runs before it becomes the command. */
  readonly execs: number
}

/** The start of the shell that becomes the command, in strace's format. */
const marked = /^(\d+)\s+execve\("\/bin\/sh", \["\/bin\/sh", "-c", "echo 'drydock: started'/
/** A pattern that excludes none of strace's lines. */
const noLine = '^$'
const makesProcess = '(execve(at)?|clone3?|v?fork)\\('

/**
 * The command line that runs a sandbox under strace(1). The tracer is outside the sandbox, so no
 * process inside can reach it. The tracer waits for a word until it is under its limits, and exits
 * with the sandbox's exit code. If the tracer is killed, so is the sandbox, and the tracer dies
 * with this process.
 */
export function underTracer(trace: CommandTrace, { out, go }: TracerSlots, argv: readonly string[]): readonly string[] {
  const filter = quoted(`|exec ${filterOf(trace)} >&${out}`)
  const strace = `${straceWords(trace)} ${filter} --pidns-translation`
  const start = `read -r go <&${go} || exit; exec ${go}<&-; exec setpriv --pdeathsig KILL ${strace} -- /bin/sh -c`
  // A shell adds variables to its environment, which would be readable from inside.
  const inner = `exec ${out}>&-; exec env -i PATH="$PATH" "$@"`
  return ['/bin/sh', '-c', `${start} ${quoted(inner)} sh "$@"`, 'sh', ...argv]
}

/**
 * Lines about processes are always kept, since they show which of the other lines belong to the
 * command.
 */
function filterOf({ keeps, leavesOut }: CommandTrace): string {
  if (leavesOut === noLine) return `grep -aE ${quoted(`${makesProcess}|${keeps}`)}`
  return `sed -nE ${quoted(`\\%${makesProcess}%{p;b};\\%${leavesOut}%b;\\%${keeps}%p`)}`
}

/** Reads the tracer's output; null if it is too long or incomplete. */
export async function traceOf(
  stream: Stream | null | undefined,
  { keeps, leavesOut, execs }: OutsideTrace,
): Promise<string | null> {
  if (!(stream instanceof Readable)) return null
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of stream) {
      bytes += chunk.length
      if (bytes <= limits.trace.bytes) chunks.push(chunk)
    }
  } catch {
    return null
  }
  if (bytes > limits.trace.bytes) return null
  const [isKept, isLeftOut] = [new RegExp(keeps), new RegExp(leavesOut)]
  const lines = asFromInside(Buffer.concat(chunks).toString('latin1').split('\n'), execs)
  if (lines === null) return null
  return lines.map((line) => (isKept.test(line) && !isLeftOut.test(line) ? `${line}\n` : '')).join('')
}

interface ForkRecord {
  readonly by: string
  readonly made: string
  readonly inside: string
  readonly at: number
}

const making = /^(\d+)\s+(?:clone3?|v?fork)\(.*\)\s+=\s(\d+) \/\* (\d+) in strace's PID NS \*\/$/
const translated = / \/\* \d+ in strace's PID NS \*\//g

/**
 * The lines of the command and its descendants, with process ids as seen inside; null if the
 * command's start is not found.
 */
export function asFromInside(lines: readonly string[], execs: number): readonly string[] | null {
  const shell = lines.findIndex((line) => marked.test(line))
  const root = marked.exec(lines[shell] ?? '')?.[1]
  if (root === undefined) return null
  // strace pads short ids with blanks.
  const isExec = (line: string) => /^(\d+) +execve\(/.exec(line)?.[1] === root
  let begin = shell
  for (let left = execs; left > 0 && begin >= 0; left -= 1)
    begin = lines.findIndex((line, i) => i > begin && isExec(line))
  if (begin < 0) return null
  const born = lines.flatMap((line, at): readonly ForkRecord[] => {
    const [, by = '', inside = '', made] = making.exec(line) ?? []
    return made === undefined ? [] : [{ by, made, inside, at }]
  })
  const numbers = new Map(born.map(({ made, inside }) => [made, inside]))
  const others = othersThan(root, { lines, born, begin })
  return lines.slice(begin).flatMap((line) => {
    const by = /^\d+/.exec(line)?.[0]
    if (by === undefined || others.has(by)) return []
    return [line.replace(by, numbers.get(by) ?? by).replace(translated, '')]
  })
}

/** Processes that existed before the command, and their descendants. */
function othersThan(
  root: string,
  {
    lines,
    born,
    begin,
  }: { readonly lines: readonly string[]; readonly born: readonly ForkRecord[]; readonly begin: number },
): ReadonlySet<string> {
  const others = new Set(lines.slice(0, begin).flatMap((line) => /^\d+/.exec(line)?.[0] ?? []))
  for (const { by, made, at } of born) if (by === root && at < begin) others.add(made)
  others.delete(root)
  // strace may report a process before the call that created it.
  for (let before = -1; before < others.size; ) {
    before = others.size
    for (const { by, made } of born) if (others.has(by) && made !== root) others.add(made)
  }
  return others
}
