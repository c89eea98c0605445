import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { VerifierResponse } from '../../src/domain/verification/verdict.ts'
import { writeFiles } from '../adapters/git/git-world.ts'
import { type Asked, makeVerifierWorld, until, type VerifierWorld } from './verifier-world.ts'

let world: VerifierWorld

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

/** A world of the test's own. */
const makeWorld = async (more: Readonly<Record<string, string>> = {}) => {
  world = await makeVerifierWorld({ ...usual, ...more })
  onTestFinished(() => world.close())
}

/** One for all tests of a suite. */
const worldOf = (more: Readonly<Record<string, string>> = {}) => {
  beforeAll(async () => {
    world = await makeVerifierWorld({ ...usual, ...more })
  })
  afterAll(() => world.close())
}

type Change = Readonly<Record<string, string | null>>

/** The commit of a change of the base; a file that is null is deleted. */
async function commitOf(change: Change, on = world.tip): Promise<string> {
  world.git('reset', '--quiet', '--hard', on)
  for (const [path, content] of Object.entries(change)) {
    if (content === null) rmSync(join(world.repository, path))
    else writeFiles(world.repository, { [path]: content })
  }
  const commit = world.commitAll()
  await world.userRepository.updateMirror(world.signal)
  return commit
}

async function verifyChange(change: Change, more: Partial<Asked> = {}): Promise<VerifierResponse> {
  const commit = await commitOf(change, more.base)
  return world.ask({ steps, purpose: 'change', commit, ...more })
}

const findingsOf = ({ manifest }: VerifierResponse) =>
  manifest?.integrity?.findings.map(({ kind, file }) => `${kind} ${file}`.trim())

const kept = () => join(world.artifacts, 'cache/tests')

describe('a base commit that is red', () => {
  test('leaves the steps after an allowed failure with the change before them', async () => {
    await makeWorld({ 'test/old.test.js': old })
    const lint = { name: 'lint', command: '! grep -q evil src/add.js' }
    const asked = { steps: [...steps, lint], allowFailing: ['old'] }
    const { status, manifest } = await verifyChange({ 'src/add.js': `${source}// evil\n` }, asked)
    expect([status, manifest?.commands_executed.map(({ exit_code }) => exit_code)]).toEqual(['FAIL', [1, 1]])
  })

  test('has all its steps run, so that what it said in the later ones is compared', async () => {
    await makeWorld()
    const asked = { steps: [{ name: 'fixed', command: 'test -e fixed.txt' }, ...steps], refactor: true }
    const answer = await verifyChange({ 'fixed.txt': '', 'test/add.test.js': head + testOf('adds') }, asked)
    expect(findingsOf(answer)).toEqual(['tests_removed', 'fewer_assertions test/add.test.js'])
    expect(answer.manifest?.base).toMatchObject({ status: 'FAIL', tests: { passed: 2, failed: 0, skipped: 0 } })
  })

  test('proves nothing by its own failures, also when it is known from a merge that was allowed', async () => {
    await makeWorld({ 'test/old.test.js': old })
    const asked = { allowFailing: ['old'] }
    const merged = await verifyChange({ 'src/other.js': '' }, { ...asked, purpose: 'merge' })
    expect([merged.status, findingsOf(merged)]).toEqual(['PASS', []])
    const base = merged.manifest?.commit_sha ?? ''
    const empty = { 'test/new.test.js': head + testOf('new', 'assert.ok(add)'), 'src/add.js': `${source}//\n` }
    const answer = await verifyChange(empty, { ...asked, base })
    expect([answer.manifest?.base?.status, findingsOf(answer)]).toEqual(['FAIL', ['no_proof']])
  })

  test('with nothing to run proves nothing, and is not held against the change', async () => {
    world = await makeVerifierWorld({ 'README.md': 'A new project\n' })
    onTestFinished(() => world.close())
    const { manifest } = await verifyChange({ ...usual, 'run.sh': command }, { steps: [{ command: 'sh run.sh' }] })
    expect(manifest?.integrity?.proof).toEqual({
      status: 'not_applicable',
      reason: 'the base commit fails without it, and its runner names no tests',
    })
    expect(manifest?.integrity?.findings.map(({ kind }) => kind)).not.toContain('no_proof')
  })
})

describe('tests of the base commit that were kept', () => {
  test.each([['{ half'], [''], ['null'], ['{"tests":[]}']])('are found out anew when they read %j', async (text) => {
    await makeWorld()
    await verifyChange({ 'src/a.js': '' }, { assurance: 'fast' })
    const [name = ''] = readdirSync(kept())
    writeFileSync(join(kept(), name), text)
    const { status, manifest } = await verifyChange({ 'src/b.js': '' }, { assurance: 'fast' })
    expect([status, manifest?.base?.tests]).toEqual(['PASS', { ran: 2, passed: 2, failed: 0, skipped: 0 }])
  })

  test('are not those of a run that a timeout has cut off', async () => {
    await makeWorld()
    const slow = {
      steps: [{ command: `test -e src/a.js || sleep 99; ${command}`, timeoutSec: 10 }],
      assurance: 'fast',
    } as const
    const { status, manifest } = await verifyChange({ 'src/a.js': '' }, slow)
    expect([status, manifest?.base?.commands_executed[0]?.timed_out]).toEqual(['PASS', true])
    expect(existsSync(kept()) ? readdirSync(kept()) : []).toEqual([])
  })

  test('are found out once for two that ask at the same time, and by the second when the first is given up', async () => {
    await makeWorld()
    const [one, two] = [await commitOf({ 'src/a.js': '' }), await commitOf({ 'src/b.js': '' })]
    const slow = [{ command: `test -e src/a.js -o -e src/b.js || sleep 1; ${command}` }]
    const asked = { steps: slow, purpose: 'change' } as const
    const giveUp = new AbortController()
    const [runId, other] = [world.newRunId(), world.newRunId()]
    const first = world.ask({ ...asked, runId, commit: one, signal: giveUp.signal })
    await until(() => existsSync(`${world.folder(runId)}~base`))
    const second = world.ask({ ...asked, runId: other, commit: two, checkout: 'coder-002' })
    await until(() => existsSync(world.folder(other)))
    giveUp.abort()
    await expect(first).rejects.toThrow()
    expect((await second).manifest?.base?.tests).toEqual({ ran: 2, passed: 2, failed: 0, skipped: 0 })
    const again = await world.ask({ ...asked, runId, commit: one })
    expect([again.status, again.artifact_paths?.includes('logs/base.log')]).toEqual(['PASS', false])
    expect(world.left().filter((name) => name.includes('~'))).toEqual([])
  })
})

describe('a failing step', () => {
  worldOf({ 'count.txt': '1' })

  test('that runs out of time when it is run again is a failure that counts', async () => {
    const command = `[ -e "$ARTIFACT_DIR/tmp/seen" ] || { touch "$ARTIFACT_DIR/tmp/seen"; printf 'TAP version 13\\nnot ok 1 - a\\nok 2 - b\\n1..2\\n'; exit 1; }; printf 'TAP version 13\\nok 1 - a\\nnot ok 2 - b\\n1..2\\n'; sleep 99`
    const { status, only_flaky, manifest } = await world.ask({ steps: [{ command, timeoutSec: 5 }] })
    expect([status, only_flaky, manifest?.commands_executed[0]?.timed_out]).toEqual(['FAIL', undefined, true])
  })

  test('is not flaky alone when something else than a test fails the second time', async () => {
    const command = `r=ok; [ -e "$ARTIFACT_DIR/tmp/seen" ] || r='not ok'; touch "$ARTIFACT_DIR/tmp/seen"; printf "TAP version 13\\n$r 1 - a\\n1..1\\n"; echo coverage too low; exit 1`
    const { status, only_flaky, manifest } = await world.ask({ steps: [{ command }] })
    expect([status, only_flaky, manifest?.flaky]).toEqual(['FAIL', undefined, ['a']])
  })

  test('is not excused by the failures that are allowed while it had more tests than are read', async () => {
    const command = `printf 'TAP version 13\\nnot ok 1 - old\\n'; seq 2 20001 | sed 's/.*/ok & - t&/'; echo "$(cat count.txt) 20002 - last"; echo 1..20002; exit 1`
    const asked = { steps: [{ command }], allowFailing: ['old'] }
    const { status, manifest } = await verifyChange({ 'count.txt': 'not ok' }, asked)
    expect([status, manifest?.failing]).toEqual(['FAIL', ['old']])
  })
})

describe('a JUnit file', () => {
  worldOf()
  const xml = '<testsuite name="s"><testcase name="forged"/></testsuite>'
  const junit = 'logs/junit.xml'
  const place = `"$ARTIFACT_DIR/${junit}"`

  test('of an earlier step is not that of the next', async () => {
    const first = { name: 'first', command: `printf '${xml}' > ${place}` }
    const { manifest } = await world.ask({ steps: [first, { name: 'second', command: 'true', junit }] })
    expect(manifest?.tests).toBeUndefined()
  })

  test.each([
    ['a link out of the folder', `ln -s /etc/passwd ${place}`],
    ['a link to what only Drydock has', `ln -s "../../.$(basename "$ARTIFACT_DIR")/logs/combined.log" ${place}`],
    ['a pipe', `mkfifo ${place}`],
    ['a folder', `mkdir ${place}`],
    ['larger than is read', `truncate -s 3G ${place}`],
    ['no XML', `head -c 100000 /dev/urandom > ${place}`],
    ['full of entities', `printf '<!DOCTYPE a [<!ENTITY b "c">]>${xml}' > ${place}`],
  ])('that is %s says nothing and hinders nothing', async (_what, make) => {
    const command = `${make}; printf 'TAP version 13\\nnot ok 1 - a\\n1..1\\n'; exit 1`
    const { status, manifest } = await world.ask({ steps: [{ command, junit }] })
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
    ...{ 'e2e/all.e2e.js': quiet(''), 'runner.mjs': '', 'test/run.mjs': '', 'own.test.mjs': own },
    'large/a.test.txt': 'assert.equal(a, 1)\n'.repeat(20_000),
    'test/more.test.js': head + [1, 2, 3].map(line).join(''),
    ...{ 'lib/test.sh': command, 'lib/check.sh': 'true', 'lib/package.json': '{ "scripts": { "c": "sh check.sh" } }' },
  })

  test('shows nothing of tests that were written anew in another file with as many assertions', async () => {
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
    const e2e = { name: 'e2e', command: 'node e2e/all.e2e.js > "$ARTIFACT_DIR/tmp/out"' }
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
  worldOf({ 'test/lock': 'one\n' })

  test('is run with the dependencies of the base commit', async () => {
    const prepare = [
      {
        command:
          'mkdir deps; cp test/lock deps/; grep -q -e one -e two test/lock && test -e src/b.js -o "$(cat test/lock)" = one',
        inputs: ['test/lock', 'src/b.js'],
      },
    ]
    const proofOf = async (line: string) => {
      const change = { 'test/new.test.js': head + testOf('new', line), 'test/lock': 'two\n', 'src/b.js': '' }
      const { status, manifest } = await verifyChange(change, { prepare })
      return [status, manifest?.integrity?.proof]
    }
    expect(await proofOf('assert.ok(add)')).toEqual(['PASS', { status: 'not_proven', passing: ['new'] }])
    expect(await proofOf(`return import('../src/b.js')`)).toEqual(['PASS', { status: 'proven', failing: ['new'] }])
  })

  test('takes a submodule among the tests as it is', async () => {
    const other = join(world.top, 'other')
    world.gitIn(dirname(other), 'init', '--quiet', 'other')
    writeFiles(other, { 'data.txt': 'x\n' })
    world.gitIn(other, 'add', '--all')
    world.gitIn(other, 'commit', '--quiet', '--message', 'data')
    world.git('reset', '--quiet', '--hard', world.tip)
    world.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'test/data')
    writeFiles(world.repository, { 'test/new.test.js': head + testOf('new', 'assert.ok(add)'), 'src/d.js': '' })
    const commit = world.commitAll()
    await world.userRepository.updateMirror(world.signal)
    const { status, manifest, error_message } = await world.ask({ steps, purpose: 'change', commit })
    expect([status, error_message, manifest?.integrity?.proof]).toMatchObject([
      'PASS',
      undefined,
      { status: 'not_proven' },
    ])
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

test('a verification that was killed beside its base’s run leaves nothing once it is done again', async () => {
  await makeWorld()
  const runId = world.newRunId()
  for (const name of [`${runId}~base`, `.${runId}~base`, `${runId}~proof`])
    writeFiles(join(world.artifacts, 'runs', name), { 'logs/left': 'x' })
  await world.ask({ steps, runId })
  expect(world.left()).toEqual([runId])
})
