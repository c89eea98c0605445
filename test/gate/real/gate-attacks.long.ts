import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeFiles } from '../../adapters/git/git-world.ts'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'

const head = `import test from 'node:test'\nimport assert from 'node:assert'\nimport { add } from '../src/add.js'\n`
const testOf = (name: string, line: string) => `test('${name}', () => { ${line} })\n`
const steps = [{ command: 'node --test --test-reporter=spec test/add.test.js' }]

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld({
    'package.json': '{ "type": "module" }\n',
    'src/add.js': 'export const add = (a, b) => a + b\n',
    'test/add.test.js': head + testOf('adds', 'assert.equal(add(1, 2), 3)'),
  })
})
afterAll(() => world.close())

test('the proof of tests takes a submodule among them as it is', async () => {
  const other = join(world.top, 'other')
  world.gitIn(dirname(other), 'init', '--quiet', 'other')
  writeFiles(other, { 'data.txt': 'x\n' })
  world.gitIn(other, 'add', '--all')
  world.gitIn(other, 'commit', '--quiet', '--message', 'data')
  world.git('reset', '--quiet', '--hard', world.tip)
  world.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'test/data')
  writeFiles(world.repository, {
    'test/add.test.js': head + testOf('adds', 'assert.equal(add(1, 2), 3)') + testOf('new', 'assert.ok(add)'),
    'src/d.js': '',
  })
  const commit = world.commitAll()
  await world.userRepository.updateMirror(world.signal)
  const { status, manifest, error_message } = await world.ask({ steps, purpose: 'change', commit })
  expect([status, error_message, manifest?.integrity?.proof]).toMatchObject([
    'PASS',
    undefined,
    { status: 'not_proven' },
  ])
})

test('a verification that was killed beside its base’s run leaves nothing once it is done again', async () => {
  const runId = world.newRunId()
  for (const name of [`${runId}~base`, `.${runId}~base`, `${runId}~proof`])
    writeFiles(join(world.artifacts, 'runs', name), { 'logs/left': 'x' })
  await world.ask({ steps, runId })
  expect(world.left()).toContain(runId)
  expect(world.left().filter((name) => name.includes('~'))).toEqual([])
})
