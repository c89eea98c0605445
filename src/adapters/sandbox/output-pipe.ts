import { closeSync, constants, openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { temporaryFolders } from '../../domain/temporary-folders.ts'
import type { SandboxResult } from '../../ports/sandbox.ts'
import { systemPath } from '../../processes/host-path.ts'
import { mustRun } from '../../processes/run-program.ts'
import { startFailure } from './start-failure.ts'

export interface OutputPipe {
  readonly output: Readable
  /** For a child's stdio; closed by `release` once the child has it. */
  readonly writeFd: number
  release(): void
}

/**
 * A real pipe. Node gives its children sockets, and a command cannot open `/dev/stdout` or
 * `/dev/stderr` when that is a socket. Close `output` if it is not read to its end.
 */
export async function openOutputPipe(): Promise<SandboxResult<OutputPipe>> {
  try {
    const folder = await mkdtemp(join(tmpdir(), temporaryFolders.pipe))
    try {
      return { ok: true, value: await makePipe(join(folder, 'pipe')) }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  } catch (error) {
    return { ok: false, error: startFailure(String(error)) }
  }
}

/** A pipe with a name. Its output ends after `release`, when nobody else has it open. */
export async function makePipe(path: string): Promise<OutputPipe> {
  await mustRun('mkfifo', ['-m', '600', path], { env: { PATH: systemPath } })
  // Reader before writer: one that is opened after the last writer has gone is never told so.
  const output = new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false })
  const writeFd = openSync(path, constants.O_WRONLY)
  return { output, writeFd, release: () => closeSync(writeFd) }
}
