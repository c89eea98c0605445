import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, onTestFinished } from 'vitest'
import { createBubblewrap } from '../../../src/adapters/sandbox/bubblewrap.ts'
import type { PackageManagers } from '../../../src/adapters/sandbox/egress/registries.ts'
import type { PlainMount, SandboxSpec } from '../../../src/ports/sandbox.ts'
import { tarOf } from '../tar-of.ts'

export const hostPath = process.env.PATH ?? ''
export const never = new AbortController().signal
const mebibyte = 1_048_576

/** Working folder of a test's commands. */
export let folder = ''

/** Gives each test of a file its own folder. */
export function inEgressFolders(): void {
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'drydock-egress-test-')))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
}

interface ExecOptions {
  readonly egress: readonly string[]
  readonly packageManagers?: PackageManagers
  readonly timeoutMs?: number
}

export async function exec(
  command: string,
  { egress, packageManagers = { env: {} }, timeoutMs = 60_000 }: ExecOptions,
) {
  let output = ''
  const onOutput = (chunk: Uint8Array) => {
    output += Buffer.from(chunk).toString()
  }
  const sandbox = createBubblewrap({ hostPath, packageManagers })
  const done = await sandbox.exec(spec({ egress }), { command, timeoutMs, onOutput }, never)
  if (!done.ok) throw new Error(done.error.errorMessage)
  return { exitCode: done.value.exitCode, timedOut: done.value.timedOut, output }
}

export function spec(change: Partial<SandboxSpec>): SandboxSpec {
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

/** Mounts npm if it is not installed with the system. */
export function npmMounts(): readonly PlainMount[] {
  const entry = hostPath
    .split(delimiter)
    .find((path) => !path.includes('node_modules') && existsSync(join(path, 'npm')))
  return entry === undefined || entry.startsWith('/usr/') || entry === '/bin'
    ? []
    : [{ path: dirname(entry), access: 'read' }]
}

/** A command that sends `lines` and an empty line to the proxy, and prints the reply. */
export function proxied(...lines: readonly string[]): string {
  const request = [...lines, '', ''].join('\\r\\n')
  return `perl -MIO::Socket -e '
    $ENV{HTTP_PROXY} =~ m{//(.*):(.*)} or die;
    my $proxy = IO::Socket::INET->new(PeerAddr => $1, PeerPort => $2) or die;
    print $proxy "${request.replaceAll('@', '\\@')}"; print while <$proxy>'`
}

export async function serve(
  answer: (request: IncomingMessage) => string | Buffer,
  status = 200,
): Promise<{ url: string; port: number }> {
  const server: Server = createServer((request, response) => response.writeHead(status).end(answer(request)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, port }
}

/** An npm registry with one package, `planted`. */
export async function serveRegistry() {
  const tarball = gzipSync(tarOf({ 'package/package.json': '{ "name": "planted", "version": "1.0.0" }' }))
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const registry = await serve(({ url }) => {
    if (url?.endsWith('.tgz')) return tarball
    const version = { name: 'planted', version: '1.0.0', dist: { tarball: `${registry.url}/planted.tgz`, integrity } }
    return JSON.stringify({ name: 'planted', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } })
  })
  return registry
}
