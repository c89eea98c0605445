import { posix } from 'node:path'
import { insideRepository } from '../inside.ts'

/** One system call of a trace. */
export interface Call {
  readonly thread: number
  readonly name: string
  /** The arguments, as strace writes them. */
  readonly rest: string
  /** True if the call succeeded. */
  readonly isDone: boolean
  /** True if the requested path does not exist. */
  readonly isMissing: boolean
  /** The path of the returned descriptor. */
  readonly result: string | undefined
}

/** The calls of a trace with `looks`; null if a line is not a complete call. */
export function callsIn(lines: readonly string[]): readonly Call[] | null {
  const calls: Call[] = []
  for (const line of lines) {
    const call = /^(\d+)\s+(\w+)\((.*)\)\s+=\s(-?\d+|\?|0x[\da-f]+)(?:<(.*)>)?(?: (E\w+)? ?.*)?$/.exec(line)
    if (call === null || /"\.\.\./.test(line)) return null
    const [, thread, name = '', rest = '', code = '', result, error = ''] = call
    const isDone = /^\d|^0x/.test(code)
    const isMissing = ['ENOENT', 'ELOOP', 'ENOTDIR'].includes(error)
    calls.push({ thread: Number(thread), name, rest, isDone, isMissing, result: result && unescaped(result) })
  }
  return calls
}

/**
 * Finds the parent of each process, and the threads of one process. A trace may reveal the parent
 * after the first calls of a child.
 */
export function familyOf(lines: readonly string[]) {
  const parents = new Map<number, number>()
  const leaders = new Map<number, number>()
  let isReused = false
  const leaderOf = (id: number): number => {
    const leader = leaders.get(id)
    return leader === undefined ? id : leader
  }
  for (const line of lines) {
    const [, by, args = '', made] = /^(\d+)\s+(?:clone3?|v?fork)\((.*)\)\s+=\s(\d+)$/.exec(line) ?? []
    if (by === undefined) continue
    isReused ||= parents.has(Number(made)) || leaders.has(Number(made))
    if (args.includes('CLONE_THREAD')) leaders.set(Number(made), leaderOf(Number(by)))
    else parents.set(Number(made), leaderOf(Number(by)))
  }
  return { parents, leaderOf, isReused }
}

/** A path from the root of the repository; Python's compiled files count as their sources. */
export function inRepository(path: string): string | null {
  const compiled = path.lastIndexOf(`/pycache${insideRepository}/`)
  const real = compiled < 0 ? path : path.slice(compiled + '/pycache'.length)
  if (!real.startsWith(`${insideRepository}/`)) return null
  return real
    .slice(insideRepository.length + 1)
    .replace(/(?:__pycache__\/)?([^/.]+)\.(?:cpython|pypy)[^/]*\.pyc$/, '$1.py')
}

/** The absolute paths that a call asks about; relative ones start at `cwd`. */
export function pathsIn({ name, rest }: Call, cwd: string): readonly string[] {
  if (/^(?:getdents|fchdir)/.test(name))
    return [...rest.matchAll(/^\d+<(.*?)>/g)].map(([, path = '']) => unescaped(path))
  const named = /(?:(?:AT_FDCWD|\d+)<((?:[^>\\]|\\.)*)>, )?"((?:[^"\\]|\\.)*)"/g
  return [...rest.matchAll(named)].map(([, from, path = '']) =>
    posix.resolve(from === undefined ? cwd : unescaped(from), unescaped(path)),
  )
}

export function stringsOf(text: string): readonly string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inside = '']) => unescaped(inside))
}

const escapes: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, v: 11, f: 12 }

/** Decodes strace's escapes of bytes outside of printable ASCII. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  const bytes = text.replace(/\\(?:([0-7]{1,3})|x([0-9a-f]{2})|(.))/g, (_, octal?: string, hex?: string, one = '') =>
    String.fromCharCode(
      octal ? Number.parseInt(octal, 8) : hex ? Number.parseInt(hex, 16) : (escapes[one] ?? one.charCodeAt(0)),
    ),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
