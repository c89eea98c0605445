import { open, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute } from 'node:path'
import type { PlainMount } from '../../ports/sandbox.ts'
import { findProgram } from '../../processes/find-program.ts'
import { packageAround } from '../../processes/package-around.ts'
import { AgentBroke } from './agent-broke.ts'

export interface AgentProgram {
  /** The command line inside. */
  readonly argv: readonly [string, ...string[]]
  /** The program with its package, and the interpreter that its first line names. */
  readonly mounts: readonly PlainMount[]
}

const systemFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']
/** The first two arguments go before and after the PATH; either can be empty. */
const withPath = `PATH="\${1:+$1:}$PATH\${2:+:$2}"; export PATH; shift 2; exec "$@"`

/** Finds an agent's program on the host; what is shown of it inside has the same path there. */
export async function agentProgram(command: readonly string[], hostPath: string): Promise<AgentProgram> {
  const [name = '', ...args] = command
  const found = findProgram(name, hostPath)
  if (found === null)
    throw new AgentBroke('missing', isAbsolute(name) ? `there is no program ${name}` : `${name} is not on PATH`)
  const file = await realpath(found)
  const interpreter = await interpreterOf(file, hostPath)
  const shown = [packageAround(file), interpreter].filter((path) => path !== null).filter((path) => !isOfSystem(path))
  const before = interpreter === null || isOfSystem(interpreter) ? '' : folderInPath(interpreter)
  return {
    argv: ['/bin/sh', '-c', withPath, 'sh', before, folderInPath(file), file, ...args],
    mounts: shown.map((path) => ({ path, access: 'read' })),
  }
}

/** Every sandbox has its own of these. */
function isOfSystem(path: string): boolean {
  return systemFolders.includes(dirname(path))
}

/** A PATH has no way to write a colon. */
function folderInPath(file: string): string {
  const folder = dirname(file)
  return folder.includes(':') ? '' : folder
}

/** The program that a script's first line names; null for a file of another kind. */
async function interpreterOf(file: string, hostPath: string): Promise<string | null> {
  // A program can be started that cannot be read.
  const begin = await firstBytes(file).catch(() => '')
  const words = /^#!\s*(.+)/.exec(begin)?.[1]?.trim().split(/\s+/) ?? []
  const [program = '', ...rest] = words
  if (!isAbsolute(program)) return null
  if (basename(program) !== 'env') return program
  const name = rest.find((word) => !word.startsWith('-') && !word.includes('='))
  if (name === undefined) return null
  const found = findProgram(name, hostPath)
  if (found === null) throw new AgentBroke('missing', `${basename(file)} needs ${name}, which is not on PATH`)
  return found
}

async function firstBytes(file: string): Promise<string> {
  await using handle = await open(file, 'r')
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0)
  return buffer.toString('latin1', 0, bytesRead)
}
