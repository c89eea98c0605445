import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { constants as system } from 'node:os'
import type { RunnerSetup } from './protocol.ts'

/**
 * A real pipe, since a command cannot open `/dev/stdout` if it is the socket that Node would use.
 * Consecutive commands may share it.
 */
export function makePipe(): { readonly path: string; readonly close: () => void } {
  const path = `/run/drydock-${randomBytes(6).toString('hex')}`
  execFileSync('mkfifo', ['-m', '600', path], { env: { PATH: '/usr/bin:/bin' } })
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  rmSync(path)
  return { path: `/proc/self/fd/${fd}`, close: () => closeSync(fd) }
}

interface SpawnOptions extends Pick<RunnerSetup, 'shell' | 'env' | 'cwd'> {
  readonly command: string
}

/** Starts a command in a new session, with both outputs connected to the pipe. */
export function spawnCommand(pipe: string, { shell, env, cwd, command }: SpawnOptions) {
  const [program = '', ...rest] = [...shell, command]
  // The reader is opened before the writer: a reader that opens after the last writer closed never
  // sees the end.
  const reader = new Socket({ fd: openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK), writable: false })
  const writeFd = openSync(pipe, constants.O_WRONLY)
  try {
    return { child: spawn(program, rest, { cwd, env, stdio: ['ignore', writeFd, writeFd], detached: true }), reader }
  } catch (error) {
    reader.destroy()
    throw error
  } finally {
    closeSync(writeFd)
  }
}

/**
 * The exit code as a shell reports it: 128 plus the signal's number for a command that a signal
 * ended.
 */
export function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : system.signals[signal])))
  })
}
