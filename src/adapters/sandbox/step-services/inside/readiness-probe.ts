import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import type { ToldService } from './starter-protocol.ts'

const addresses = ['127.0.0.1', '::1'] as const

interface Asking {
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** Checks once if each port accepts a connection, or if the command exits with 0 in time. */
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
 * A connection is half-closed, and read until the service closes it too. If it were closed at once,
 * the service's greeting would meet a reset, which many servers do not survive.
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

/** The output is ignored; on timeout the whole process group is killed. */
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
