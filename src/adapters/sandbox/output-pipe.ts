import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'

export interface OutputPipe {
  readonly output: Readable
  /** For a child's stdio; closed by `release` once the child has it. */
  readonly writeFd: number
  release(): void
}

/**
 * A real pipe. Node gives its children sockets, and a command cannot open `/dev/stdout` or `/dev/stderr` when that is a socket.
 * Close `output` if it is not read to its end.
 */
export async function openOutputPipe(): Promise<OutputPipe> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-pipe-'))
  try {
    const path = join(folder, 'pipe')
    await promisify(execFile)('mkfifo', ['-m', '600', path])
    const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const writeFd = openSync(path, constants.O_WRONLY)
    const output = new Socket({ fd: readFd, readable: true, writable: false })
    return { output, writeFd, release: () => closeSync(writeFd) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
