import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createArtifacts } from '../../../src/adapters/artifacts/artifacts.ts'
import { removeFolder } from '../../../src/adapters/artifacts/remove-folder.ts'
import type { Manifest } from '../../../src/domain/verification/verdict.ts'

/** Root can enter every folder, so these tests run as another user. */
const nobody = 65_534
const isRoot = process.geteuid?.() === 0

let artifacts: string
beforeEach(() => {
  artifacts = mkdtempSync(join(tmpdir(), 'drydock-run-folder-'))
  if (!isRoot) return
  chownSync(artifacts, nobody, nobody)
  process.seteuid?.(nobody)
})
afterEach(() => {
  if (isRoot) process.seteuid?.(0)
  rmSync(artifacts, { recursive: true, force: true })
})

const manifest = { run_id: 'run_20261103_100000_abcdef', status: 'FAIL' } as Manifest

async function makeFolder() {
  const folder = await createArtifacts(artifacts, String).openRun(manifest.run_id, { ofBase: false })
  const log = folder.openLog('combined.log')
  log.write(Buffer.from('honest\n'))
  log.close()
  return folder
}

test('a step that closes its folders keeps no log from being true, and hides only what it closed', async () => {
  const folder = await makeFolder()
  writeFileSync(join(folder.path, 'logs/junit.xml'), '<testsuite/>')
  mkdirSync(join(folder.path, 'logs/combined.log/closed'), { recursive: true })
  mkdirSync(join(folder.path, 'build/closed'))
  mkdirSync(join(folder.path, 'cache/closed'))
  writeFileSync(join(folder.path, 'cache/closed/x'), 'x')
  writeFileSync(join(folder.path, 'build/open'), 'open')
  for (const path of [
    'logs/combined.log/closed',
    'logs/combined.log',
    'logs',
    'build/closed',
    'cache/closed',
    'cache',
  ]) {
    chmodSync(join(folder.path, path), 0)
  }
  expect(await folder.finish(manifest)).toEqual(['build/open', 'logs/combined.log', 'logs/junit.xml', 'manifest.json'])
  expect(readFileSync(join(folder.path, 'logs/combined.log'), 'utf8')).toBe('honest\n')
  expect(readdirSync(join(folder.path, 'cache'))).toEqual([])
  expect(JSON.parse(readFileSync(join(folder.path, 'manifest.json'), 'utf8'))).toEqual(manifest)
})

test('a folder that was closed and left is created again under the same id', async () => {
  const { path } = await makeFolder()
  mkdirSync(join(path, 'build/a/b/c'), { recursive: true })
  writeFileSync(join(path, 'build/a/b/x'), 'x')
  for (const closed of ['build/a/b', 'build/a', 'build', '.']) chmodSync(join(path, closed), 0)
  const again = await makeFolder()
  expect(readdirSync(again.path).sort()).toEqual(['build', 'cache', 'logs', 'tmp'])
  expect(readdirSync(join(again.path, 'build'))).toEqual([])
})

test('a manifest that has been written is never written again', async () => {
  const folder = await makeFolder()
  await folder.finish(manifest)
  await expect(folder.finish(manifest)).rejects.toThrow('ENOENT')
  expect(JSON.parse(readFileSync(join(folder.path, 'manifest.json'), 'utf8'))).toEqual(manifest)
})

test('removing a folder follows no link and changes nothing behind one', async () => {
  const kept = join(artifacts, 'kept')
  mkdirSync(kept, { mode: 0o755 })
  writeFileSync(join(kept, 'file'), 'kept', { mode: 0o444 })
  const folder = join(artifacts, 'folder')
  mkdirSync(join(folder, 'closed/deeper'), { recursive: true })
  symlinkSync(kept, join(folder, 'closed/link'))
  symlinkSync(join(kept, 'file'), join(folder, 'closed/deeper/link'))
  symlinkSync(folder, join(folder, 'closed/circle'))
  for (const path of ['closed/deeper', 'closed']) chmodSync(join(folder, path), 0)
  await removeFolder(folder)
  expect(existsSync(folder)).toBe(false)
  expect(readFileSync(join(kept, 'file'), 'utf8')).toBe('kept')
  expect(statSync(kept).mode & 0o777).toBe(0o755)
  expect(statSync(join(kept, 'file')).mode & 0o777).toBe(0o444)
  await removeFolder(join(artifacts, 'never-there'))
})

describe('a report that steps have left', () => {
  test.each(['logs/junit.xml', 'build/a/../junit.xml', 'tmp/junit.xml'])('is read at %s', async (name) => {
    const folder = await makeFolder()
    mkdirSync(join(folder.path, 'build/a'))
    writeFileSync(join(folder.path, name), '<testsuite/>')
    expect(await folder.report(name, 12)).toBe('<testsuite/>')
  })

  test.each([
    ['is not there', 'logs/junit.xml', () => undefined],
    ['is a folder', 'logs/junit.xml', (path: string) => mkdirSync(path)],
    ['is a pipe that nobody writes', 'logs/junit.xml', (path: string) => execFileSync('mkfifo', [path])],
    ['is larger than is read', 'logs/junit.xml', (path: string) => writeFileSync(path, 'x'.repeat(1_001))],
    ['is a link to a file of the machine', 'logs/junit.xml', (path: string) => symlinkSync('/etc/passwd', path)],
    [
      'is a link to a log that steps cannot reach',
      'logs/junit.xml',
      (path: string) => symlinkSync(`../../.${manifest.run_id}/logs/combined.log`, path),
    ],
    ['is a link into another of the folders', 'logs/junit.xml', (path: string) => symlinkSync('../build', path)],
    ['lies where only the steps may see it', 'cache/junit.xml', (path: string) => writeFileSync(path, 'x')],
    ['lies beside the folders', 'junit.xml', (path: string) => writeFileSync(path, 'x')],
    ['lies outside', '../junit.xml', (path: string) => writeFileSync(path, 'x')],
  ] as const)('is null when it %s', async (_what, name, make) => {
    const folder = await makeFolder()
    make(join(folder.path, name))
    expect(await folder.report(name, 1_000)).toBeNull()
  })
})

test('files of steps are removed, whatever they are, but no target of a link', async () => {
  const folder = await makeFolder()
  const outside = join(artifacts, 'outside')
  mkdirSync(join(outside, 'kept'), { recursive: true })
  const place = join(folder.path, 'logs/junit.xml')
  await folder.forget('logs/junit.xml')
  mkdirSync(join(place, 'deep'), { recursive: true })
  await folder.forget('logs/junit.xml')
  symlinkSync(outside, place)
  await folder.forget('logs/junit.xml')
  writeFileSync(place, 'x')
  chmodSync(join(folder.path, 'logs'), 0o500)
  await folder.forget('logs/junit.xml')
  expect(existsSync(place)).toBe(false)
  symlinkSync(outside, join(folder.path, 'tmp/link'))
  await folder.forget('tmp/link/kept')
  await folder.forget('../../outside/kept')
  await folder.forget('.')
  await folder.forget('logs')
  expect([existsSync(join(outside, 'kept')), existsSync(join(folder.path, 'logs'))]).toEqual([true, true])
})

describe('a folder beside that of a verification', () => {
  const left = () => readdirSync(join(artifacts, 'runs')).sort()

  test('has nothing in common with it, and goes whole', async () => {
    const all = createArtifacts(artifacts, String)
    const own = await all.openRun(manifest.run_id, { ofBase: false })
    const beside = await all.openBeside(manifest.run_id, 'base')
    beside.openLog('step.log').close()
    writeFileSync(join(beside.path, 'logs/junit.xml'), 'x')
    expect(await own.report('logs/junit.xml', 9)).toBeNull()
    chmodSync(join(beside.path, 'logs'), 0)
    await beside.discard()
    expect(left()).toEqual([`.${manifest.run_id}`, manifest.run_id])
  })

  test('is removed with it and when it is created again; another’s stays', async () => {
    const all = createArtifacts(artifacts, String)
    const other = await all.openBeside('run_20261103_100000_other', 'base')
    await all.openBeside(manifest.run_id, 'base')
    await all.openRun(manifest.run_id, { ofBase: false })
    const others = [`.${basename(other.path)}`, basename(other.path)]
    expect(left()).toEqual([...others, `.${manifest.run_id}`, manifest.run_id].sort())
    await all.openBeside(manifest.run_id, 'proof')
    expect(await all.runs()).toEqual(['run_20261103_100000_abcdef', 'run_20261103_100000_other'])
    await all.removeRun(manifest.run_id)
    expect(left()).toEqual(others.sort())
  })
})
