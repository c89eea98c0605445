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

/** The whole environment of the program, which inherits none from this process. */
export type ProgramEnvironment = Readonly<Record<string, string | undefined>>

interface Place {
  readonly env: ProgramEnvironment
  readonly cwd: string
}

type PipedStream = 'pipe'
type ClosedStream = 'ignore'

/**
 * Starts a program on the host. All programs that Node starts here go through this function; a
 * shell started by it starts more, see `runInGroup`. A name is looked up in the absolute folders of
 * `env.PATH`, and started by its absolute path, so that a file in `cwd` never runs in its place. No
 * shell interprets the arguments. A program that is not found causes an `error` event with ENOENT.
 */
export function startProgram(
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptionsWithStdioTuple<PipedStream, PipedStream, PipedStream>, 'env' | 'cwd' | 'shell'> & Place,
): ChildProcessWithoutNullStreams
export function startProgram(
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptionsWithStdioTuple<PipedStream, ClosedStream, ClosedStream>, 'env' | 'cwd' | 'shell'> & Place,
): ChildProcessByStdio<Writable, null, null>
export function startProgram(
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptionsWithStdioTuple<ClosedStream, PipedStream, PipedStream>, 'env' | 'cwd' | 'shell'> & Place,
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

/** A path at which no program can exist. */
function missing(program: string): string {
  return `/nonexistent/${program}`
}
