import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createBubblewrap } from '../../../src/adapters/sandbox/bubblewrap.ts'
import { findProgram } from '../../../src/processes/find-program.ts'

const path = process.env.PATH ?? ''
let folder: string
let bwrap: string
let hostPath: string

/** A bwrap that logs each start and otherwise is the real one. */
async function install(extra = ''): Promise<void> {
  const real = findProgram('bwrap', path)
  await writeFile(bwrap, `#!/bin/sh\n${extra}\necho started >> ${join(folder, 'starts')}\nexec ${real} "$@"\n`)
  await chmod(bwrap, 0o755)
}

const starts = async () => (await readFile(join(folder, 'starts'), 'utf8').catch(() => '')).split('\n').length - 1
const probe = (remembered: boolean) =>
  createBubblewrap({ hostPath, bwrap, cache: join(folder, 'cache') }).probe({ remembered })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remembered-probe-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'bin'))
  bwrap = join(folder, 'bin', 'bwrap')
  hostPath = [join(folder, 'bin'), path].join(delimiter)
  await install()
})

test('a probe that worked is remembered for the next process, and what it said is the same', async () => {
  const first = await probe(true)
  const before = await starts()
  expect(first).toMatchObject({ ok: true, enforced: { network: 'enforced' } })
  expect(await probe(true)).toEqual(first)
  expect(await starts()).toBe(before)
})

test('it is made again when the program has changed, and whenever a person asks', async () => {
  await probe(true)
  const before = await starts()
  await probe(false)
  expect(await starts()).toBe(2 * before)
  await install('# another version')
  await probe(true)
  expect(await starts()).toBe(3 * before)
})

test('one that failed is not remembered, and forgets the one before', async () => {
  await probe(true)
  await install('echo "bwrap: No permissions to create new namespace" >&2; exit 1')
  expect(await probe(true)).toMatchObject({ ok: false })
  await install()
  const before = await starts()
  expect(await probe(true)).toMatchObject({ ok: true })
  expect(await starts()).toBeGreaterThan(before)
})

test.each(['', 'not a probe', '{"ok":true}'])('a file of %j in its place does not count as a probe', async (text) => {
  await probe(true)
  const before = await starts()
  await writeFile(join(folder, 'cache', 'sandbox-probe'), text)
  expect(await probe(true)).toMatchObject({ ok: true, enforced: { network: 'enforced' } })
  expect(await starts()).toBe(2 * before)
})

test('that commands can be traced is remembered as well, until a person asks', async () => {
  const why = (remembered: boolean) =>
    createBubblewrap({ hostPath, bwrap, cache: join(folder, 'cache') }).whyNotTraced({ remembered })
  expect(await why(true)).toBeNull()
  const before = await starts()
  expect(await why(true)).toBeNull()
  expect(await starts()).toBe(before)
  expect(await why(false)).toBeNull()
  expect(await starts()).toBe(before + 1)
})

test('each process finds out again why commands cannot be traced', async () => {
  await install('echo "bwrap: No permissions to create new namespace" >&2; exit 1')
  const why = () =>
    createBubblewrap({ hostPath, bwrap, cache: join(folder, 'cache') }).whyNotTraced({ remembered: true })
  expect(await why()).toEqual(expect.stringMatching(/./))
  await install()
  expect(await why()).toBeNull()
})
