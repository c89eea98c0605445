import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MemoryGate, makeMemoryGate } from '../memory-gate.ts'

const head =
  "import test from 'node:test'\nimport assert from 'node:assert'\nimport { readFileSync } from 'node:fs'\nimport { area, report } from '../src/area.js'\n"
const reports =
  "test('reports', () => { assert.equal(report(2), readFileSync('test/__snapshots__/report.snap', 'utf8')) })\n"
const squares = "test('squares', () => { assert.equal(area(2), 4) })\n"
const source =
  'export const area = (side) => side * side\nexport const report = (side) => `area ${side * side}, side ${side}\\n`\n'
const files = {
  'package.json': '{ "name": "area", "type": "module" }\n',
  'src/area.js': source,
  'test/area.test.js': head + squares,
  'test/report.test.js': head + reports,
  'test/__snapshots__/report.snap': 'area 4, side 2\n',
}

let world: MemoryGate
beforeAll(() => {
  world = makeMemoryGate(files)
})
afterAll(() => world.close())

async function findingsOf(change: Readonly<Record<string, string | null>>) {
  const commit = await world.commitChange(change)
  const steps = [{ command: 'node --test --test-reporter=spec' }]
  const { status, manifest, tail_log } = await world.ask({ steps, purpose: 'change', refactor: true, commit })
  expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
  return { hybrid: manifest?.hybrid, findings: manifest?.integrity?.findings ?? [] }
}

const spoken = { 'src/area.js': source.replace('`area', '`an area of') }
const snapshot = { 'test/__snapshots__/report.snap': 'an area of 4, side 2\n' }

test('a snapshot that a change rewrites is told with its lines, and nothing else is', async () => {
  const { hybrid, findings } = await findingsOf({ ...spoken, ...snapshot })
  expect(findings).toMatchObject([{ kind: 'expectation_changed', file: 'test/__snapshots__/report.snap' }])
  expect(findings[0]?.claim).toBe(
    'On the new sources a test that passed before passes by another snapshot alone: test/__snapshots__/report.snap expects something else now.',
  )
  expect(findings[0]?.evidence).toMatch(/- -area 4, side 2\n- \+an area of 4, side 2\nin\n- reports/)
  expect(hybrid).toEqual({ status: 'behaviour_changed', failing: ['reports'] })
})

test('changes that the snapshot does not explain are reported separately', async () => {
  const { findings } = await findingsOf({
    ...snapshot,
    'src/area.js': spoken['src/area.js'].replace('side * side\n', 'side * 3\n'),
    'test/area.test.js': head + squares.replace('4', '6'),
  })
  expect(findings.map(({ kind }) => kind)).toEqual(['behaviour_changed', 'expectation_changed'])
  expect(findings.map(({ evidence }) => /reports|squares/.exec(evidence)?.[0])).toEqual(['squares', 'reports'])
})

test('a test that compares less with its snapshot is not explained by it', async () => {
  const { findings } = await findingsOf({
    ...snapshot,
    'src/area.js': spoken['src/area.js'].replace('side ${side}', 'sides'),
    'test/report.test.js': head + reports.replace('report(2)', "report(2).replace('sides', 'side 2')"),
  })
  expect(findings.map(({ kind }) => kind)).toEqual(['behaviour_changed'])
})
