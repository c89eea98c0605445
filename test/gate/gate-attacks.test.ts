import { beforeAll, describe, expect, test } from 'vitest'
import type { VerifierResponse } from '../../src/domain/verification/verdict.ts'
import { memoryNode } from '../world/node.ts'
import type { CommandEnd, Program } from '../world/sandbox.ts'
import { type MemoryGate, makeMemoryGate } from './memory-gate.ts'
import type { VerifierInput } from './verifier-world.ts'

let world: MemoryGate

const testOf = (name: string, line = 'assert.equal(add(1, 2), 3)') => `test('${name}', () => { ${line} })\n`
const head = `import test from 'node:test'\nimport assert from 'node:assert'\nimport { add } from '../src/add.js'\n`
const source = 'export const add = (a, b) => a + b\n'
const usual = {
  'package.json': '{ "type": "module" }\n',
  'src/add.js': source,
  'test/add.test.js': head + testOf('adds') + testOf('adds again'),
}
const command = 'node --test --test-reporter=spec'
const steps = [{ command }]
const old = head + testOf('old', 'assert.equal(1, 2)')

const makeWorld = (more: Readonly<Record<string, string>> = {}, programs: Readonly<Record<string, Program>> = {}) => {
  world = makeMemoryGate({ ...usual, ...more }, programs)
}

/** One world for all tests of a suite. */
const worldOf = (more: Readonly<Record<string, string>> = {}, programs: Readonly<Record<string, Program>> = {}) => {
  beforeAll(() => makeWorld(more, programs))
}

type Change = Readonly<Record<string, string | null>>

const commitOf = (change: Change, on = world.tip) => world.commitOf(change, on)

async function verifyChange(change: Change, more: Partial<VerifierInput> = {}): Promise<VerifierResponse> {
  const commit = await commitOf(change, more.base)
  return world.ask({ steps, purpose: 'change', commit, ...more })
}

const findingsOf = ({ manifest }: VerifierResponse) =>
  manifest?.integrity?.findings.map(({ kind, file }) => `${kind} ${file}`.trim())

describe('a base commit that is red', () => {
  test('leaves the steps after an allowed failure with the change before them', async () => {
    makeWorld({ 'test/old.test.js': old }, { lint: (seen) => (seen.read('src/add.js')?.includes('evil') ? 1 : 0) })
    const lint = { name: 'lint', command: 'lint' }
    const asked = { steps: [...steps, lint], allowFailing: ['old'] }
    const { status, manifest } = await verifyChange({ 'src/add.js': `${source}// evil\n` }, asked)
    expect([status, manifest?.commands_executed.map(({ exit_code }) => exit_code)]).toEqual(['FAIL', [1, 1]])
  })

  test('has all its steps run, so that what it said in the later ones is compared', async () => {
    makeWorld()
    const asked = { steps: [{ name: 'fixed', command: 'test -e fixed.txt' }, ...steps], refactor: true }
    const answer = await verifyChange({ 'fixed.txt': '', 'test/add.test.js': head + testOf('adds') }, asked)
    expect(findingsOf(answer)).toEqual(['tests_removed'])
    expect(answer.manifest?.base).toMatchObject({ status: 'FAIL', tests: { passed: 2, failed: 0, skipped: 0 } })
  })

  test('proves nothing by its own failures, also when it is known from a merge that was allowed', async () => {
    makeWorld({ 'test/old.test.js': old })
    const asked = { allowFailing: ['old'] }
    const merged = await verifyChange({ 'src/other.js': '' }, { ...asked, purpose: 'merge' })
    expect([merged.status, findingsOf(merged)]).toEqual(['PASS', []])
    const base = merged.manifest?.commit_sha ?? ''
    const empty = { 'test/new.test.js': head + testOf('new', 'assert.ok(add)'), 'src/add.js': `${source}//\n` }
    const answer = await verifyChange(empty, { ...asked, base })
    expect([answer.manifest?.base?.status, findingsOf(answer)]).toEqual(['FAIL', ['no_proof']])
  })

  test('with nothing to run proves nothing, and is not held against the change', async () => {
    world = makeMemoryGate({ 'README.md': 'A new project\n' })
    const { manifest } = await verifyChange({ ...usual, 'run.sh': command }, { steps: [{ command: 'sh run.sh' }] })
    expect(manifest?.integrity?.proof).toEqual({
      status: 'not_applicable',
      reason: 'the base commit fails without it, and its runner names no tests',
    })
    expect(manifest?.integrity?.findings.map(({ kind }) => kind)).not.toContain('no_proof')
  })
})

describe('tests of the base commit that were kept', () => {
  test.each([['{ half'], [''], ['null'], ['{"tests":[]}']])('are listed again when they read %j', async (text) => {
    makeWorld()
    await verifyChange({ 'src/a.js': '' }, { assurance: 'fast' })
    for (const key of world.lists.keys()) world.lists.set(key, text)
    const { status, manifest } = await verifyChange({ 'src/b.js': '' }, { assurance: 'fast' })
    expect([status, manifest?.base?.tests]).toEqual(['PASS', { ran: 2, passed: 2, failed: 0, skipped: 0 }])
  })

  test('are listed again after the readers of tests have changed', async () => {
    const ran: string[] = []
    const counted: Program = (seen) => {
      ran.push(seen.read('src/a.js') === null ? 'base' : 'change')
      return memoryNode(seen, ['--test'])
    }
    makeWorld({}, { counted })
    const ask = (content: string, readers?: string) =>
      verifyChange(
        { 'src/a.js': content },
        { steps: [{ command: 'counted' }], assurance: 'fast', refactor: true, ...(readers && { readers }) },
      )
    await ask('1')
    await ask('2')
    expect(ran).toEqual(['change', 'base', 'change'])
    await ask('3', 'others')
    expect(ran.slice(3)).toEqual(['change', 'base'])
  })

  test('are not those of a run that a timeout has cut off', async () => {
    makeWorld(
      {},
      {
        slow: (seen) =>
          seen.read('src/a.js') === null ? { exitCode: null, timedOut: true } : memoryNode(seen, ['--test']),
      },
    )
    const slow = { steps: [{ command: 'slow' }], assurance: 'fast' } as const
    const { status, manifest } = await verifyChange({ 'src/a.js': '' }, slow)
    expect([status, manifest?.base?.commands_executed[0]?.timed_out]).toEqual(['PASS', true])
    expect([...world.lists]).toEqual([])
  })

  test('are found out once for two that ask at the same time, and by the second when the first is given up', async () => {
    const [isAsked, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const onBase: Program = async (seen) => {
      if (seen.read('src/a.js') === null && seen.read('src/b.js') === null) {
        isAsked.resolve()
        await goesOn.promise
      }
      return memoryNode(seen, ['--test'])
    }
    makeWorld({}, { slow: onBase })
    const [one, two] = [commitOf({ 'src/a.js': '' }), commitOf({ 'src/b.js': '' })]
    const asked = { steps: [{ command: 'slow' }], purpose: 'change' } as const
    const giveUp = new AbortController()
    const [runId, other] = [world.newRunId(), world.newRunId()]
    const first = world.ask({ ...asked, runId, commit: one, signal: giveUp.signal })
    await isAsked.promise
    const second = world.ask({ ...asked, runId: other, commit: two, checkout: 'coder-002' })
    giveUp.abort()
    goesOn.resolve()
    await expect(first).rejects.toThrow()
    expect((await second).manifest?.base?.tests).toEqual({ ran: 2, passed: 2, failed: 0, skipped: 0 })
    const again = await world.ask({ ...asked, runId, commit: one })
    expect([again.status, again.artifact_paths?.includes('logs/base.log')]).toEqual(['PASS', false])
    expect(world.left().filter((name) => name.includes('~'))).toEqual([])
  })
})

describe('a failing step', () => {
  const tap = (exitCode: number | null, ...points: readonly string[]) => ({
    exitCode,
    output: ['TAP version 13', ...points, `1..${points.length}`, ''].join('\n'),
    timedOut: exitCode === null,
  })
  /** Ends differently the second time that it runs in a verification. */
  const twice =
    (first: CommandEnd, second: CommandEnd): Program =>
    (seen) => {
      const isAgain = seen.read('$ARTIFACT_DIR/tmp/seen') !== null
      seen.write('$ARTIFACT_DIR/tmp/seen', '')
      return isAgain ? second : first
    }
  const other = Array.from({ length: 20_000 }, (_, i) => `ok ${i + 2} - t${i}`)
  worldOf(
    { 'count.txt': 'ok' },
    {
      'hangs again': twice(tap(1, 'not ok 1 - a', 'ok 2 - b'), tap(null, 'ok 1 - a', 'not ok 2 - b')),
      coverage: twice(tap(1, 'not ok 1 - a'), tap(1, 'ok 1 - a')),
      many: (seen) => tap(1, 'not ok 1 - old', ...other, `${seen.read('count.txt')} 20002 - last`),
    },
  )

  test('that runs out of time when it is run again is a failure that counts', async () => {
    const { status, only_flaky, manifest } = await world.ask('hangs again')
    expect([status, only_flaky, manifest?.commands_executed[0]?.timed_out]).toEqual(['FAIL', undefined, true])
  })

  test('is not flaky alone when something else than a test fails the second time', async () => {
    const { status, only_flaky, manifest } = await world.ask('coverage')
    expect([status, only_flaky, manifest?.flaky]).toEqual(['FAIL', undefined, ['a']])
  })

  test('says so where the steps see pointers of Git LFS instead of files', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'
    const { status, tail_log } = await world.ask({
      steps: [{ command: 'false' }],
      commit: await commitOf({ '.gitattributes': '*.bin filter=lfs\n', 'a.bin': pointer }),
    })
    expect([status, tail_log]).toEqual([
      'FAIL',
      expect.stringContaining('The steps see the pointers of Git LFS (1 in this commit), not the files.'),
    ])
  })

  test('is not excused by the failures that are allowed while it had more tests than are read', async () => {
    const asked = { steps: [{ command: 'many' }], allowFailing: ['old'] }
    const { status, manifest } = await verifyChange({ 'count.txt': 'not ok' }, asked)
    expect([status, manifest?.failing]).toEqual(['FAIL', ['old']])
  })
})

describe('a JUnit file', () => {
  const junit = 'logs/junit.xml'
  const writes =
    (text: string, output = '', exitCode = 0): Program =>
    (seen) => {
      seen.write(`$ARTIFACT_DIR/${junit}`, text)
      return { exitCode, output }
    }
  const xml = '<testsuite name="s"><testcase name="forged"/></testsuite>'
  const red = 'TAP version 13\nnot ok 1 - a\n1..1\n'
  worldOf({}, { writes: writes(xml), unreadable: writes('\u0000no XML', red, 1) })

  test('of an earlier step is not that of the next', async () => {
    const first = { name: 'first', command: 'writes' }
    const { manifest } = await world.ask({ steps: [first, { name: 'second', command: 'true', junit }] })
    expect(manifest?.tests).toBeUndefined()
    const own = await world.ask({ steps: [{ name: 'first', command: 'writes', junit }] })
    expect(own.manifest?.tests).toEqual({ ran: 1, passed: 1, failed: 0, skipped: 0 })
  })

  test('that cannot be read says nothing and hinders nothing', async () => {
    const { status, manifest } = await world.ask({ steps: [{ command: 'unreadable', junit }] })
    expect([status, manifest?.failing, manifest?.reruns?.length]).toEqual(['FAIL', ['a'], 1])
  })
})

describe('a change that hides what it does to tests', () => {
  const quiet = (skip: string) =>
    `import test from 'node:test'\nimport assert from 'node:assert'\ntest('end to end', { ${skip} }, () => assert.ok(Date.now()))\n`
  const line = (n: number) => testOf(`test ${n}`, `assert.equal(add(${n}, 0), ${n})`)
  const rewritten = (lines: string) =>
    `// ${'another file '.repeat(60)}\n${head.replace('import test', 'import it')}${lines}`
  const own = `import assert from 'node:assert'\nassert.equal(Math.max(1, 2), 2)\n`
  worldOf({
    'e2e/all.e2e.js': quiet(''),
    'runner.mjs': '',
    'test/run.mjs': '',
    'own.test.mjs': own,
    'large/a.test.txt': 'assert.equal(a, 1)\n'.repeat(20_000),
    'test/more.test.js': head + [1, 2, 3].map(line).join(''),
    'lib/test.sh': command,
    'lib/check.sh': 'true',
    'lib/package.json': '{ "scripts": { "c": "sh check.sh" } }',
  })

  test('reveals no tests that were rewritten in another file with as many assertions', async () => {
    const moved = rewritten(
      `it('adds', () => assert.equal(add(1, 2), 3))\nit('adds again', () => assert.equal(add(1, 2), 3))\n`,
    )
    const answer = await verifyChange(
      { 'test/add.test.js': null, 'test/sum.test.js': moved, 'src/b.js': '' },
      { refactor: true },
    )
    expect(findingsOf(answer)).toEqual([])
  })

  test('shows a test that is skipped in a step which names none', async () => {
    const e2e = { name: 'e2e', command: 'node e2e/all.e2e.js > $ARTIFACT_DIR/tmp/out' }
    const answer = await verifyChange(
      { 'e2e/all.e2e.js': quiet('skip: true') },
      { steps: [...steps, e2e], refactor: true },
    )
    expect(findingsOf(answer)).toEqual(['tests_skipped e2e/all.e2e.js'])
  })

  test('shows a program that a step runs, and one among the tests that asserts nothing itself', async () => {
    const asked = { steps: [{ command: 'node runner.mjs && node test/run.mjs && node own.test.mjs' }], refactor: true }
    const change = { 'runner.mjs': '//\n', 'test/run.mjs': '//\n', 'own.test.mjs': `${own}//\n` }
    const found = findingsOf(await verifyChange(change, asked))
    expect(found).toEqual(['configuration runner.mjs', 'configuration test/run.mjs'])
  })

  test('shows a change of a test file that is too large to count what it asserts', async () => {
    const answer = await verifyChange({ 'large/a.test.txt': 'nothing\n' }, { refactor: true })
    expect(findingsOf(answer)).toEqual(['fewer_assertions large/a.test.txt'])
  })

  test('has another id for other assertions that are gone, as many as before', async () => {
    const idWithout = async (gone: number) => {
      const lines = [1, 2, 3].map((n) => (n === gone ? testOf(`test ${n}`, '') : line(n)))
      const { manifest } = await verifyChange({ 'test/more.test.js': head + lines.join('') }, { refactor: true })
      return manifest?.integrity?.findings.map(({ id }) => id)
    }
    const [first, second] = [await idWithout(1), await idWithout(2)]
    expect([first?.length, second?.length, first?.[0] === second?.[0]]).toEqual([1, 1, false])
    expect(await idWithout(1)).toEqual(first)
  })

  test('shows a script that a step of a package in a folder runs', async () => {
    const asked = { steps: [{ command: 'sh ./test.sh' }], package: 'lib', refactor: true }
    const answer = await verifyChange({ 'lib/test.sh': `${command} .`, 'lib/check.sh': 'true # ' }, asked)
    expect(findingsOf(answer)).toEqual(['configuration lib/check.sh', 'configuration lib/test.sh'])
  })
})

describe('proof of test', () => {
  /** The version that the change locks can only be installed with the change's own source. */
  const install: Program = (seen) => {
    const lock = seen.read('test/lock') ?? ''
    seen.write('deps/lock', lock)
    return lock === 'one\n' || seen.read('src/b.js') !== null ? 0 : 1
  }
  worldOf({ 'test/lock': 'one\n' }, { install })

  test('is run with the dependencies of the base commit', async () => {
    const prepare = [{ command: 'install', inputs: ['test/lock', 'src/b.js'] }]
    const proofOf = async (line: string) => {
      const change = { 'test/new.test.js': head + testOf('new', line), 'test/lock': 'two\n', 'src/b.js': '' }
      const { status, manifest } = await verifyChange(change, { prepare })
      return [status, manifest?.integrity?.proof]
    }
    expect(await proofOf('assert.ok(add)')).toEqual(['PASS', { status: 'not_proven', passing: ['new'] }])
    expect(await proofOf(`return import('../src/b.js')`)).toEqual(['PASS', { status: 'proven', failing: ['new'] }])
  })

  test('leaves one commit behind for a checkout, however often', async () => {
    const { manifest } = await verifyChange({
      'test/new.test.js': head + testOf('new', 'assert.ok(add)'),
      'src/b.js': '',
    })
    expect(manifest?.integrity?.proof).toEqual({ status: 'not_proven', passing: ['new'] })
    await verifyChange({ 'test/new.test.js': head + testOf('newer', 'assert.ok(add)'), 'src/b.js': '' })
    const hidden = await world.history.hidden('refs/drydock/proofs/')
    expect(hidden.map(({ ref }) => ref)).toEqual(['refs/drydock/proofs/coder-001'])
  })
})
