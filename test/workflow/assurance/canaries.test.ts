import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyFailed } from '../../../src/domain/why-failed.ts'
import { writeFiles } from '../../adapters/git-world.ts'
import { type Asked, makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'

type Change = Readonly<Record<string, string | null>>

let world: VerifierWorld
afterAll(() => world?.close())

async function verifyChange(change: Change, more: Pick<Asked, 'steps'> & Partial<Asked>) {
  world.git('reset', '--quiet', '--hard', world.tip)
  for (const [path, content] of Object.entries(change)) {
    if (content === null) rmSync(join(world.repository, path))
    else writeFiles(world.repository, { [path]: content })
  }
  const commit = world.commitAll()
  await world.workspaces.updateMirror(world.signal)
  const response = await world.ask({ purpose: 'change', commit, ...more })
  const { status, manifest, tail_log } = response
  const findings = manifest?.integrity?.findings ?? []
  return { response, status, tail: tail_log ?? '', manifest, canaries: manifest?.canaries, findings }
}

describe('node:test', () => {
  const head = `import test from 'node:test'\nimport assert from 'node:assert'\nimport { area } from '../src/area.js'\n`
  const squares = `test('squares', () => { assert.equal(area(2), 4) })\n`
  const cube = `import test from 'node:test'\nimport assert from 'node:assert'\nimport { cube } from '../src/cube.js'\n`
  const source = 'export const area = (side) => side * side\n'
  const spec = [{ command: 'node --test --test-reporter=spec' }]
  const cubed = 'export const cube = (side) => side ** 3\n'
  const cubes = (body = 'assert.equal(cube(2), 8)') => `test('cubes', () => { ${body} })\n`
  beforeAll(async () => {
    world = await makeVerifierWorld({
      'package.json': '{ "name": "area", "type": "module" }\n',
      'src/area.js': source,
      'test/area.test.js': head + squares,
    })
  })
  afterAll(() => world.close())

  test('an honest change is heard, in one run of the steps', async () => {
    const { status, tail, canaries, findings, manifest } = await verifyChange(
      { 'src/cube.js': cubed, 'test/cube.test.js': cube + cubes() },
      { steps: spec },
    )
    expect([status, status === 'PASS' ? '' : tail, findings]).toEqual(['PASS', '', []])
    const files = ['test/cube.test.js', 'test/area.test.js']
    expect(canaries).toEqual({ status: 'heard', steps: [{ step: 'test', status: 'heard', files }] })
    const log = world.read(manifest?.run_id ?? '', 'logs/canaries.log')
    expect(log).toContain('✔ squares')
    expect(log).toContain('✖ cubes')
    expect(() => world.read(manifest?.run_id ?? '', 'logs/canaries-again.log')).toThrow()
  })

  test.each([
    ['replaces an assertion', `import assert from 'node:assert'\nassert.equal = () => {}\n`, spec],
    ['replaces what throws', `import assert from 'node:assert'\nassert.AssertionError.prototype.x = 1\nassert.throws = () => {}\n`, spec],
    [
      'makes every test pass',
      `import { Test } from 'node:test'\nimport { createRequire } from 'node:module'\nconst assert = createRequire(import.meta.url)('node:assert')\nfor (const name of Object.keys(assert)) if (typeof assert[name] === 'function' && name !== 'AssertionError') assert[name] = () => {}\nassert.strict = assert\n`.replace(/^.*\n/, ''),
      spec,
    ],
    [
      'masks the exit code',
      `process.on('exit', () => { process.exitCode = 0 })\n`,
      [{ command: 'node test/area.test.js' }],
    ],
    [
      'ends the process when a test fails',
      `import { after } from 'node:test'\nprocess.on('exit', () => {})\nafter(() => process.exit(0))\n`,
      [{ command: 'node test/area.test.js' }],
    ],
  ])('a source that %s makes the gate deaf, which is a FAIL', async (_what, patch, steps) => {
    const { response, status, tail, canaries, manifest } = await verifyChange({ 'src/area.js': patch + source }, { steps })
    expect([status, canaries?.status]).toEqual(['FAIL', 'deaf'])
    expect(manifest?.integrity).toBeUndefined()
    expect(tail).toContain('[drydock] gate_deaf: ')
    expect(tail).toContain('test/area.test.js')
    expect(whyFailed(response)).toMatch(/^gate_deaf: step test: /)
  })

  test('a runner that was deaf before the change is not the fault of the change', async () => {
    const { status, canaries } = await verifyChange(
      { 'src/cube.js': cubed, 'test/area.test.js': head + squares.replace('(2), 4', '(3), 9') },
      { steps: [{ command: 'node --test --test-reporter=spec --test-name-pattern=squares' }] },
    )
    expect([status, canaries?.status]).toEqual(['PASS', 'not_tried'])
  })

  test('a step that checks its files before it tests them is not taken to be deaf', async () => {
    const { status, canaries } = await verifyChange(
      { 'src/cube.js': cubed, 'test/cube.test.js': cube + cubes() },
      { steps: [{ command: '! grep -q lies -r test && node --test --test-reporter=spec' }] },
    )
    expect([status, canaries?.status, canaries?.reason]).toEqual(['PASS', 'not_tried', expect.stringContaining('before they run')])
  })

  test.each([
    ['returns early', 'return; assert.equal(cube(2), 8)'],
    ['swallows its error', 'try { assert.equal(cube(2), 8) } catch {}'],
  ])('a new test that %s is told to be deaf', async (_what, body) => {
    const { status, canaries, findings } = await verifyChange(
      { 'src/cube.js': cubed, 'test/cube.test.js': cube + cubes(body) + `test('needs it', () => { assert.ok(cube) })\n` },
      { steps: spec },
    )
    expect([status, canaries?.status]).toEqual(['PASS', 'heard'])
    expect(findings).toMatchObject([{ kind: 'deaf_test', file: 'test/cube.test.js' }])
    expect(findings[0]?.evidence).toContain('cubes: ')
  })

  test('tests that are honest in unusual ways are not told to be deaf', async () => {
    const bodies = [
      `for (const side of [1]) test('in a table', () => { assert.equal(cube(side), 1) })`,
      `test('under a condition', () => { if (cube(2) === 9) assert.equal(cube(2), 9) })`,
      `test('with a helper', () => { const check = () => { assert.equal(cube(2), 9) }; assert.ok(check) })`,
      `test('not here', (t) => { if (process.platform === 'linux') return t.skip(); assert.equal(cube(2), 9) })`,
      `test('an error', () => {\n  try {\n    cube.none()\n    assert.fail('none')\n  } catch (error) {\n    assert.equal(error.name, 'TypeError')\n  }\n})`,
      `test('twice', () => { assert.equal(cube(1), 1) })\ntest('a message', () => {\n  assert.equal(\n    cube(2),\n    8,\n    'eight',\n  )\n})`,
    ]
    const { status, findings } = await verifyChange(
      { 'src/cube.js': cubed, 'test/cube.test.js': `${cube}${bodies.join('\n')}\n` },
      { steps: spec },
    )
    expect([status, findings]).toEqual(['PASS', []])
  })
})
