import { expect, test } from 'vitest'
import { memoryNode } from '../../world/node.ts'
import type { Program } from '../../world/sandbox.ts'
import { makeMemoryGate } from '../memory-gate.ts'

const test4 =
  "import test from 'node:test'\nimport assert from 'node:assert'\nimport { area } from '../src/area.js'\ntest('squares', () => { assert.equal(area(2), 4) })\ntest('large ones', () => { assert.equal(area(10), 100) })\n"
const source = 'export const area = (side) => side * side\n'
const manifest = { name: 'area', type: 'module', main: 'src/area.js', scripts: { test: 'node --test' } }
const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`
const files = {
  'package.json': json(manifest),
  'src/area.js': source,
  'src/fake.js': 'export const area = (side) => side ** 2\n',
  'test/area.test.js': test4,
}

/** Tests load the package by its name, and a source that says `left` requires that package. */
const runner: Program = (seen) => {
  const { main = 'src/area.js', dependencies = {} } = JSON.parse(seen.read('package.json') ?? '{}')
  const needs = seen.read('src/area.js')?.includes('left') ?? false
  if (needs && !('left' in dependencies)) return { exitCode: 1, output: 'TAP version 13\nnot ok 1 - squares\n1..1\n' }
  const own = {
    ...seen,
    paths: seen.paths,
    read: (path: string) => seen.read(path.endsWith('src/area.js') ? main : path),
  }
  return memoryNode(own, ['--test'])
}

async function verifyChange(change: Readonly<Record<string, string>>) {
  const world = makeMemoryGate(files, { runner })
  const commit = world.commitOf(change)
  const asked = { steps: [{ command: 'runner' }], purpose: 'change', refactor: true, commit } as const
  const { status, manifest: said, tail_log } = await world.ask(asked)
  expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
  const findings = said?.integrity?.findings ?? []
  return { kinds: findings.map(({ kind }) => kind), hybrid: said?.hybrid, claims: findings.map(({ claim }) => claim) }
}

const left = { dependencies: { left: '1.0.0' } }
const needing = `// left\n${source}`
const broken = `// left\n${source.replace('side * side', 'side * 2')}`

test('new sources are tried with the dependencies of the change, and with nothing else of its manifest', async () => {
  const { kinds, hybrid } = await verifyChange({
    'src/area.js': needing.replace('side * side', 'side ** 2'),
    'package.json': json({ ...manifest, ...left }),
    'test/area.test.js': `${test4}// tidied\n`,
  })
  expect([kinds, hybrid?.status, hybrid?.with_dependencies]).toEqual([[], 'held', true])
})

test('an entry that leads the tests past the source does not lead the old tests there', async () => {
  const { kinds, claims } = await verifyChange({
    'src/area.js': broken,
    'package.json': json({ ...manifest, ...left, main: 'src/fake.js' }),
  })
  expect(kinds).toEqual(['configuration', 'no_tests', 'behaviour_changed'])
  expect(claims[0]).toBe('package.json changes what is loaded by its name: main.')
})

test('a manifest that is added in a folder of tests is not taken for what it says beside its dependencies', async () => {
  const { kinds } = await verifyChange({
    'src/area.js': source.replace('side * side', 'side ** 2'),
    'test/package.json': json({ name: 'area', exports: '../src/fake.js' }),
  })
  expect(kinds).toEqual(['configuration'])
})

test('a new package with its manifest is told nothing of', async () => {
  const { kinds } = await verifyChange({
    'src/area.js': source.replace('side * side', 'side ** 2'),
    'packages/new/package.json': json({ name: 'new', version: '1.0.0', main: 'index.js', exports: './index.js' }),
    'test/area.test.js': `${test4}// tidied\n`,
  })
  expect(kinds).toEqual([])
})
