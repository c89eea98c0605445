import { beforeAll, describe, expect, test } from 'vitest'
import type { Program } from '../world/sandbox.ts'
import { type MemoryGate, makeMemoryGate } from './memory-gate.ts'

const source = 'export const add = (a, b) => a + b\n'
const fileOf = (names: readonly string[], skipped: readonly string[] = []) =>
  [
    "import { add } from '../src/add.js'",
    ...names.map((name) => `test('${name}', () => expect(add(1, ${name.length})).toBe(${1 + name.length}))`),
    ...skipped.map((name) => `test.skip('${name}', () => expect(add(1, ${name.length})).toBe(${1 + name.length}))`),
    '',
  ].join('\n')

interface Ran {
  readonly name: string
  readonly mark: 'passed' | 'failed' | 'skipped'
}

/** The tests of a file; a broken source or a wrong expected sum makes a test fail. */
function ranIn(text: string | null, isBroken: boolean): readonly Ran[] {
  return [...(text ?? '').matchAll(/^test(\.skip)?\('(.*?)'(?:.*toBe\((\d+)\))?/gm)].map(([, skip, name = '', sum]) => {
    const isWrong = sum !== undefined && Number(sum) !== 1 + name.length
    return { name, mark: skip ? 'skipped' : isBroken || isWrong ? 'failed' : 'passed' }
  })
}

const count = (ran: readonly Ran[], mark: Ran['mark']) => ran.filter((one) => one.mark === mark).length

function vitest(ran: readonly Ran[]): readonly string[] {
  const marks = { passed: '✓', failed: '×', skipped: '↓' }
  const sums = (['failed', 'passed', 'skipped'] as const).flatMap((mark) =>
    count(ran, mark) > 0 ? [`${count(ran, mark)} ${mark}`] : [],
  )
  return [
    ' RUN  v5.1.1 /repo',
    '',
    ...ran.map(({ name, mark }) => ` ${marks[mark]} test/named.test.js > ${name} 1ms`),
    '',
    ' Test Files  1 passed (1)',
    `      Tests  ${sums.join(' | ')} (${ran.length})`,
  ]
}

const uvu = (ran: readonly Ran[]): readonly string[] => [
  '',
  `  Total:     ${ran.length - count(ran, 'skipped')}`,
  `  Passed:    ${count(ran, 'passed')}`,
  `  Skipped:   ${count(ran, 'skipped')}`,
  '  Duration:  0.36ms',
  '',
]

/** `vitest run --reporter=verbose && uvu`, each with one test file. */
const both: Program = (seen) => {
  const isBroken = /=> a - b/.test(seen.read('src/add.js') ?? '')
  const [named, counted] = ['test/named.test.js', 'test/counted.test.js'].map((path) =>
    ranIn(seen.read(path), isBroken && path !== 'test/named.test.js'),
  ) as [readonly Ran[], readonly Ran[]]
  return { exitCode: isBroken ? 1 : 0, output: `${[...vitest(named), ...uvu(counted)].join('\n')}\n` }
}

let gate: MemoryGate
beforeAll(() => {
  gate = makeMemoryGate(
    {
      'src/add.js': source,
      'test/named.test.js': fileOf(['adds', 'adds more']),
      'test/counted.test.js': fileOf(['one', 'two', 'three']),
    },
    { both },
  )
})

async function verify(change: Readonly<Record<string, string | null>>, refactor = true) {
  const commit = gate.commitChange({ 'src/add.js': `${source}// faster\n`, ...change })
  const asked = { steps: [{ name: 'test', command: 'both' }], purpose: 'change', assurance: 'standard' } as const
  const { status, manifest, tail_log } = await gate.ask({ ...asked, commit, refactor })
  expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
  return manifest
}

const findingsOf = (manifest: Awaited<ReturnType<typeof verify>>) =>
  manifest?.integrity?.findings.map(({ kind, claim }) => `${kind}: ${claim}`)

describe('a step with two runners, of which one names its tests and the other counts them', () => {
  test('has the sum of both, and says which is not named', async () => {
    const manifest = await verify({})
    expect(findingsOf(manifest)).toEqual([])
    expect(manifest?.commands_executed).toMatchObject([
      { name: 'test', tests: { ran: 5, passed: 5 }, unnamed: [{ runner: 'uvu', tests: 3 }] },
    ])
  })

  test('shows a test of the second that is skipped', async () => {
    expect(findingsOf(await verify({ 'test/counted.test.js': fileOf(['one', 'two'], ['three']) }))).toEqual([
      'tests_removed: Fewer tests of uvu ran than on the base commit: 2 instead of 3, in step test.',
      'tests_skipped: test/counted.test.js skips tests in 1 places instead of 0.',
    ])
  })

  test('shows a file of the second that is removed, although as many tests of the first are new', async () => {
    const change = { 'test/counted.test.js': null, 'test/named.test.js': fileOf(['adds', 'adds more', 'a', 'b', 'c']) }
    expect(findingsOf(await verify(change))).toEqual([
      'tests_removed: Fewer tests of uvu ran than on the base commit: 0 instead of 3, in step test.',
      'tests_removed: The test file test/counted.test.js is removed.',
    ])
  })

  test('shows a test of the first that is gone, although one of the second is new', async () => {
    const change = {
      'test/named.test.js': fileOf(['adds']),
      'test/counted.test.js': fileOf(['one', 'two', 'three', 'four']),
    }
    expect(findingsOf(await verify(change))).toContainEqual(
      'tests_removed: Tests that ran on the base commit no longer run: 1 of test/named.test.js, in step test.',
    )
  })

  test('shows that old tests without a name fail on the new sources', async () => {
    const sums = 'export const add = (a, b) => a - b\n'
    const blind: Program = (seen) => {
      const isNew = seen.read('test/counted.test.js')?.includes('four') ?? false
      const ran = both({ ...seen, read: (path) => (isNew && path === 'src/add.js' ? source : seen.read(path)) }, [])
      return ran
    }
    const own = makeMemoryGate(
      {
        'src/add.js': source,
        'test/named.test.js': fileOf(['adds']),
        'test/counted.test.js': fileOf(['one', 'two', 'three']),
      },
      { blind },
    )
    const commit = own.commitChange({
      'src/add.js': sums,
      'test/counted.test.js': fileOf(['one', 'two', 'three', 'four']),
    })
    const { status, manifest } = await own.ask({
      steps: [{ name: 'test', command: 'blind' }],
      purpose: 'change',
      assurance: 'standard',
      commit,
    })
    expect([status, manifest?.hybrid]).toEqual(['PASS', { status: 'behaviour_changed', failing: ['step test'] }])
  })

  test('proves nothing by the absence of a failing name', async () => {
    const needs: Program = (seen) => {
      const isOld = !seen.read('src/add.js')?.includes('twice')
      const isNew = seen.read('test/counted.test.js')?.includes('four') ?? false
      const ran = [...ranIn(seen.read('test/counted.test.js'), isOld && isNew)]
      const output = [...vitest(ranIn(seen.read('test/named.test.js'), false)), ...uvu(ran)].join('\n')
      return { exitCode: isOld && isNew ? 1 : 0, output: `${output}\n` }
    }
    const own = makeMemoryGate(
      { 'src/add.js': source, 'test/named.test.js': fileOf(['adds']), 'test/counted.test.js': fileOf(['one']) },
      { needs },
    )
    const commit = own.commitChange({
      'src/add.js': `${source}export const twice = (a) => a + a\n`,
      'test/counted.test.js': fileOf(['one', 'four']),
    })
    const { manifest } = await own.ask({
      steps: [{ name: 'test', command: 'needs' }],
      purpose: 'change',
      assurance: 'standard',
      commit,
    })
    expect([findingsOf(manifest), manifest?.integrity?.proof]).toEqual([
      [],
      { status: 'not_applicable', reason: 'a step fails without the change, but names no failing test' },
    ])
  })
})

describe('a task runner that repeats an earlier result', () => {
  test('has run no test', async () => {
    const turbo: Program = (seen) => {
      const isOld = seen.read('src/add.js') === source
      const log = vitest(ranIn(seen.read('test/named.test.js'), false)).map((line) => `web:test: ${line}`)
      const head = `web:test: cache ${isOld ? 'miss, executing' : 'hit, replaying logs'} 0123456789abcdef`
      return { exitCode: 0, output: `${[head, ...log].join('\n')}\n` }
    }
    const own = makeMemoryGate({ 'src/add.js': source, 'test/named.test.js': fileOf(['adds', 'adds more']) }, { turbo })
    const commit = own.commitChange({ 'src/add.js': `${source}// faster\n` })
    const { status, manifest } = await own.ask({
      steps: [{ name: 'test', command: 'turbo' }],
      purpose: 'change',
      assurance: 'standard',
      commit,
    })
    expect([status, findingsOf(manifest)]).toEqual([
      'PASS',
      ['tests_unread: The step test no longer says which tests it runs: on the base commit it named 2.'],
    ])
  })
})
