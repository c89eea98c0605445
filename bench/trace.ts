import { readFile } from 'node:fs/promises'
import { findProgram } from '../src/processes/find-program.ts'
import { now } from './now.ts'

/** Times of system calls, by the machine's monotonic clock. */
export interface TraceFigures {
  /** Times at which each process but the first started a program. */
  readonly processes: readonly number[]
  readonly fsyncs: readonly number[]
}

export const isTracerInstalled = (): boolean => findProgram('strace', process.env.PATH ?? '') !== null

/** The start of a command line whose system calls are traced into a file. */
export function tracer(file: string): readonly string[] {
  const calls = ['-e', 'trace=execve,fsync,fdatasync', '-e', 'signal=none']
  return ['strace', '-f', '--seccomp-bpf', '-qq', '-z', '-ttt', '-s', '0', ...calls, '-o', file, '--']
}

/** Reads the output of `tracer`. A process counts once, whatever it executes later. */
export async function readTrace(file: string): Promise<TraceFigures> {
  const sinceBoot = now() - Date.now()
  const pids = new Set<string>()
  const processes: number[] = []
  const fsyncs: number[] = []
  for (const line of (await readFile(file, 'latin1')).split('\n')) {
    const [, pid = '', seconds, name] = /^(\d+) +(\d+\.\d+) (execve|fsync|fdatasync)\(/.exec(line) ?? []
    if (name === undefined) continue
    const at = Number(seconds) * 1_000 + sinceBoot
    if (name !== 'execve') fsyncs.push(at)
    else if (!pids.has(pid)) {
      if (pids.size > 0) processes.push(at)
      pids.add(pid)
    }
  }
  return { processes, fsyncs }
}

/** Number of times within an interval. */
export function between(times: readonly number[], from: number, to: number): number {
  return times.filter((at) => at >= from && at < to).length
}
