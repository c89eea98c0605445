import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')

/** Simulates a shell outside npm: with the system's Node, not the pinned one. */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_|^INIT_CWD$/.test(name))),
  PATH: (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter),
}

let folder: string
let packed: readonly string[]
let elsewhere: string
let installed: string
let drydock: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-package-'))
  installed = join(folder, 'node_modules', 'drydock')
  drydock = join(installed, 'bin', 'drydock')
  elsewhere = join(folder, 'elsewhere')
  await mkdir(elsewhere)
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    env,
  })
  const [tarball]: [{ filename: string; files: { path: string }[] }] = JSON.parse(stdout)
  packed = tarball.files.map(({ path }) => path)
  await mkdir(installed, { recursive: true })
  await run('tar', ['xzf', join(folder, tarball.filename), '-C', installed, '--strip-components=1'])
  // The pinned Node is the only package that it starts with.
  for (const name of await readdir(join(root, 'node_modules')))
    if (name.startsWith('node-linux-')) await symlink(join(root, 'node_modules', name), join(installed, '..', name))
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

test('the package ships what it needs to run, and neither sources nor tests', () => {
  const needed = [
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
    'config.schema.json',
    'user-config.schema.json',
    'bin/drydock',
    'dist/licenses.txt',
    'dist/program/main.js',
    'dist/chunks/main.cjs',
    'dist/runner/main.js',
    'dist/forwarder/forwarder.js',
    'dist/bridge/bridge.js',
    'dist/services/main.js',
    'dist/dashboard/index.html',
    'package.json',
  ]
  expect(packed).toEqual(expect.arrayContaining(needed))
  expect(packed.some((path) => path.startsWith('examples/'))).toBe(true)
  const parts = new Set(packed.map((path) => path.split('/')[0]))
  expect(
    [...parts].filter((part) => ![...needed, 'bin', 'deploy', 'dist', 'docs', 'examples'].includes(part ?? '')),
  ).toEqual([])
  expect(
    packed.filter((path) => /^dist\/(?!dashboard\/)/.test(path) && !/\.c?js$|\/licenses\.txt$/.test(path)),
  ).toEqual([])
})

test('unpacked from its tarball it runs, whatever Node the system has', async () => {
  const { stdout } = await run(drydock, ['--version'], { cwd: elsewhere, env })
  expect(stdout.trim()).toBe(manifest.version)
  const help = await run(drydock, ['--help'], { cwd: elsewhere, env })
  expect(help.stdout).toContain('task')
})
