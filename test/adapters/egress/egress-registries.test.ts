import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createBubblewrap } from '../../../src/adapters/sandbox/bubblewrap.ts'
import type { PackageManagers } from '../../../src/adapters/sandbox/egress/registries.ts'
import { noAnswer, registryQuestions } from '../../../src/adapters/sandbox/egress/registry-questions.ts'
import type { PlainMount } from '../../../src/ports/sandbox.ts'
import { tarOf } from '../tar-of.ts'

const hostPath = process.env.PATH ?? ''
const mebibyte = 1_048_576
const limits = { memoryBytes: 4_096 * mebibyte, fileBytes: 512 * mebibyte, openFiles: 4_096, tmpfsBytes: 64 * mebibyte }

let folder = ''
let home = ''
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'drydock-registries-')))
  home = join(folder, 'home')
  return () => rmSync(folder, { recursive: true, force: true })
})

function plant(path: string, lines: readonly string[]): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), lines.join('\n'))
}

interface ExecOptions {
  readonly packageManagers: PackageManagers
  readonly mounts?: readonly PlainMount[]
  readonly path?: string
}

async function exec(command: string, { packageManagers, mounts = [], path = hostPath }: ExecOptions): Promise<string> {
  let output = ''
  const onOutput = (chunk: Uint8Array) => {
    output += Buffer.from(chunk).toString()
  }
  const sandbox = createBubblewrap({ hostPath: path, packageManagers })
  const spec = { mounts, cwd: '/tmp', env: {}, limits, egress: ['registry'] }
  const done = await sandbox.exec(spec, { command, timeoutMs: 60_000, onOutput }, new AbortController().signal)
  if (!done.ok) throw new Error(done.error.errorMessage)
  return output
}

test('the proxies and variables of the user apply inside, without any password', async () => {
  const certificates = join(folder, 'authority.pem')
  writeFileSync(certificates, 'planted authority\n')
  plant('.npmrc', [
    'registry=https://user:hidden@npm.example/all/',
    '@mine:registry=https://user:hidden@mine.example:8443/npm/',
    '//npm.example/all/:_authToken=hidden',
    `cafile=${certificates}`,
  ])
  plant('.config/pip/pip.conf', [
    '[global]',
    'index-url = https://user:hidden@pip.example/simple',
    'extra-index-url = file:///somewhere',
    '  https://more.example/simple',
    'trusted-host = pip.example',
  ])
  const asked = [
    'npm_config_registry',
    'YARN_NPM_REGISTRY_SERVER',
    'PIP_INDEX_URL',
    'PIP_EXTRA_INDEX_URL',
    'PIP_TRUSTED_HOST',
  ]
  const names = [...asked, 'PIP_CERT'].map((name) => `"$${name}"`)
  const seen = await exec(
    `printf '%s\\n' ${names.join(' ')}; cat "$npm_config_userconfig" "$npm_config_cafile" "$PIP_CERT"; npm config get @mine:registry; env | grep -c hidden`,
    { packageManagers: { home, env: { PIP_CERT: certificates } } },
  )
  expect(seen.split('\n')).toEqual([
    'https://npm.example/all/',
    'https://npm.example/all/',
    'https://pip.example/simple',
    'https://more.example/simple',
    'pip.example',
    '/.drydock/egress/certificates/PIP_CERT',
    '@mine:registry=https://mine.example:8443/npm/',
    'planted authority',
    'planted authority',
    'https://mine.example:8443/npm/',
    '0',
    '',
  ])
})

test('go gets its proxies and its sums, and nothing past them', async () => {
  const go = registryQuestions.find(({ command }) => command.startsWith('go '))
  expect(
    await go?.read('https://u:p@one.example/go,https://two.example|direct\nsum.example+key\nprivate.example\n'),
  ).toEqual({
    ...noAnswer,
    endpoints: ['one.example', 'two.example', 'sum.example'].map((host) => ({ host, port: 443 })),
    env: {
      GOPROXY: 'https://one.example/go,https://two.example/',
      GOSUMDB: 'sum.example+key',
      GONOSUMDB: 'private.example',
    },
  })
  expect(await go?.read('direct\noff\n\n')).toEqual(noAnswer)
  expect(await go?.read('')).toEqual(noAnswer)
})

test('yarn of either generation is believed only where it names a URL', async () => {
  const yarn = registryQuestions.find(({ command }) => command.endsWith('npmRegistryServer'))
  expect(await yarn?.read('undefined\n')).toEqual(noAnswer)
  expect(await yarn?.read('http://u:p@yarn.example:4873\n')).toEqual({
    ...noAnswer,
    endpoints: [{ host: 'yarn.example', port: 4873 }],
    env: { YARN_NPM_REGISTRY_SERVER: 'http://yarn.example:4873/', YARN_UNSAFE_HTTP_WHITELIST: 'yarn.example' },
  })
})

const rust = spawnSync('rustc', ['--print', 'sysroot']).status === 0

test.skipIf(!rust)('cargo fetches from the source that replaces its own', async () => {
  const manifest = '[package]\nname = "planted"\nversion = "1.0.0"\nedition = "2021"\n'
  const crate = gzipSync(tarOf({ 'planted-1.0.0/Cargo.toml': manifest, 'planted-1.0.0/src/lib.rs': '' }))
  const cksum = createHash('sha256').update(crate).digest('hex')
  const entry = JSON.stringify({ name: 'planted', vers: '1.0.0', deps: [], cksum, features: {}, yanked: false })
  const downloads = await serve(() => crate)
  const index = await serve((url) => (url === '/index/config.json' ? JSON.stringify({ dl: downloads }) : entry))
  plant('.cargo/config.toml', [
    '[build]',
    'rustc-wrapper = "no-such-program"',
    '[source.crates-io]',
    'replace-with = "mine"',
    '[source.mine]',
    `registry = "sparse+${index}/index/"`,
    '[registry]',
    'token = "hidden"',
  ])
  const sysroot = execFileSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' }).trim()
  const project =
    'mkdir a a/src && cd a && touch src/lib.rs && printf \'[package]\\nname="a"\\nversion="0.0.0"\\nedition="2021"\\n[dependencies]\\nplanted="1"\\n\' > Cargo.toml'
  const seen = await exec(`${project} && cargo fetch && ls ~/.cargo/registry/src/* && cat /.cargo/config.toml`, {
    packageManagers: { home, env: {} },
    mounts: [{ path: sysroot, access: 'read' }],
    path: `${sysroot}/bin:${hostPath}`,
  })
  expect(seen.split('\n').slice(-6)).toEqual([
    'planted-1.0.0',
    '[source.crates-io]',
    'replace-with = "mine"',
    '[source.mine]',
    `registry = "sparse+${index}/index/"`,
    '',
  ])
})

async function serve(answer: (url: string | undefined) => string | Buffer): Promise<string> {
  const server = createServer(({ url }, response) => response.end(answer(url)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}
