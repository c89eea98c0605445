import { Readable, type Stream } from 'node:stream'
import { limits } from '../../domain/limits.ts'
import type { CommandTrace } from '../../ports/command-trace.ts'
import { quoted, straceWords } from './tracer.ts'

/** Descriptors of the tracer: what it writes, and the word that it may begin. */
interface TracerSlots {
  readonly out: number
  readonly go: number
}

/** A trace of one command, of which only the host knows. */
export interface OutsideTrace extends CommandTrace {
  /** Programs of the shell's process before it becomes the command's. */
  readonly execs: number
}

/** The start of the shell that becomes the command's, as strace writes it. */
const marked = /^(\d+)\s+execve\("\/bin\/sh", \["\/bin\/sh", "-c", "echo 'drydock: started'/
/** Leaves no line out that strace writes. */
const noLine = '^$'
const makesProcess = '(execve(at)?|clone3?|v?fork)\\('

/**
 * The command line that runs a sandbox under strace(1). The tracer is no process of the sandbox:
 * from inside nobody has one. It waits for a word, for what it starts is bounded as it is. Its end
 * is the sandbox's. When it is killed, the sandbox is, and it dies with this process.
 */
export function underTracer(trace: CommandTrace, { out, go }: TracerSlots, argv: readonly string[]): readonly string[] {
  const filter = quoted(`|exec ${filterOf(trace)} >&${out}`)
  const strace = `${straceWords(trace)} ${filter} --pidns-translation`
  const start = `read -r go <&${go} || exit; exec ${go}<&-; exec setpriv --pdeathsig KILL ${strace} -- /bin/sh -c`
  // A shell adds to its environment, which can be read from inside.
  const inner = `exec ${out}>&-; exec env -i PATH="$PATH" "$@"`
  return ['/bin/sh', '-c', `${start} ${quoted(inner)} sh "$@"`, 'sh', ...argv]
}

/** Lines about processes are kept in any case: they tell which of the others are the command's. */
function filterOf({ keeps, leavesOut }: CommandTrace): string {
  if (leavesOut === noLine) return `grep -aE ${quoted(`${makesProcess}|${keeps}`)}`
  return `sed -nE ${quoted(`\\%${makesProcess}%{p;b};\\%${leavesOut}%b;\\%${keeps}%p`)}`
}

/** Reads what the tracer writes; null when it is more than is looked at, or not whole. */
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

interface Made {
  readonly by: string
  readonly made: string
  readonly inside: string
  readonly at: number
}

const making = /^(\d+)\s+(?:clone3?|v?fork)\(.*\)\s+=\s(\d+) \/\* (\d+) in strace's PID NS \*\/$/
const translated = / \/\* \d+ in strace's PID NS \*\//g

/**
 * The lines of the command and all that it starts, with the numbers of their processes inside; null
 * where its beginning is not found.
 */
export function asFromInside(lines: readonly string[], execs: number): readonly string[] | null {
  const shell = lines.findIndex((line) => marked.test(line))
  const root = marked.exec(lines[shell] ?? '')?.[1]
  if (root === undefined) return null
  // A short number is followed by more blanks.
  const isExec = (line: string) => /^(\d+) +execve\(/.exec(line)?.[1] === root
  let begin = shell
  for (let left = execs; left > 0 && begin >= 0; left -= 1)
    begin = lines.findIndex((line, i) => i > begin && isExec(line))
  if (begin < 0) return null
  const born = lines.flatMap((line, at): readonly Made[] => {
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

/** Processes that were there before the command, and what these have started. */
function othersThan(
  root: string,
  { lines, born, begin }: { readonly lines: readonly string[]; readonly born: readonly Made[]; readonly begin: number },
): ReadonlySet<string> {
  const others = new Set(lines.slice(0, begin).flatMap((line) => /^\d+/.exec(line)?.[0] ?? []))
  for (const { by, made, at } of born) if (by === root && at < begin) others.add(made)
  others.delete(root)
  // A process may be seen before the call that made it.
  for (let before = -1; before < others.size; ) {
    before = others.size
    for (const { by, made } of born) if (others.has(by) && made !== root) others.add(made)
  }
  return others
}
