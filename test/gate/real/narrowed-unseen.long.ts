import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'
import { oldTestsOf, tree } from './narrowed-world.ts'

/** Test files find cases, and sources plugins, by lists of folders. */
const listing = {
  ...tree,
  'src/rates.js': `import { readdirSync } from 'node:fs'
const folder = [process.cwd(), 'src', 'plug' + 'ins'].join('/')
export const all = async () => Promise.all(readdirSync(folder).map((name) => import([folder, name].join('/'))))
`,
  'src/plugins/eur.js': 'export const rate = (value) => value * 2\n',
  'test/cases/eur.js': 'export default { value: 2, expected: 4 }\n',
  'test/zz-rates.test.js': `import assert from 'node:assert'
import { readdirSync } from 'node:fs'
import test from 'node:test'
import { all } from '../src/rates.js'
const folder = [process.cwd(), 'test', 'ca' + 'ses'].join('/')
test('rates', async () => {
  const [{ rate }] = await all()
  for (const name of readdirSync(folder)) {
    const { value, expected } = (await import([folder, name].join('/'))).default
    assert.equal(rate(value), expected)
  }
})
`,
  'test/zz-marks.test.js': `import assert from 'node:assert'
import test from 'node:test'
import { all } from '../src/rates.js'
test('marks', async () => assert.equal((await all())[0].rate(0), 0))
`,
}

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld(listing)
})
afterAll(() => world.close())

const command = 'node --test --test-reporter=spec test/*.test.js'
const grown = {
  'src/add-0.js': "export const add = (value) => (typeof value === 'string' ? Number(value) : value)\n",
  'test/add-0.test.js': `${tree['test/add-0.test.js' as keyof typeof tree]}test('adds texts', () => assert.equal(add('2'), 2))\n`,
}

test('an unchanged test that lists its cases is asked', async () => {
  const change = {
    ...grown,
    'src/plugins/eur.js': 'export const rate = (value) => value * 3\n',
    'test/cases/eur.js': 'export default { value: 2, expected: 6 }\n',
  }
  const { hybrid, trees } = await oldTestsOf(world, change, { command })
  expect([hybrid, trees]).toEqual([{ status: 'behaviour_changed', failing: ['rates'] }, expect.anything()])
})

test('a source that an unchanged test lists, and that reads a changed file of tests, is asked', async () => {
  const change = {
    ...grown,
    'src/plugins/eur.js': `import { existsSync } from 'node:fs'
const mark = existsSync(new URL('../../test/' + 'mark' + 'ed.js', import.meta.url)) ? 0 : 1
export const rate = (value) => value * 2 + mark
`,
    'test/marked.js': 'export const marked = 1\n',
    'test/add-0.test.js': `import './marked.js'\n${grown['test/add-0.test.js']}`,
  }
  const { hybrid, trees } = await oldTestsOf(world, change, { command })
  expect([hybrid?.status, trees]).toEqual(['behaviour_changed', expect.anything()])
})

test('a skipped old test is not taken for one of the same name in another file', async () => {
  const old = `import assert from 'node:assert'
import test from 'node:test'
import { can } from '../src/can.js'
test('can', () => assert.equal(typeof can, 'boolean'))
`
  const named = await makeVerifierWorld({
    ...tree,
    'src/can.js': 'export const can = true\n',
    'test/aa.test.js': `${old}test('works', { skip: !can }, () => assert.ok(can))\n`,
    'test/bb.test.js': "import test from 'node:test'\ntest('works', () => {})\n",
  })
  try {
    const change = { 'src/can.js': 'export const can = false\n', 'test/aa.test.js': old }
    const { hybrid, trees } = await oldTestsOf(named, change, { command })
    expect([hybrid?.status, trees]).toEqual(['behaviour_changed', expect.anything()])
  } finally {
    await named.close()
  }
})

test('an unchanged test that reads what a changed one leaves is asked', async () => {
  const leaving = (value: string) => `import assert from 'node:assert'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import test from 'node:test'
import { one } from '../src/one.js'
test('leaves', () => {
  writeFileSync(tmpdir() + '/kept-number', String(${value}))
  assert.ok(one > 0)
})
`
  const named = await makeVerifierWorld({
    ...tree,
    'src/one.js': 'export const one = 1\n',
    'test/aa.test.js': leaving('one'),
    'test/bb.test.js': `import assert from 'node:assert'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import test from 'node:test'
test('finds', () => assert.equal(readFileSync(tmpdir() + '/kept-number', 'utf8'), '1'))
`,
  })
  try {
    const change = { 'src/one.js': 'export const one = 2\n', 'test/aa.test.js': leaving('one - 1') }
    const run = 'node --test --test-reporter=spec --test-concurrency=1 test/*.test.js'
    const { hybrid, trees } = await oldTestsOf(named, change, { command: run })
    expect([hybrid, trees]).toEqual([{ status: 'behaviour_changed', failing: ['finds'] }, expect.anything()])
  } finally {
    await named.close()
  }
})
