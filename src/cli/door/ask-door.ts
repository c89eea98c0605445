import { connect, type Socket } from 'node:net'
import { constants } from 'node:os'
import { type EnvironmentVariables, readEnvironment } from '../../config/environment.ts'
import { edition } from '../../processes/installation.ts'
import { findDoor } from './door-file.ts'
import { type Asking, type BeginLine, type HandedCommand, onLines, type Serving, sayLine } from './lines.ts'
import { mayBeHanded } from './may-be-handed.ts'

/**
 * The data with which a process continues its command alone, after the server that did the command
 * has gone.
 */
export interface Continuation extends BeginLine {
  /** The id of the last event that was shown. */
  readonly after: number
}

/** The command must be done in this process. */
export interface Here {
  /** The Run that a server had begun; null if there is none. */
  readonly continued: Continuation | null
  /** The signal that arrived in the meantime; null without one. */
  readonly signal: NodeJS.Signals | null
}

export type DoorAnswer = Here | { readonly exitCode: number }

const alone: Here = { continued: null, signal: null }

/**
 * Milliseconds without a heartbeat, the length of three intervals, after which a server counts as
 * gone. Shorter while it is stopping.
 */
const patienceMs = { working: 6_000, stopping: 3_000 }

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Has a command done by the process that serves its repository, and shows the output. If anything
 * fails, this process does the command itself: the server stores nothing until this process knows
 * of it.
 */
export async function askDoor(argv: readonly string[], env: EnvironmentVariables): Promise<DoorAnswer> {
  const repo = mayBeHanded(argv)
  if (repo === null || env.DRYDOCK_HUB_URL) return alone
  try {
    const door = findDoor(repo, readEnvironment(env).stateRoot)
    if (door === null || door.edition !== edition()) return alone
    const socket = await connected(door.socket)
    return socket === null
      ? alone
      : await attend(socket, { ...door, argv, cwd: process.cwd(), env: set(env), columns: columns() })
  } catch {
    // For instance a missing folder, about which the command itself says more.
    return alone
  }
}

function set(env: EnvironmentVariables): HandedCommand['env'] {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined))
}

function columns(): HandedCommand['columns'] {
  const of = ({ isTTY, columns = 0 }: NodeJS.WriteStream) => (isTTY ? columns : null)
  return { stdout: of(process.stdout), stderr: of(process.stderr) }
}

function connected(path: string): Promise<Socket | null> {
  const socket = connect(path)
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(null))
  })
}

function attend(socket: Socket, { edition, argv, cwd, env, columns: width }: HandedCommand): Promise<DoorAnswer> {
  const { promise, resolve } = Promise.withResolvers<DoorAnswer>()
  let begun: BeginLine | null = null
  let after = 0
  let signalled: NodeJS.Signals | null = null
  const end = (answered: DoorAnswer) => {
    clearTimeout(timer)
    for (const signal of signals) process.off(signal, interrupt)
    process.stdout.off('resize', resized)
    process.stderr.off('resize', resized)
    resolve(answered)
    socket.destroy()
  }
  const goOn = () => {
    // Nothing is stored yet, so nothing needs to be stopped.
    if (begun === null && signalled !== null) end({ exitCode: 128 + constants.signals[signalled] })
    else end({ continued: begun && { ...begun, after }, signal: signalled })
  }
  let timer = setTimeout(goOn, patienceMs.working)
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(goOn, signalled === null ? patienceMs.working : patienceMs.stopping)
  }
  const say = (said: Asking) => sayLine(socket, said)
  const interrupt = (signal: NodeJS.Signals) => {
    // A second signal ends this process at once, even if the server does not answer.
    if (signalled !== null) setTimeout(() => process.exit(128 + constants.signals[signal]), 1_000).unref()
    signalled = signal
    say({ signal })
    heard()
  }
  const resized = () => say({ columns: columns() })
  for (const signal of signals) process.on(signal, interrupt)
  process.stdout.on('resize', resized)
  process.stderr.on('resize', resized)
  const hear = (said: Serving) => {
    if ('stdout' in said) process.stdout.write(said.stdout)
    else if ('stderr' in said) process.stderr.write(said.stderr)
    else if ('shown' in said) after = said.shown
    else if ('begun' in said) {
      begun = said.begun
      say({ knows: begun.key })
    } else if ('exit' in said) end({ exitCode: said.exit })
  }
  onLines(socket, (given) => {
    heard()
    for (const said of given as readonly Serving[]) hear(said)
  })
  socket.on('error', goOn).on('close', goOn)
  say({ hand: { edition, argv, cwd, env, columns: width } })
  return promise
}
