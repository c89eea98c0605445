import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PackageManagers } from '../../../src/adapters/sandbox/egress/registries.ts'
import { readPackageManagerVariables } from '../../../src/config/environment.ts'
import { exec, folder, inEgressFolders, proxied, serve, serveRegistry } from './egress-world.ts'

inEgressFolders()

const machine: PackageManagers = {
  ...(process.env.HOME && { home: process.env.HOME }),
  env: readPackageManagerVariables(process.env),
}

test("a published package is installed with the machine's own configuration", async () => {
  const command = 'npm install --silent --no-audit --no-fund is-number@7.0.0 && ls node_modules'
  expect(await exec(command, { egress: ['registry'], packageManagers: machine })).toEqual({
    exitCode: 0,
    timedOut: false,
    output: 'is-number\n',
  })
})

describe('blocked connections', () => {
  test('a registry is reached at its own port only, and nothing else beside it', async () => {
    const registry = await serve(() => 'the registry')
    const other = await serve(() => 'REACHED')
    const command = [registry.url, other.url, 'http://other.example/']
      .map((url) => proxied(`GET ${url} HTTP/1.0`))
      .join(';')
    const packageManagers = { env: { NPM_CONFIG_REGISTRY: registry.url } }
    const { output } = await exec(command, { egress: ['registry'], packageManagers })
    expect(output).toContain('the registry')
    expect(output).not.toContain('REACHED')
    expect(output.split('\n').filter((line) => /^(drydock|\[drydock\])/.test(line))).toEqual([
      `drydock: 127.0.0.1:${other.port} is not among the hosts that may be reached`,
      'drydock: other.example:80 is not among the hosts that may be reached',
      `[drydock] network: 127.0.0.1:${other.port} is not among the hosts that may be reached`,
      '[drydock] network: other.example:80 is not among the hosts that may be reached',
    ])
  })

  test("a repository's own configuration of npm", async () => {
    const mine = await serveRegistry()
    const theirs = await serve(() => 'REACHED')
    writeFileSync(join(folder, '.npmrc'), `registry=${theirs.url}\nproxy=${theirs.url}\nhttps-proxy=${theirs.url}\n`)
    const packageManagers = { env: { NPM_CONFIG_REGISTRY: mine.url } }
    const { exitCode } = await exec('npm install planted', { egress: ['registry'], packageManagers })
    expect(exitCode).toBe(0)
  })
})

describe('a command with a network', () => {
  test('has its own exit code, standard input, and end', async () => {
    const egress = ['named.example']
    const at = { egress, timeoutMs: 60_000 }
    expect((await exec('exit 42', at)).exitCode).toBe(42)
    expect((await exec('kill -KILL $$', at)).exitCode).toBe(137)
    // A busy machine may take seconds to start a sandbox.
    expect(await exec('sleep 60', { egress, timeoutMs: 5_000 })).toMatchObject({ exitCode: null, timedOut: true })
    expect((await exec('cat; env | grep -c DRYDOCK', at)).output).toBe('0\n')
  })

  test('keeps going when it takes its own way out down, which is all it can do to it', async () => {
    const kill =
      'for pid in /proc/[0-9]*; do case "$(tr "\\0" " " < $pid/cmdline)" in *for[w]arder*) kill -KILL "$(basename $pid)";; esac; done'
    // A killed process may still accept connections for a moment.
    const { output } = await exec(
      `${kill} 2>/dev/null; while ${proxied('GET http://named.example/ HTTP/1.0')}; do :; done; echo gone`,
      { egress: ['named.example'] },
    )
    expect(output).toContain('gone')
  })

  test('is told of the machine’s proxy when it fails, since the proxy is not used', async () => {
    const packageManagers = { env: { HTTPS_PROXY: 'http://user:hidden@proxy.example:3128' } }
    const at = { egress: ['named.example'], packageManagers }
    expect((await exec('env | grep hidden', at)).output).toBe(
      '[drydock] network: HTTPS_PROXY is set on this machine, but what leaves a sandbox goes straight to the hosts, not through that proxy\n',
    )
    expect((await exec('true', at)).output).toBe('')
  })
})
