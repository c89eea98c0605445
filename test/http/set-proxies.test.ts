import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const compose = join(import.meta.dirname, '../../src/compose/open-machine.ts')

/** A forge, a bucket, a collector, a webhook and an MCP server over HTTP are all asked by `fetch`. */
test('what Drydock asks by fetch goes through the proxy of the environment; this machine and NO_PROXY do not', async () => {
  const heard: string[] = []
  const target = createServer((request, response) => response.end(`direct ${request.headers.host}`))
  const proxy = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`)
    response.end('by proxy')
  })
  proxy.on('connect', (request, client) => {
    heard.push(`CONNECT ${request.url}`)
    client.on('error', () => {})
    const upstream = connect(portOf(target), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    upstream.on('error', () => client.destroy())
  })
  for (const server of [target, proxy]) {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close().closeAllConnections())
  }
  const home = await mkdtemp(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const program = `
    const { openMachine } = await import(${JSON.stringify(compose)})
    await openMachine({ env: process.env })
    const ask = (url) => fetch(url).then((answer) => answer.text(), (error) => error.cause?.code)
    for (const url of process.argv.slice(1)) console.log(await ask(url))
    process.exit()`
  const urls = ['http://forge.invalid/api', `http://127.0.0.1:${portOf(target)}/`, 'http://inside.invalid/']
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    http_proxy: `http://127.0.0.1:${portOf(proxy)}`,
    NO_PROXY: 'inside.invalid',
  }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, ...urls], {
    env,
  })
  const [byProxy, direct, except] = stdout.trim().split('\n')
  expect(heard).toHaveLength(1)
  expect(heard[0]).toContain('forge.invalid')
  expect(byProxy).not.toBe('undefined')
  expect(direct).toBe(`direct 127.0.0.1:${portOf(target)}`)
  expect(except).toMatch(/ENOTFOUND|EAI_AGAIN/)
})

function portOf(server: { address(): AddressInfo | string | null }): number {
  return (server.address() as AddressInfo).port
}
