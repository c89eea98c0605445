import type { ProgramExit, RunningProgram } from '../running-program.ts'
import { openShell, type Shell, type ShellRequest } from './open-shell.ts'
import { type ShellProgram, shellLine } from './shell-line.ts'

/** Beyond this number, this process starts programs itself. */
const mostShells = 8
/** An idle shell ends after this time, unless it is kept. */
const idleMs = 5_000
/**
 * Opening a shell costs as much as it saves once, and most programs end soon, so a program first
 * waits this long for an existing shell.
 */
const patienceMs = 10

const idle = new Map<Shell, NodeJS.Timeout>()
const waiting = new Set<Waiting>()
let shells = 0
let kept = 0

interface Waiting extends ShellRequest {
  runIn(shell: Shell): void
}

/** Opens this many shells, which stay open from now on, for a process that waits for work. */
export function keepShells(count: number): void {
  kept = count
  while (shells < kept) {
    const shell = open()
    if (shell === null) return
    rest(shell)
  }
}

/**
 * Starts a program through a small shell. If Node starts one itself, it copies the page tables of
 * its whole memory on its main thread, which takes milliseconds; a shell has almost none. The shell
 * is reused. Null if the program is not suitable for a shell.
 */
export function startInShell(program: ShellProgram): RunningProgram | null {
  const line = shellLine(program)
  if (line === null) return null
  const found = [...idle.keys()].at(-1) ?? (shells === 0 ? open() : null)
  if (found === null && (shells === 0 || shells + waiting.size >= mostShells)) return null
  const { promise: ended, resolve } = Promise.withResolvers<ProgramExit>()
  let shell: Shell | null = null
  let isSecond = false
  const one: Waiting = {
    program,
    line,
    resolve(exit) {
      // The shell may already run another program.
      shell = null
      resolve(exit)
    },
    runIn(found) {
      clearTimeout(idle.get(found))
      idle.delete(found)
      waiting.delete(one)
      try {
        program.onStarted?.(found.group)
      } catch (error) {
        free(found)
        return resolve({ code: null, signal: null, error: error as Error })
      }
      shell = found
      shell.run(one)
    },
    again() {
      shell = null
      if (isSecond) return giveUp(one)
      isSecond = true
      waiting.add(one)
      openFor(one)
    },
  }
  if (found === null) wait(one)
  else one.runIn(found)
  return {
    ended,
    end(signal) {
      if (waiting.delete(one)) resolve({ code: null, signal, error: null })
      else shell?.end(signal)
    },
  }
}

function wait(one: Waiting): void {
  waiting.add(one)
  // Exits that have happened are processed before another shell is opened.
  setTimeout(() => setImmediate(openFor, one), patienceMs)
}

function openFor(one: Waiting): void {
  if (!waiting.has(one)) return
  const shell = open()
  if (shell !== null) one.runIn(shell)
  // Otherwise the program waits for an existing shell.
  else if (shells === 0) giveUp(one)
}

function giveUp(one: Waiting): void {
  waiting.delete(one)
  one.resolve({ code: null, signal: null, error: new Error('no shell could be started for it') })
}

function open(): Shell | null {
  const shell = openShell({
    onFree: free,
    onGone(shell) {
      shells -= 1
      clearTimeout(idle.get(shell))
      idle.delete(shell)
      for (const one of [...waiting]) if (shells === 0) openFor(one)
    },
  })
  if (shell !== null) shells += 1
  return shell
}

/** Gives the shell to the next waiting program, or keeps it for later. */
function free(shell: Shell): void {
  const [next] = waiting
  if (next) next.runIn(shell)
  else rest(shell)
}

function rest(shell: Shell): void {
  const leave = () => {
    if (idle.size <= kept) return
    idle.delete(shell)
    shell.leave()
  }
  idle.set(shell, setTimeout(leave, idleMs).unref())
}
