import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { constants } from 'node:os'
import { systemPath } from '../host-path.ts'
import type { ProgramExit } from '../running-program.ts'
import { signalGroup } from '../signal-group.ts'
import { startProgram } from '../start-program.ts'
import { type BetweenMarks, betweenMarks, statusLength } from './between-marks.ts'
import { noFolder, type ShellProgram } from './shell-line.ts'

/** A program for a shell, and its listener. */
export interface ShellRequest {
  readonly program: ShellProgram
  /** The command line, made by `shellLine`. */
  readonly line: string
  readonly resolve: (exit: ProgramExit) => void
  /** Called when the shell was gone before the program started. */
  again(): void
}

/** Runs one program at a time. It keeps this process alive only while a program runs. */
export interface Shell {
  /** The process group of the shell and its programs. */
  readonly group: number
  run(asked: ShellRequest): void
  /** The shell accepts no further programs. */
  leave(): void
  /** Leaves the sandbox like `leave`; also signals the program and its children. */
  end(signal: NodeJS.Signals): void
}

interface Turn extends ShellRequest {
  readonly stdout: BetweenMarks
  readonly stderr: BetweenMarks
}

/**
 * A shell in a new process group. It ends with this process, because its standard input does. Null
 * if the machine cannot start one. `onFree` is called when a program has ended, `onGone` when the
 * shell has.
 */
export function openShell(told: { onFree: (shell: Shell) => void; onGone: (shell: Shell) => void }): Shell | null {
  const started = startShell()
  if (started === null) return null
  const { child, pid } = started
  let turn: Turn | null = null
  let isLeaving = false
  let isEnded = false

  function heard(): void {
    if (turn?.stdout.status === undefined || turn.stderr.status === undefined || isLeaving) return
    const { resolve, program } = turn
    const { status } = turn.stdout
    turn = null
    hold(child, false)
    resolve(exitOf(status, program))
    told.onFree(shell)
  }

  const shell: Shell = {
    group: pid,
    run(asked) {
      const mark = randomBytes(12).toString('hex')
      const { program, line } = asked
      turn = { ...asked, stdout: betweenMarks(mark, program.onStdout), stderr: betweenMarks(mark, program.onStderr) }
      hold(child, true)
      // A signal that arrives before the first mark takes effect after it.
      const begin = `printf ${mark}`
      const end = `printf '${mark}%${statusLength}s' "$s"`
      child.stdin.write(`${begin}; ${begin} >&2; ${line}; ${end}; ${end} >&2\n`)
    },
    leave() {
      isLeaving = true
      child.stdin.end()
    },
    end(signal) {
      isEnded = true
      shell.leave()
      signalGroup(pid, signal)
    },
  }

  child.stdout.on('data', (bytes: Buffer) => {
    turn?.stdout.take(bytes)
    heard()
  })
  child.stderr.on('data', (bytes: Buffer) => {
    turn?.stderr.take(bytes)
    heard()
  })
  child.stdin.on('error', shell.leave)
  child.on('close', (_code, signal) => {
    shell.leave()
    told.onGone(shell)
    if (turn === null) return
    if (!turn.stdout.hasBegun && !isEnded) {
      turn.again()
      return
    }
    turn.stdout.close()
    turn.stderr.close()
    const { status } = turn.stdout
    // Without a status the result is unknown, since the shell's own exit code does not tell it.
    turn.resolve(status === undefined ? { code: null, signal, error: null } : exitOf(status, turn.program))
  })
  // The trap makes the shell wait for its program, so that the process group exists as long as the
  // program.
  child.stdin.write("trap 'exit 143' TERM\n")
  hold(child, false)
  return shell
}

function startShell(): { readonly child: ChildProcessWithoutNullStreams; readonly pid: number } | null {
  try {
    const child = startProgram('sh', ['-s'], {
      cwd: '/',
      env: { PATH: systemPath },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
    const { pid } = child
    if (pid !== undefined) return { child, pid }
    child.on('error', () => undefined)
  } catch {
    // Node reports most errors through an event, and throws the others.
  }
  return null
}

/** Sets if the shell keeps this process alive. */
function hold(child: ChildProcessWithoutNullStreams, isHeld: boolean): void {
  for (const part of [child, child.stdin as Socket, child.stdout as Socket, child.stderr as Socket])
    isHeld ? part.ref() : part.unref()
}

function exitOf(status: string, { cwd }: ShellProgram): ProgramExit {
  if (status === noFolder) {
    const error = Object.assign(new Error(`${cwd} cannot be entered`), { code: 'ENOENT' })
    return { code: null, signal: null, error }
  }
  const code = Number(status)
  // 129 is git's exit code for wrong usage, and it is also a shell's code for SIGHUP, which is
  // never sent here.
  const [signal] = code <= 129 ? [] : (Object.entries(constants.signals).find(([, n]) => code === 128 + n) ?? [])
  return signal === undefined ? { code, signal: null, error: null } : { code: null, signal, error: null }
}
