import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import type { ToldService } from './starter-protocol.ts'

const addresses = ['127.0.0.1', '::1'] as const

interface Asking {
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** Asks once: does each port accept a connection, or does the command end with 0 in time? */
export async function isReady(ready: ToldService['ready'], asking: Asking): Promise<boolean> {
  if ('command' in ready) return endsWell(ready.command, asking)
  for (const port of ready.ports) if (!(await accepts(port, asking.timeoutMs))) return false
  return true
}

async function accepts(port: number, timeoutMs: number): Promise<boolean> {
  for (const host of addresses) if (await connects({ host, port, timeoutMs })) return true
  return false
}

interface Connecting {
  readonly host: string
  readonly port: number
  readonly timeoutMs: number
}

/**
 * A connection that was made is ended, and read until the service ends it, too. Closed at once, it
 * would be reset by what the service greets with, and many a server does not survive that.
 */
function connects({ host, port, timeoutMs }: Connecting): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: Math.ceil(timeoutMs) })
    const giveUp = () => {
      socket.destroy()
      resolve(false)
    }
    socket.on('error', giveUp).once('timeout', giveUp)
    socket.once('connect', () => {
      socket.off('timeout', giveUp).setTimeout(0)
      socket.resume().end()
      resolve(true)
    })
  })
}

/** What it prints is of no interest; when its time is over, its whole group is killed. */
function endsWell(command: string, { env, timeoutMs }: Asking): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], { env, stdio: 'ignore', detached: true })
    const timer = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }, timeoutMs)
    const answer = (isWell: boolean) => {
      clearTimeout(timer)
      resolve(isWell)
    }
    child.once('error', () => answer(false))
    child.once('exit', (code) => answer(code === 0))
  })
}
