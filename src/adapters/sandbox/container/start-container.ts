import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { lineSplitter } from '../../../domain/line-splitter.ts'
import type { SandboxResult } from '../../../ports/sandbox.ts'
import { startProgram } from '../../../processes/start-program.ts'
import { sealed } from '../inherited-descriptors.ts'
import type { ResolvedMount } from '../mounts.ts'
import { makeOverlayFolders, overlaysIn, removeOverlayFolders } from '../overlay.ts'
import type { SandboxEnd, StartedSandbox } from '../start.ts'
import type { ContainerClient } from './client.ts'
import { containerFailure } from './container-failure.ts'
import { containerFolder, makeContainerFolder } from './container-folder.ts'
import { guard } from './guard.ts'
import { emptyWorkFolders, overlayVolumes, removeOverlayVolumes } from './overlay-volumes.ts'
import { removeContainer } from './remove-container.ts'
import { type RunInput, runArguments } from './run-arguments.ts'

const mostComplaint = 8192
/**
 * The pause between attempts to kill a container, since one that is still being created cannot be
 * killed.
 */
const retryMs = 30
/** The time after which a program that does not end is given up. */
const patienceMs = 20_000

export interface ContainerInput extends Omit<RunInput, 'program' | 'name' | 'mounts' | 'volumes' | 'seccompFile'> {
  readonly mounts: readonly ResolvedMount[]
  /** The content of a profile; null for the program's default. */
  readonly seccomp: string | null
  /** Takes a line of standard error; returns true if it is not an error message. */
  onLine?(line: string): boolean
}

/**
 * Starts a container. Its arguments appear in the list of processes, so they contain no secrets.
 */
export async function startContainer(
  client: ContainerClient,
  input: ContainerInput,
): Promise<SandboxResult<StartedSandbox>> {
  const name = `drydock-${randomBytes(8).toString('hex')}`
  const overlays = overlaysIn(input.mounts)
  const plain = input.mounts.filter((mount) => mount.access !== 'overlay')
  const remove = async () => {
    if (overlays.length > 0) {
      await removeOverlayVolumes(client, name)
      await emptyWorkFolders(client, { overlays, mounts: plain, image: input.image })
    }
    await removeOverlayFolders(overlays)
    await rm(containerFolder(name), { recursive: true, force: true })
  }
  try {
    const { hosts, seccomp } = await makeContainerFolder(name, input.seccomp)
    await makeOverlayFolders(overlays)
    const volumes = await overlayVolumes(client, name, overlays)
    if (!volumes.ok) throw new Error(volumes.end.words)
    const mounts = [{ source: hosts, at: '/etc/hosts', access: 'read' as const }, ...plain]
    const { program } = client
    const run = runArguments({ ...input, program, name, mounts, volumes: volumes.mounts, seccompFile: seccomp })
    return { ok: true, value: startedContainer({ client, name, run, remove, onLine: input.onLine ?? (() => false) }) }
  } catch (error) {
    await remove()
    const words = error instanceof Error ? error.message : String(error)
    return { ok: false, error: containerFailure({ program: client.program, image: input.image.name }, words) }
  }
}

interface Parts {
  readonly client: ContainerClient
  readonly name: string
  readonly run: readonly string[]
  readonly remove: () => Promise<void>
  readonly onLine: (line: string) => boolean
}

function startedContainer({ client, name, run, remove, onLine }: Parts): StartedSandbox {
  const child = spawnClient(client, run)
  const release = guard(client, name)
  const left = whenLeft(child)
  let isOver = false
  let isKilled = false
  const gone = left.then(async (end) => {
    isOver = true
    // With any other code, the program itself has waited for the container's end.
    if (end.spawned && (end.exitCode === null || end.exitCode === 125)) await removeContainer(client, name)
    release()
    await remove()
    return end
  })

  async function killUntilOver(): Promise<void> {
    const since = performance.now()
    while (!isOver) {
      const { ok } = await client.run(['kill', name])
      if (performance.now() - since > patienceMs) child.kill('SIGKILL')
      await Promise.race([left, delay(ok ? 500 : retryMs)])
    }
  }

  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    complaint: collectLines(child, onLine),
    kill() {
      if (!isKilled) void killUntilOver()
      isKilled = true
    },
    gone,
  }
}

/** A new session, so that Ctrl-C in the terminal reaches only Drydock. */
function spawnClient(client: ContainerClient, args: readonly string[]): ChildProcess {
  const [program, ...rest] = client.argv(args)
  const seal = sealed(['pipe', 'pipe', 'pipe'] as const)
  try {
    return startProgram(program, rest, { cwd: '/', env: { ...client.hostEnv }, stdio: seal.stdio, detached: true })
  } finally {
    seal.close()
  }
}

function whenLeft(child: ChildProcess): Promise<SandboxEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ spawned: false, error }))
    child.once('close', (exitCode) => resolve({ spawned: true, exitCode }))
  })
}

function collectLines(child: ChildProcess, onLine: (line: string) => boolean): () => string {
  let text = ''
  const keep = (line: string) => {
    if (!onLine(line) && text.length < mostComplaint) text += `${line.slice(0, mostComplaint)}\n`
  }
  const split = lineSplitter({ maxChars: mostComplaint, onLine: keep, onOverflow: () => undefined })
  child.stderr?.setEncoding('utf8').on('data', split)
  return () => text.trim()
}
