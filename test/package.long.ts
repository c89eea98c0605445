import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
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
let elsewhere: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-package-'))
  elsewhere = join(folder, 'elsewhere')
  await mkdir(elsewhere)
  await run('npm', ['run', 'build'], { cwd: root, env })
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    env,
  })
  const [tarball]: [{ filename: string }] = JSON.parse(stdout)
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  const options = ['--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['install', ...options, join(folder, tarball.filename)], { cwd: folder, env })
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

test('installed from its tarball into an empty folder it runs, whatever Node the system has', async () => {
  const drydock = join(folder, 'node_modules', '.bin', 'drydock')
  const { stdout } = await run(drydock, ['--version'], { cwd: elsewhere, env })
  expect(stdout).toContain(manifest.version)
  const help = await run(drydock, ['--help'], { cwd: elsewhere, env })
  expect(help.stdout).toContain('task')
})

test('installed from its tarball it holds against all its own attacks', async () => {
  const repository = join(folder, 'attacked')
  await mkdir(repository)
  await run('git', ['init', '--quiet'], { cwd: repository, env })
  const drydock = join(folder, 'node_modules', '.bin', 'drydock')
  const attacked = run(drydock, ['doctor', '--security', '--json'], { cwd: repository, env })
  // The program exits with 3 if an attack succeeds, and names it.
  const { stdout }: { readonly stdout: string } = await attacked.catch((error) => error)
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.filter(({ status }) => status === 'FAILED')).toEqual([])
  expect(lines.at(-1)).toMatchObject({ type: 'result', status: 'PASS' })
})

test('installed from its tarball it does the whole job of the demo', async () => {
  const drydock = join(folder, 'node_modules', '.bin', 'drydock')
  const { stdout } = await run(drydock, ['demo', '--json'], { cwd: elsewhere, env: { ...env, TMPDIR: folder } })
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ type: 'result', status: 'DONE' })
})

test('compiled code of a start is stored for the next, ignored when it is broken, and not stored if the user forbids it', async () => {
  const drydock = join(folder, 'node_modules', '.bin', 'drydock')
  const cache = join(folder, 'compiled')
  const start = async (more: Readonly<Record<string, string>> = {}) => {
    const { stdout } = await run(drydock, ['--version'], {
      cwd: elsewhere,
      env: { ...env, NODE_COMPILE_CACHE: cache, ...more },
    })
    expect(stdout.trim()).toBe(manifest.version)
    const files = globSync(join(cache, '*', 'drydock-*')).sort()
    return files.map((file) => ({ file, name: basename(file).replace(/^drydock-\w+-/, ''), bytes: readFileSync(file) }))
  }
  expect(await start({ NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual([])
  const kept = await start()
  expect(kept.map(({ name }) => name)).toEqual(expect.arrayContaining(['main.cjs', expect.stringMatching(/^frame-/)]))
  expect(await start()).toEqual(kept)
  for (const { file, bytes } of kept) await writeFile(file, bytes.fill(7, 100, 200))
  const anew = await start()
  expect(anew.map(({ file }) => file)).toEqual(kept.map(({ file }) => file))
  for (const { bytes } of anew) expect(bytes.subarray(100, 200)).not.toEqual(Buffer.alloc(100, 7))
})
