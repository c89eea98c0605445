import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, watch, writeFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Hands } from './do-step.ts'

/** The hands of an agent that is a separate process. */
export const processHands: Hands = {
  async write(path, text) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  },
  read: async (path) => readFileSync(path, 'utf8'),
  async run(command, cwd) {
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], { cwd, encoding: 'utf8' })
    return { status, output: status === 0 ? stdout : `${stdout}${stderr}` }
  },
  leave: (command, cwd) => spawn('/bin/sh', ['-c', command], { cwd, detached: true, stdio: 'ignore' }).unref(),
  whenThere: (path) =>
    new Promise((done) => {
      const watcher = watch(dirname(path), look)
      look()
      function look(): void {
        if (!existsSync(path)) return
        watcher.close()
        done()
      }
    }),
  async openTools({ command, args, env }) {
    return new StdioClientTransport({
      command,
      args: [...args],
      env: Object.fromEntries(env.map(({ name, value }) => [name, value])),
    })
  },
  async post(path, body, headers) {
    const url = `${process.env.BASE_URL}${path}`
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    return `${response.status} ${await response.text()}`
  },
  connect(address) {
    const [host = '', port] = address.split(':')
    return new Promise((done, failed) => {
      const socket = connect({ host, port: Number(port), timeout: 5_000 })
      socket.once('connect', () => {
        done('connected')
        socket.destroy()
      })
      socket.once('timeout', () => socket.destroy(new Error('no answer')))
      socket.once('error', failed)
    })
  },
  environment: process.env,
  raw: (line) => void writeSync(1, `${line}\n`),
  complain: (line) => void writeSync(2, `${line}\n`),
  die: (code) => process.exit(code),
}
