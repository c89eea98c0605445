import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { type CommandResult, call, change, parseEvents, plan, type Turns, write } from './fixture.ts'

const bin = fileURLToPath(new URL('../../../bin/drydock', import.meta.url))

export interface ProcessEnd extends CommandResult {
  readonly signal: NodeJS.Signals | null
}

/** A drydock in a separate process. */
export interface Running {
  readonly child: ChildProcess
  readonly pid: number
  /**
   * Resolves with the first matching line of stdout or stderr, including earlier ones; rejects if
   * the process ends without one.
   */
  line(pattern: RegExp): Promise<string>
  readonly ended: Promise<ProcessEnd>
}

export interface Launch {
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Input from a pipe; empty by default. */
  readonly stdin?: string
  /** Another program than this checkout's. */
  readonly program?: string
}

/** Starts bin/drydock. The process is killed at the end of the test. */
export function launch(args: readonly string[], { env, cwd, stdin, program = bin }: Launch): Running {
  const child = spawn(program, args, {
    env,
    ...(cwd && { cwd }),
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(stdin)
  return follow(child)
}

export function follow(child: ChildProcess): Running {
  const output = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk
      for (const listener of listeners) listener()
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => {
    const events = parseEvents(output.stdout)
    return { ...output, exitCode: code as number, signal: signal as NodeJS.Signals | null, events }
  })
  onTestFinished(async () => {
    child.kill('SIGCONT')
    child.kill('SIGKILL')
    await ended
  })
  return {
    child,
    pid: child.pid ?? 0,
    ended,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const lines = `${output.stdout}\n${output.stderr}`.split('\n')
          const found = lines.find((line) => pattern.test(line))
          if (found === undefined) return
          listeners.delete(look)
          resolve(found)
        }
        listeners.add(look)
        look()
        ended.then((result) => reject(new Error(`no ${pattern} in:\n${result.stdout}\n${result.stderr}`)))
      }),
  }
}

/** A command that waits inside the sandbox until the test lets it continue. */
export const gateCommand = 'rm -f gate && mkfifo gate && cat gate && rm gate'

/** The shortest path to green, with a command that ends when the test opens the gate. */
export const gatedLanes: Readonly<Record<string, Turns>> = {
  'editor/task/PLANNING': [plan()],
  'editor/task/CODING': [call('run_command', { command: gateCommand }), write('new\n'), change()],
}

export const gateReached = /"model_call".*"editor\/task\/CODING","turn":0/

/** Resolves when the command of `gatedLanes` waits in this workspace. */
export async function findGate(workspace: string): Promise<{ open(): Promise<void> }> {
  const gate = join(workspace, 'gate')
  await appears(gate)
  return {
    async open() {
      // A separate process, since a blocking open in this one would occupy a thread forever if
      // nobody reads any more.
      const child = spawn('sh', ['-c', 'exec 3>"$1"', 'sh', gate], { stdio: 'ignore' })
      onTestFinished(() => void child.kill('SIGKILL'))
      await once(child, 'close')
    },
  }
}

/** Resolves when the path exists; its folder may not exist yet, either. */
async function appears(path: string): Promise<void> {
  const folder = dirname(path)
  if (!existsSync(folder)) await appears(folder)
  const seen = Promise.withResolvers<void>()
  const look = () => {
    if (existsSync(path)) seen.resolve()
  }
  const watcher = watch(folder, look)
  look()
  await seen.promise
  watcher.close()
}

/**
 * Processes that work below a folder or have it in their arguments: sandboxes, their runners, git.
 * Zombies and this process are left out.
 */
export async function processesOf(folder: string): Promise<string[]> {
  const found: string[] = []
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid) continue
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ')
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '')
    if (command.includes(folder) || cwd.includes(folder)) found.push(`${pid}: ${command}`)
  }
  return found
}

/** A drydock in a pseudo-terminal: its screen output is stdout, and `type` sends keys. */
export function launchInTerminal(
  args: readonly string[],
  { env, cwd }: Launch,
): Running & { readonly type: (keys: string) => void } {
  const command = [bin, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    env: { ...env, TERM: 'xterm', NO_COLOR: '1', SHELL: '/bin/sh' },
    ...(cwd && { cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  return { ...follow(child), type: (keys) => void child.stdin.write(keys) }
}
