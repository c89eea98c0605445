import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createBubblewrap } from '../../../src/adapters/sandbox/bubblewrap.ts'
import type { PackageManagers } from '../../../src/adapters/sandbox/egress/registries.ts'
import type { PlainMount, SandboxSpec } from '../../../src/ports/sandbox.ts'
import { tarOf } from '../tar-of.ts'

const hostPath = process.env.PATH ?? ''
const never = new AbortController().signal
const mebibyte = 1_048_576

let folder = ''
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'drydock-egress-test-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

interface Wanted {
  readonly egress: readonly string[]
  readonly packageManagers?: PackageManagers
  readonly timeoutMs?: number
}

async function exec(command: string, { egress, packageManagers = { env: {} }, timeoutMs = 60_000 }: Wanted) {
  let output = ''
  const onOutput = (chunk: Uint8Array) => {
    output += Buffer.from(chunk).toString()
  }
  const sandbox = createBubblewrap({ hostPath, packageManagers })
  const done = await sandbox.exec(spec({ egress }), { command, timeoutMs, onOutput }, never)
  if (!done.ok) throw new Error(done.error.errorMessage)
  return { exitCode: done.value.exitCode, timedOut: done.value.timedOut, output }
}

function spec(change: Partial<SandboxSpec>): SandboxSpec {
  return {
    mounts: [{ path: folder, access: 'write' }, ...npmMounts()],
    cwd: folder,
    env: {
      npm_config_cache: join(folder, 'cache'),
      npm_config_update_notifier: 'false',
      npm_config_fetch_retries: '0',
    },
    limits: { memoryBytes: 4_096 * mebibyte, fileBytes: 512 * mebibyte, openFiles: 4_096, tmpfsBytes: 64 * mebibyte },
    ...change,
  }
}

/** Where npm is when it does not come with the system. */
function npmMounts(): readonly PlainMount[] {
  const entry = hostPath
    .split(delimiter)
    .find((path) => !path.includes('node_modules') && existsSync(join(path, 'npm')))
  return entry === undefined || entry.startsWith('/usr/') || entry === '/bin'
    ? []
    : [{ path: dirname(entry), access: 'read' }]
}

/** A command that sends `lines` and an empty one to the proxy, and prints all that comes back. */
function proxied(...lines: readonly string[]): string {
  const request = [...lines, '', ''].join('\\r\\n')
  return `perl -MIO::Socket -e '
    $ENV{HTTP_PROXY} =~ m{//(.*):(.*)} or die;
    my $proxy = IO::Socket::INET->new(PeerAddr => $1, PeerPort => $2) or die;
    print $proxy "${request.replaceAll('@', '\\@')}"; print while <$proxy>'`
}

async function serve(answer: (request: IncomingMessage) => string | Buffer): Promise<{ url: string; port: number }> {
  const server: Server = createServer((request, response) => response.end(answer(request)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, port }
}

/** A registry of one package, `planted`. */
async function serveRegistry() {
  const tarball = gzipSync(tarOf({ 'package/package.json': '{ "name": "planted", "version": "1.0.0" }' }))
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const registry = await serve(({ url }) => {
    if (url?.endsWith('.tgz')) return tarball
    const version = { name: 'planted', version: '1.0.0', dist: { tarball: `${registry.url}/planted.tgz`, integrity } }
    return JSON.stringify({ name: 'planted', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } })
  })
  return registry
}

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

describe('what is not let through', () => {
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
  test('has its own exit code, standard input, and end', async () => {
    const egress = ['named.example']
    const at = { egress, timeoutMs: 60_000 }
    expect((await exec('exit 42', at)).exitCode).toBe(42)
    expect((await exec('kill -KILL $$', at)).exitCode).toBe(137)
    expect(await exec('sleep 60', { egress, timeoutMs: 1_000 })).toMatchObject({ exitCode: null, timedOut: true })
    expect((await exec('cat; env | grep -c DRYDOCK', at)).output).toBe('0\n')
  })

  test('keeps going when it takes its own way out down, which is all it can do to it', async () => {
    const kill =
      'for pid in /proc/[0-9]*; do case "$(tr "\\0" " " < $pid/cmdline)" in *for[w]arder*) kill -KILL "$(basename $pid)";; esac; done'
    // What was killed may take a connection for a moment yet.
    const { output } = await exec(
      `${kill} 2>/dev/null; while ${proxied('GET http://named.example/ HTTP/1.0')}; do :; done; echo gone`,
      { egress: ['named.example'] },
    )
    expect(output).toContain('gone')
  })

  test('is told of a proxy of the machine when it fails, for that is not gone through', async () => {
    const packageManagers = { env: { HTTPS_PROXY: 'http://user:hidden@proxy.example:3128' } }
    const at = { egress: ['named.example'], packageManagers }
    expect((await exec('env | grep hidden', at)).output).toBe(
      '[drydock] network: HTTPS_PROXY is set on this machine, but what leaves a sandbox goes straight to the hosts, not through that proxy\n',
    )
    expect((await exec('true', at)).output).toBe('')
  })

  test('is not run when the way out cannot be opened', async () => {
    const sandbox = createBubblewrap({ hostPath })
    const { mounts, ...others } = spec({ egress: ['named.example'] })
    // Without it the forwarder is not started.
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
