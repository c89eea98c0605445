import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyFailed } from '../../../src/domain/verification/why-failed.ts'
import { memoryNode } from '../../world/node.ts'
import type { Program } from '../../world/sandbox.ts'
import { type MemoryGate, makeMemoryGate } from '../memory-gate.ts'
import type { VerifierInput } from '../verifier-world.ts'

type Change = Readonly<Record<string, string | null>>

let world: MemoryGate

async function verifyChange(change: Change, more: Pick<VerifierInput, 'steps'> & Partial<VerifierInput>) {
  const commit = world.commitChange(change)
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
  /** Fails if a test file contains the word "lies". */
  const checked: Program = (seen) =>
    seen.paths.some((path) => path.startsWith('test/') && seen.read(path)?.includes('lies'))
      ? 1
      : memoryNode(seen, ['--test'])
  const cubed = 'export const cube = (side) => side ** 3\n'
  const cubes = (body = 'assert.equal(cube(2), 8)') => `test('cubes', () => { ${body} })\n`
  beforeAll(async () => {
    world = makeMemoryGate(
      {
        'package.json': '{ "name": "area", "type": "module" }\n',
        'src/area.js': source,
        'test/area.test.js': head + squares,
      },
      { checked },
    )
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
    expect(log).toMatch(/^ok \d+ - squares$/m)
    expect(log).toMatch(/^not ok \d+ - cubes$/m)
    expect(() => world.read(manifest?.run_id ?? '', 'logs/canaries-again.log')).toThrow()
  })

  test.each([
    ['replaces an assertion', `import assert from 'node:assert'\nassert.equal = () => {}\n`, spec],
    ['replaces one of them', `import assert from 'node:assert'\nassert.throws = () => {}\n`, spec],
    [
      'masks the exit code',
      `process.on('exit', () => { process.exitCode = 0 })\n`,
      [{ command: 'node test/area.test.js' }],
    ],
    [
      'ends the process when a test fails',
      `import assert from 'node:assert'\nassert.equal = (a, b) => { if (a != b) process.exit(0) }\n`,
      spec,
    ],
  ])('a source that %s makes the gate deaf, which is a FAIL', async (_what, patch, steps) => {
    const { response, status, tail, canaries, manifest } = await verifyChange(
      { 'src/area.js': patch + source },
      { steps },
    )
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
      { steps: [{ command: 'checked' }] },
    )
    expect([status, canaries?.status, canaries?.reason]).toEqual([
      'PASS',
      'not_tried',
      expect.stringContaining('before they run'),
    ])
  })

  test.each([
    ['returns early', 'return; assert.equal(cube(2), 8)', [{ kind: 'no_tests', file: 'src/cube.js' }]],
    ['swallows its error', 'try { assert.equal(cube(2), 8) } catch {}', [{ kind: 'no_proof', file: 'src/cube.js' }]],
  ])('a new test that %s is told to be deaf', async (_what, body, more) => {
    const { status, canaries, findings } = await verifyChange(
      {
        'src/cube.js': cubed,
        'test/cube.test.js': `${cube + cubes(body)}test('needs it', () => { assert.ok(cube) })\n`,
      },
      { steps: spec },
    )
    expect([status, canaries?.status]).toEqual(['PASS', 'heard'])
    expect(findings).toMatchObject([{ kind: 'deaf_test', file: 'test/cube.test.js' }, ...more])
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

describe('tests beside a failing one', () => {
  const head = `import test from 'node:test'\nimport assert from 'node:assert'\n`
  const source = 'export const area = (side) => side * side\n'
  const own = `${head}import { area } from '../src/area.js'\ntest('squares', () => { assert.equal(area(2), 4) })\n`
  const later = `${head}import { area } from '../src/area.js'\ntest('is later', () => { assert.equal(area(3), 9) })\n`
  /** Some repositories check themselves in this way. */
  const counts = `${head}import { readFileSync } from 'node:fs'\ntest('is short', () => { assert.ok(readFileSync('test/a.test.js', 'utf8').length < 400) })\n`
  const broken = `import assert from 'node:assert'
let broken = false
const { equal } = assert
assert.equal = (...two) => {
  try {
    equal(...two)
  } catch (error) {
    broken = true
    throw error
  }
}
export const area = (side) => (broken ? 0 : side * side)
`
  const steps = [{ command: 'node --test-reporter=spec run.js' }]
  beforeAll(async () => {
    world = makeMemoryGate({
      'package.json': '{ "name": "area", "type": "module" }\n',
      'run.js': ['a', 'b', 'c'].map((name) => `import './test/${name}.test.js'\n`).join(''),
      'src/area.js': source,
      'test/a.test.js': own,
      'test/b.test.js': counts,
      'test/c.test.js': later,
    })
  })
  afterAll(() => world.close())

  test('that do not pass then, but do on the base commit, are a finding', async () => {
    const { status, tail, canaries, findings } = await verifyChange(
      { 'src/area.js': broken },
      { steps, refactor: true },
    )
    expect([status, status === 'PASS' ? '' : tail, canaries?.status]).toEqual(['PASS', '', 'heard'])
    const found = findings.find(({ kind }) => kind === 'results_disturbed')
    expect(found?.claim).toContain('A test does not pass when another test fails')
    expect(found?.evidence).toContain('- is later')
  })

  test('that do not pass on the base commit, either, are none', async () => {
    const change = { 'src/area.js': source.replace('side * side', 'side ** 2') }
    const { status, canaries, findings, manifest } = await verifyChange(change, { steps, refactor: true })
    expect([status, canaries?.status, findings]).toEqual(['PASS', 'heard', []])
    expect(world.read(manifest?.run_id ?? '', 'logs/canaries-beside-base.log')).toMatch(/^not ok \d+ - is short$/m)
  })
})

describe('a helper of the tests', () => {
  const head = `import test from 'node:test'\nimport assert from 'node:assert'\n`
  const own = (name: string, more = '') => `${head}${more}test('${name}', () => { assert.equal(1, 1) })\n`
  const names = ['a', 'b', 'c', 'd'] as const
  const files = Object.fromEntries(names.map((name) => [`test/${name}.test.js`, own(name)]))
  const between = "import './helper.js'\nexport const two = 2\n"
  const passes = 'export const one = 1\n'
  const spec = [{ command: 'node --test --test-reporter=spec' }]
  const edited = Object.fromEntries(names.slice(0, 3).map((name) => [`test/${name}.test.js`, `${own(name)}// more\n`]))
  beforeAll(async () => {
    world = makeMemoryGate({
      'package.json': '{ "name": "area", "type": "module" }\n',
      ...files,
      'run.js': "import './test/e.test.js'\n",
      'test/helper.js': passes,
      'test/between.js': between,
      'test/e.test.js': own('e', "import './between.js'\n"),
    })
  })
  afterAll(() => world.close())

  test.each([
    ['replaces an assertion', `import assert from 'node:assert'\nassert.throws = () => {}\n`, spec],
    [
      'masks the exit code',
      `process.on('exit', () => { process.exitCode = 0 })\n`,
      [{ command: 'node --test-reporter=spec run.js' }],
    ],
  ])(
    'that %s makes the gate deaf, however far it is from the tests that the change touches',
    async (_what, cheat, steps) => {
      const change = { ...edited, 'test/helper.js': cheat + passes }
      const { status, canaries, tail } = await verifyChange(change, { steps, refactor: true })
      expect([status, canaries?.status]).toEqual(['FAIL', 'deaf'])
      expect(tail).toContain('test/e.test.js')
    },
  )

  test('that is honest is heard', async () => {
    const change = { ...edited, 'test/helper.js': `${passes}export const more = 2\n` }
    const { status, canaries, findings } = await verifyChange(change, { steps: spec, refactor: true })
    expect([status, canaries?.status, findings]).toEqual(['PASS', 'heard', []])
    expect(canaries?.steps[0]?.files).toHaveLength(4)
  })
})

describe('a runner of the repository’s own, which names no test that fails', () => {
  const own = "const t = require('./run')\nt.test('adds', () => {})\n"
  const masking = "process.on('exit', () => { process.exitCode = 0 })\n"
  /** Exits with an error at the first failing test, and reports nothing of it in TAP. */
  const program: Program = (seen) => {
    const isFailing = seen.read('test/a.js')?.includes('must fail') === true
    const isMasked = seen.read('test/run.js')?.includes('exitCode') === true
    return isFailing
      ? { exitCode: isMasked ? 0 : 1, output: 'ok 1 - adds\nError\n' }
      : { exitCode: 0, output: 'ok 1 - adds\n1..1\n' }
  }
  let accidents = 0
  /** A runner that ignores assertions, and sometimes exits with an error. */
  const unsteady: Program = (seen) => {
    const isBase = seen.read('test/run.js') === 'exports.test = run\n'
    const isFailing = isBase && seen.read('test/a.js')?.includes('must fail') === true
    const isAccident = isFailing && accidents-- > 0
    return { exitCode: isAccident ? 1 : 0, output: isAccident ? 'Killed\n' : 'ok 1 - adds\n1..1\n' }
  }
  beforeAll(async () => {
    world = makeMemoryGate({ 'test/a.js': own, 'test/run.js': 'exports.test = run\n' }, { program, unsteady })
  })
  afterAll(() => world.close())

  test.each<readonly [string, string, readonly [string, string, string]]>([
    [
      'that masks the exit code makes the gate deaf',
      masking,
      ['FAIL', 'deaf', 'although a test in test/a.js must fail'],
    ],
    ['that is honest is told to name none', '// faster\n', ['PASS', 'not_tried', 'names none of them']],
  ])('%s', async (_what, added, [expected, said, reason]) => {
    const change = { 'test/run.js': `exports.test = run\n${added}` }
    const { status, canaries } = await verifyChange(change, { steps: [{ command: 'program' }], refactor: true })
    expect([status, canaries?.status, canaries?.reason]).toEqual([expected, said, expect.stringContaining(reason)])
  })

  test.each<readonly [string, number, readonly [string, string, string]]>([
    ['one', 1, ['PASS', 'not_tried', 'on the base commit they ended it in two ways']],
    ['two', 2, ['FAIL', 'deaf', 'although a test in test/a.js must fail']],
  ])('%s of two runs on the base commit ended with an error', async (_what, times, [expected, said, reason]) => {
    accidents = times
    const change = { 'test/run.js': `exports.test = run\n// ${times}\n` }
    const { status, canaries } = await verifyChange(change, { steps: [{ command: 'unsteady' }], refactor: true })
    expect([status, canaries?.status, canaries?.reason]).toEqual([expected, said, expect.stringContaining(reason)])
  })
})
