import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createBubblewrap } from '../../../src/adapters/sandbox/bubblewrap.ts'

import { exec, folder, hostPath, inEgressFolders, never, proxied, serve, serveRegistry, spec } from './egress-world.ts'

inEgressFolders()

test('npm installs from the registry of the machine, at a private address or not', async () => {
  const registry = await serveRegistry()
  const packageManagers = { env: { NPM_CONFIG_REGISTRY: registry.url } }
  expect(await exec('npm install --silent planted', { egress: ['registry'], packageManagers })).toEqual({
    exitCode: 0,
    timedOut: false,
    output: '',
  })
  expect(JSON.parse(readFileSync(join(folder, 'node_modules/planted/package.json'), 'utf8'))).toEqual({
    name: 'planted',
    version: '1.0.0',
  })
})

describe('blocked connections', () => {
  test('a host that is named but leads into a private network or to this machine', async () => {
    const { port } = await serve(() => 'REACHED')
    const hosts = [
      `localhost:${port}`,
      `LocalHost.:${port}`,
      `127.0.0.1:${port}`,
      `[::1]:${port}`,
      `2130706433:${port}`,
    ]
    const command = [...hosts, '169.254.169.254:80', `[::ffff:7f00:1]:${port}`].map((host) =>
      proxied(`CONNECT ${host} HTTP/1.1`, 'Host: a'),
    )
    const egress = [`localhost:${port}`, `127.0.0.1:${port}`, '169.254.169.254', `2130706433:${port}`]
    const { output } = await exec(command.join(';'), { egress })
    expect(output.match(/^HTTP.*|^\[drydock.*/gm)).toEqual([
      `HTTP/1.1 403 drydock: localhost:${port} is at a private address, as only a registry may be`,
      `HTTP/1.1 403 drydock: localhost:${port} is at a private address, as only a registry may be`,
      `HTTP/1.1 403 drydock: 127.0.0.1:${port} is not among the hosts that may be reached`,
      `HTTP/1.1 403 drydock: ::1:${port} is not among the hosts that may be reached`,
      `HTTP/1.1 403 drydock: 127.0.0.1:${port} is not among the hosts that may be reached`,
      'HTTP/1.1 403 drydock: 169.254.169.254:80 is not among the hosts that may be reached',
      `HTTP/1.1 403 drydock: ::ffff:7f00:1:${port} is not among the hosts that may be reached`,
      `[drydock] network: localhost:${port} is at a private address, as only a registry may be`,
      `[drydock] network: 127.0.0.1:${port} is not among the hosts that may be reached`,
      `[drydock] network: ::1:${port} is not among the hosts that may be reached`,
      '[drydock] network: 169.254.169.254:80 is not among the hosts that may be reached',
      `[drydock] network: ::ffff:7f00:1:${port} is not among the hosts that may be reached`,
    ])
  })

  test('a connection that goes around the proxy', async () => {
    const { url, port } = await serve(() => 'REACHED')
    const tcp = (host: string, to: number) =>
      `perl -MIO::Socket -e 'print IO::Socket::INET->new(PeerAddr => "${host}", PeerPort => ${to}, Timeout => 2) ? "REACHED " : "no "'`
    const packageManagers = { env: { NPM_CONFIG_REGISTRY: url } }
    const command = `${tcp('127.0.0.1', port)}; ${tcp('1.1.1.1', 53)}; tail -n +2 /proc/net/route`
    expect(await exec(command, { egress: ['registry'], packageManagers })).toEqual({
      exitCode: 0,
      timedOut: false,
      output: 'no no ',
    })
  })
})

describe('a command with a network', () => {
  test('is not run when the way out cannot be opened', async () => {
    const sandbox = createBubblewrap({ hostPath })
    const { mounts, ...others } = spec({ egress: ['named.example'] })
    // Without an allowed host the forwarder is not started.
    const env = { path: '/dev/null', at: '/usr/bin/env', access: 'read' } as const
    const command = { command: 'echo RUN', timeoutMs: 60_000 }
    const done = await sandbox.exec({ ...others, mounts: [...mounts, env] }, command, never)
    expect(done).toEqual({
      ok: false,
      error: {
        errorType: 'container_creation',
        errorMessage: expect.stringContaining('the way to the network did not open'),
      },
    })
  })

  test('is no session', async () => {
    const sandbox = createBubblewrap({ hostPath })
    await expect(sandbox.open(spec({ egress: ['registry'] }), never)).rejects.toThrow('A session has no network')
  })
})
