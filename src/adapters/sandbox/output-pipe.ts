import { randomBytes } from 'node:crypto'
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
  /** Meant for a child's stdio; `release` closes it once the child has it. */
  readonly writeFd: number
  release(): void
}

/** Both ends of a pipe, as file descriptors. */
interface Ends {
  readonly read: number
  readonly write: number
}

/**
 * Starting the process that makes pipes takes most of the time, so it makes several. The spare ones
 * have no name any more, so no other process can open them.
 */
const madeAtOnce = 4
const spare: Ends[] = []
let making: Promise<void> | null = null

/**
 * A real pipe. Node gives its children sockets, and a command cannot open `/dev/stdout` or
 * `/dev/stderr` if it is a socket. Close `output` unless it is read to its end.
 */
export async function openOutputPipe(): Promise<SandboxResult<OutputPipe>> {
  try {
    for (;;) {
      const ends = spare.pop()
      if (ends !== undefined) return { ok: true, value: pipeOf(ends) }
      making ??= makeSpare().finally(() => {
        making = null
      })
      await making
    }
  } catch (error) {
    return { ok: false, error: startFailure(String(error)) }
  }
}

async function makeSpare(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), temporaryFolders.pipe))
  try {
    // A process inside can read the pipe's former name, and a number would distinguish its run from
    // others.
    const paths = Array.from({ length: madeAtOnce }, () => join(folder, randomBytes(12).toString('hex')))
    spare.push(...(await makeNamed(paths)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Named pipes. The output of one ends after `release`, once no other process has it open. */
export async function makePipes(paths: readonly string[]): Promise<readonly OutputPipe[]> {
  return (await makeNamed(paths)).map(pipeOf)
}

async function makeNamed(paths: readonly string[]): Promise<readonly Ends[]> {
  await mustRun('mkfifo', ['-m', '600', ...paths], { env: { PATH: systemPath } })
  const made: Ends[] = []
  try {
    for (const path of paths) {
      // The reader is opened before the writer: a reader that opens after the last writer closed
      // never sees the end.
      const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
      made.push({ read, write: openWriting(path, read) })
    }
    return made
  } catch (error) {
    for (const { read, write } of made) for (const end of [read, write]) closeSync(end)
    throw error
  }
}

function openWriting(path: string, read: number): number {
  try {
    return openSync(path, constants.O_WRONLY)
  } catch (error) {
    closeSync(read)
    throw error
  }
}

function pipeOf({ read, write }: Ends): OutputPipe {
  return { output: new Socket({ fd: read, writable: false }), writeFd: write, release: () => closeSync(write) }
}
