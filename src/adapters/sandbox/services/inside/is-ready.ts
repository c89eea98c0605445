import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import type { ToldService } from './protocol.ts'

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
  for (const host of addresses) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect({ host, port, timeout: Math.ceil(timeoutMs) })
      const answer = (value: boolean) => {
        socket.destroy()
        resolve(value)
      }
      socket.once('connect', () => answer(true))
      socket.once('timeout', () => answer(false))
      socket.once('error', () => answer(false))
    })
    if (isOpen) return true
  }
  return false
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
