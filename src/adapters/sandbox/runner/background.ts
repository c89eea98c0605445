import type { ChildProcess } from 'node:child_process'
import type { RunnerReplies } from '../../../ports/sandbox.ts'
import { workFolder } from './paths.ts'
import { killAll, killOne, type Process, processes, withDescendants } from './processes.ts'
import type { Request, RunnerSetup } from './protocol.ts'
import { Refusal } from './refusal.ts'
import { exitOf, makePipe, spawnCommand } from './spawn-command.ts'

/** The most rounds in which the processes of a command are searched and killed. */
const mostRounds = 100
/**
 * The time for killing a command's remaining processes one by one. A command that creates them
 * faster makes the whole sandbox end.
 */
const patienceMs = 2_000

/** The wait for the last output of a command that has ended. */
const lastWordsMs = 1_000

interface Command {
  readonly child: ChildProcess
  readonly ended: Promise<void>
  readonly startedAt: number
  exitCode: number | null
  isRunning: boolean
  /** The output since the last look, and the number of bytes that were dropped. */
  chunks: Buffer[]
  size: number
  leftOut: number
}

/** Commands that run in the background, alongside other requests. */
export interface Background {
  start(request: Request<'start'>): RunnerReplies['start']
  look(request: Request<'look'>, signal: AbortSignal): Promise<RunnerReplies['look']>
  /**
   * Called before a command in the foreground runs: processes that exist then, and their
   * descendants, belong to the background. The returned function kills all other processes, and
   * returns false if there were none left.
   */
  guard(): () => boolean
}

export function createBackground(setup: RunnerSetup, root: string): Background {
  const commands = new Map<string, Command>()
  const running = () => [...commands.values()].filter(({ isRunning }) => isRunning)

  function start({ name, command, cwd, maxBytes, most }: Request<'start'>): RunnerReplies['start'] {
    if (running().length >= most)
      throw new Refusal('failed', `${most} commands run in the background already: stop one of them first`)
    const folder = workFolder(root, cwd ?? '.')
    const pipe = makePipe()
    const { child, reader } = spawnCommand(pipe.path, { ...setup, cwd: folder, command })
    const started: Command = {
      child,
      startedAt: performance.now(),
      exitCode: null,
      isRunning: true,
      chunks: [],
      size: 0,
      leftOut: 0,
      ended: exitOf(child).then(
        (code) => end(code),
        () => end(127),
      ),
    }
    reader.on('data', (chunk: Buffer) => take(started, chunk, maxBytes))
    const closed = new Promise<void>((resolve) => reader.once('close', resolve))
    const end = async (code: number) => {
      killTree(child)
      // A process that has left its session may keep the pipe open.
      await endOrTime(closed, lastWordsMs)
      reader.destroy()
      pipe.close()
      started.exitCode = code
      started.isRunning = false
    }
    commands.set(name, started)
    return {}
  }

  async function look({ name, waitMs, stop }: Request<'look'>, signal: AbortSignal): Promise<RunnerReplies['look']> {
    const command = commands.get(name)
    if (!command) throw new Refusal('not_found', `No command ${name} runs here`)
    if (stop && command.isRunning) killTree(command.child)
    if (stop) await command.ended
    else if (command.isRunning) await endOrTime(command.ended, waitMs, signal)
    const { chunks, leftOut, isRunning, exitCode } = command
    Object.assign(command, { chunks: [], size: 0, leftOut: 0 })
    if (!isRunning) commands.delete(name)
    return {
      output: Buffer.concat(chunks).toString(),
      leftOut,
      isRunning,
      exitCode,
      ranMs: performance.now() - command.startedAt,
    }
  }

  function guard(): () => boolean {
    if (running().length === 0) return killAll
    const before = new Set(processes().map(identity))
    let until: number | null = null
    return () => {
      // A killed process may take a while to disappear.
      until ??= performance.now() + patienceMs
      const sessions = new Set(running().map(({ child }) => child.pid))
      if (performance.now() > until || sessions.size === 0) return killAll()
      const all = processes()
      const kept = withDescendants(all, (one) => before.has(identity(one)) || sessions.has(one.session))
      const others = all.filter((one) => !kept.has(one))
      others.forEach(killOne)
      return others.length > 0
    }
  }

  return { start, look, guard }
}

function identity({ pid, startedAt }: Process): string {
  return `${pid} ${startedAt}`
}

/**
 * Kills a command with all processes of its session and their descendants. A process that has left
 * both is killed after the next command in the foreground, or with the sandbox.
 */
function killTree({ pid }: ChildProcess): void {
  for (let round = 0; round < mostRounds; round += 1) {
    const tree = withDescendants(processes(), (one) => one.pid === pid || one.session === pid)
    if (tree.size === 0) return
    tree.forEach(killOne)
  }
}

function take(command: Command, chunk: Buffer, maxBytes: number): void {
  command.chunks.push(chunk)
  command.size += chunk.length
  while (command.size > maxBytes) {
    const [first] = command.chunks
    if (!first) return
    const over = Math.min(first.length, command.size - maxBytes)
    command.leftOut += over
    command.size -= over
    if (over === first.length) command.chunks.shift()
    else command.chunks[0] = first.subarray(over)
  }
}

function endOrTime(ended: Promise<void>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal?.addEventListener('abort', finish, { once: true })
    void ended.then(finish)
  })
}
