import { open, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute } from 'node:path'
import { findProgram } from './find-program.ts'
import { packageAround } from './package-around.ts'

export interface ProgramAround {
  /** The command line inside a sandbox. */
  readonly argv: readonly [string, ...string[]]
  /** The program's file. */
  readonly file: string
  /** The program with its package, and the interpreter that its first line names. */
  readonly shown: readonly string[]
}

const systemFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']
/** The first two arguments are put before and after PATH; either may be empty. */
const withPath = `PATH="\${1:+$1:}$PATH\${2:+:$2}"; export PATH; shift 2; exec "$@"`

/**
 * Finds a program on the host. Its files are mounted in the sandbox under the same paths. A text
 * gives the reason why it was not found.
 */
export async function programAround(command: readonly string[], hostPath: string): Promise<ProgramAround | string> {
  const [name = '', ...args] = command
  const found = findProgram(name, hostPath)
  if (found === null) return isAbsolute(name) ? `there is no program ${name}` : `${name} is not on PATH`
  const file = await realpath(found)
  const wanted = await interpreterOf(file)
  const interpreter = wanted === null || isAbsolute(wanted) ? wanted : findProgram(wanted, hostPath)
  if (wanted !== null && interpreter === null) return `${basename(file)} needs ${wanted}, which is not on PATH`
  const shown = [packageAround(file), interpreter].filter((path) => path !== null).filter((path) => !isOfSystem(path))
  const before = interpreter === null || isOfSystem(interpreter) ? '' : folderInPath(interpreter)
  return { argv: ['/bin/sh', '-c', withPath, 'sh', before, folderInPath(file), file, ...args], file, shown }
}

/** True for a path that every sandbox already has. */
function isOfSystem(path: string): boolean {
  return systemFolders.includes(dirname(path))
}

/** PATH has no escape for a colon. */
function folderInPath(file: string): string {
  const folder = dirname(file)
  return folder.includes(':') ? '' : folder
}

/** The interpreter in a script's first line, or its name; null for a file of another kind. */
async function interpreterOf(file: string): Promise<string | null> {
  // A file may be executable without being readable.
  const begin = await firstBytes(file).catch(() => '')
  const words = /^#!\s*(.+)/.exec(begin)?.[1]?.trim().split(/\s+/) ?? []
  const [program = '', ...rest] = words
  if (!isAbsolute(program)) return null
  if (basename(program) !== 'env') return program
  return rest.find((word) => !word.startsWith('-') && !word.includes('=')) ?? null
}

async function firstBytes(file: string): Promise<string> {
  await using handle = await open(file, 'r')
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0)
  return buffer.toString('latin1', 0, bytesRead)
}
