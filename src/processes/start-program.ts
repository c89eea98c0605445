import {
  type ChildProcess,
  type ChildProcessByStdio,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
  type SpawnOptionsWithStdioTuple,
  spawn,
} from 'node:child_process'
import { isAbsolute } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { findProgram } from './find-program.ts'
import { hostPath, systemPath } from './host-path.ts'

/** The whole environment of the program: it inherits nothing of this process. */
export type ProgramEnvironment = Readonly<Record<string, string | undefined>>

interface Place {
  readonly env: ProgramEnvironment
  readonly cwd: string
}

type Piped = 'pipe'
type Closed = 'ignore'

/**
 * Starts a program on the host, the only way in which Node does so here; a shell that it started
 * starts more, see `runInGroup`. A name is looked up in `env.PATH`, in absolute folders only, and
 * started by its absolute path: nothing that lies in `cwd` ever runs for its name. No shell reads
 * the arguments. A program that is not found ends with an `error` event, ENOENT.
 */
export function startProgram(
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptionsWithStdioTuple<Piped, Piped, Piped>, 'env' | 'cwd' | 'shell'> & Place,
): ChildProcessWithoutNullStreams
export function startProgram(
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptionsWithStdioTuple<Piped, Closed, Closed>, 'env' | 'cwd' | 'shell'> & Place,
): ChildProcessByStdio<Writable, null, null>
export function startProgram(
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptionsWithStdioTuple<Closed, Piped, Piped>, 'env' | 'cwd' | 'shell'> & Place,
): ChildProcessByStdio<null, Readable, Readable>
export function startProgram(
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptions, 'env' | 'cwd' | 'shell'> & Place,
): ChildProcess
export function startProgram(
  program: string,
  args: readonly string[],
  { env, cwd, ...options }: Omit<SpawnOptions, 'env' | 'cwd' | 'shell'> & Place,
): ChildProcess {
  const { path } = hostPath(env.PATH ?? systemPath)
  const file = isAbsolute(program) ? program : (findProgram(program, path) ?? missing(program))
  return spawn(file, [...args], {
    ...options,
    cwd,
    env: { ...env, PATH: path },
    shell: false,
  })
}

/** A place at which no program can be. */
function missing(program: string): string {
  return `/nonexistent/${program}`
}
