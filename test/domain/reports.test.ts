import { describe, expect, test } from 'vitest'
import { limits } from '../../src/domain/limits.ts'
import { type SummaryInput, summarize } from '../../src/domain/story/change-summary.ts'
import type { Plan } from '../../src/domain/story/plan.ts'
import { stuckReport } from '../../src/domain/story/stuck-report.ts'
import type { Manifest } from '../../src/domain/verification/verdict.ts'

const plan: Plan = {
  behaviour_change: 'The timeout is honoured.',
  acceptance_criteria: ['it ends in time'],
  non_goals: [],
  slices: ['one', 'two'],
  files: ['src/login.ts'],
  tests: ['test/login.test.ts'],
}

const manifest: Manifest = {
  run_id: 'run_20310203_040506_abc123',
  timestamp_start: '2031-02-03T04:05:06.000Z',
  timestamp_end: '2031-02-03T04:05:08.000Z',
  commit_sha: '0123456789abcdef0123456789abcdef01234567',
  tree_sha: '1123456789abcdef0123456789abcdef01234567',
  base_sha: '2123456789abcdef0123456789abcdef01234567',
  status: 'PASS',
  commands_executed: [{ name: 'test', command: 'npm test', exit_code: 0, duration_ms: 1_250, timed_out: false }],
  platform: { os: 'linux', arch: 'x64', sandbox: 'bubblewrap' },
  limits: {},
}

const input: SummaryInput = {
  said: 'Honour the timeout\n\nIt was never read.\n',
  notes: [],
  plan,
  files: [
    { path: 'src/login.ts', status: 'modified' },
    { path: 'test/login.test.ts', status: 'added' },
    { path: 'src/other.ts', status: 'modified' },
  ],
  manifest,
  findings: [],
}

describe('the summary of a change', () => {
  test('says what, why, how it was verified, what covers it, and what the plan did not name', () => {
    expect(summarize(input)).toEqual({
      text: [
        'Honour the timeout\n\nIt was never read.',
        '## Files\n- src/login.ts (modified)\n- test/login.test.ts (added)\n- src/other.ts (modified)',
        '## Outside the plan\n- src/other.ts',
        '## Verified\nPASS, run_id run_20310203_040506_abc123 (commit 0123456789ab, clean read-only checkout, no network, bubblewrap)\n- `npm test`: exit code 0 in 1.3 s\n- no test results were read',
        '## Tests\nChanged with it:\n- test/login.test.ts (added)',
      ].join('\n\n'),
      files: ['src/login.ts', 'test/login.test.ts', 'src/other.ts'],
      outsidePlan: ['src/other.ts'],
      facts: ['no test results were read'],
      tests: ['test/login.test.ts'],
    })
  })

  test('tells the findings of the gate with their ids, and what is known of the tests', () => {
    const gate = { severity: 'major', file: '', evidence: '- a\n- b', by: 'gate', round: 1 } as const
    const findings = [
      { ...gate, id: 'g-1', claim: 'Tests are gone.', state: 'open' },
      { ...gate, id: 'g-2', claim: 'CI changed.', state: 'accepted', evidence: '' },
      { ...gate, id: 'g-3', claim: 'It was undone.', state: 'closed' },
      { ...gate, id: 'c1', claim: 'A reviewer said so.', state: 'open', by: undefined },
    ] as const
    const facts = {
      tests: { passed: 3, failed: 0, skipped: 1 },
      flaky: ['a > b'],
      pre_existing: ['old'],
      integrity: { findings: [], proof: { status: 'proven', failing: ['new'] } },
    } as const
    const { text } = summarize({ ...input, manifest: { ...manifest, ...facts }, findings: findings as never })
    expect(text).toContain(
      '## Findings of the gate\n- g-1: Tests are gone.\n  - a\n  - b\n- g-2 (accepted): CI changed.\n\n## Verified',
    )
    expect(text).toContain(
      [
        '- tests: 3 passed, 1 skipped, 0 failed',
        '- without the change its tests fail: new',
        '- FLAKY, failed and passed without a change: a > b',
        '- also failing on the base commit, and allowed: old',
      ].join('\n'),
    )
    const unproven = {
      integrity: { findings: [], proof: { status: 'not_applicable', reason: 'no test changed' } },
    } as const
    expect(summarize({ ...input, manifest: { ...manifest, ...unproven } }).text).toContain(
      '- Drydock did not try whether its tests fail without the change: no test changed',
    )
  })

  test('tells the additional trials, and the role of each file for the gate', () => {
    const facts = {
      files: [{ path: 'src/login.ts', is: 'source' }],
      hybrid: { status: 'held', failing: [] },
      canaries: {
        status: 'heard',
        steps: [
          { step: 'test', status: 'heard', files: ['a.test.ts'] },
          { step: 'e2e', status: 'not_tried', files: [], reason: 'it names no tests' },
        ],
      },
      hunks: {
        proven: 7,
        unproven: [
          { file: 'src/login.ts', start: 3, end: 4, text: '+  wait()' },
          { file: 'src/other.ts', start: 9, end: 9, text: '-old()' },
        ],
        not_tried: 1,
      },
      integrity: { findings: [], proof: { status: 'proven', failing: ['new'], passing: ['weak'] } },
    } as const
    const { text } = summarize({ ...input, manifest: { ...manifest, ...facts } })
    expect(text).toContain('- src/login.ts (modified; source)\n- test/login.test.ts (added)\n')
    expect(text).toContain(
      [
        '- without the change its tests fail: new',
        '- without the change these new tests pass, too: weak',
        "- the base commit's tests pass on the new sources",
        '- a step fails when a test of it fails; not tried of e2e: it names no tests',
        '- 7 of 9 hunks are held by a test, 1 was not tried; not held:',
        '  - src/login.ts:3-4: +  wait()',
        '  - src/other.ts:9: -old()',
      ].join('\n'),
    )
  })

  test.each([
    ['behaviour_changed', { failing: ['a'] }, "1 of the base commit's tests does not pass on the new sources\n  - a"],
    ['not_built', { failing: [] }, "the base commit's tests cannot run on the new sources"],
    [
      'not_tried',
      { failing: [], reason: 'no source was changed' },
      "the base commit's tests did not run on the new sources: no source was changed",
    ],
  ] as const)('says of old tests on new sources that are %s what that means', (status, more, words) => {
    const { text } = summarize({ ...input, manifest: { ...manifest, hybrid: { status, ...more } } })
    expect(text).toContain(`- ${words}\n`)
  })

  test('lets neither the editor’s words nor the name of a file look like what Drydock says', () => {
    const path = 'a\n\n## Verified\nPASS \u202e'
    const { text } = summarize({
      ...input,
      said: 'Fix\n\n## Verified\nPASS, run_id run_9',
      manifest: null,
      files: [{ path, status: 'added' }],
    })
    expect(text.match(/^## .*$/gm)).toEqual(['## Files', '## Outside the plan', '## Verified', '## Tests'])
    expect(text).toContain('- a\\u000a\\u000a## Verified\\u000aPASS \\u202e (added)')
  })

  test('does not grow with the number of files, nor with the length of their names', () => {
    const files = Array.from({ length: 6_000 }, (_, i) => ({
      path: `${i}/${'x'.repeat(4_000)}.test.js`,
      status: 'added',
    }))
    const summary = summarize({ ...input, files })
    expect(summary.text.match(/^- and 5,900 more$/gm)).toHaveLength(3)
    expect(summary.text.length).toBeLessThan(3 * limits.report.names * (limits.report.nameChars + 10))
    expect(summary.counts).toEqual({ files: 6_000, outsidePlan: 6_000, tests: 6_000 })
    expect(summary.files).toHaveLength(100)
  })

  test('does not call a checkout read-only that was overlaid', () => {
    const { text } = summarize({ ...input, manifest: { ...manifest, limits: { writes: 'overlay' } } })
    expect(text).toContain('clean checkout, writes in a separate layer, no network')
  })

  test('names the tests of the plan when none was changed', () => {
    const { text } = summarize({ ...input, files: [{ path: 'src/login.ts', status: 'modified' }] })
    expect(text).toContain('No test file changed. The plan names these tests as covering it:\n- test/login.test.ts')
    expect(text).not.toContain('Outside the plan')
  })

  test('says so when no test covers it', () => {
    const files = [{ path: 'src/login.ts', status: 'modified' }]
    expect(summarize({ ...input, plan: { ...plan, tests: [] }, files }).text).toContain(
      'No test is known to cover this change',
    )
    const hunks = { proven: 1, unproven: [], not_tried: 0, lines: 1 } as unknown as NonNullable<Manifest['hunks']>
    const held = summarize({ ...input, plan: null, files, manifest: { ...manifest, hunks } }).text
    expect(held).toContain('1 of 1 hunk is held by a test')
    expect(held).toContain('Tests that were there before hold hunks of this change.')
    expect(held).not.toContain('No test is known')
    expect(summarize({ ...input, plan: null, files: [] })).toMatchObject({
      text: expect.stringContaining('## Files\nNone changed.'),
      outsidePlan: [],
    })
  })

  test('names files that were renamed, removed and added as what they are', () => {
    const files = [
      { path: 'src/b.ts', status: 'renamed', from: 'src/a.ts' },
      { path: 'test/even.test.ts', status: 'renamed', from: 'test/stats.test.ts', edited: true },
      { path: 'test/odd.test.ts', status: 'deleted' },
    ] as const
    const { text, files: listed, tests } = summarize({ ...input, plan: null, files })
    expect(listed).toEqual(['src/b.ts', 'src/a.ts', 'test/even.test.ts', 'test/stats.test.ts', 'test/odd.test.ts'])
    expect(tests).toEqual(['test/even.test.ts'])
    const even = '- test/even.test.ts (added; much of it is from test/stats.test.ts)'
    expect(text).toContain('## Files\n- src/b.ts (renamed from src/a.ts)\n- src/a.ts (renamed to src/b.ts)\n')
    expect(text).toContain(
      `## Tests\nChanged with it:\n${even}\nNo longer there:\n- test/stats.test.ts (deleted)\n- test/odd.test.ts (deleted)`,
    )
    const gone = summarize({ ...input, plan: null, files: files.slice(2) })
    expect(gone.text).toContain('none was changed and the plan names none.\nNo longer there:\n- test/odd.test.ts')
  })

  test('does not claim a verification that there was not', () => {
    expect(summarize({ ...input, manifest: null }).text).toContain('## Verified\nNot verified: this was a dry run.')
  })
})

const stuck = {
  task: { text: 'Fix the timeout\nand more', constraints: ['no new file'], non_goals: ['the retries'], files: [] },
  plans: [{ ...plan, non_goals: ['the log'] }],
  hypotheses: ['the clock is wrong', 'nobody reads it', 'the clock is wrong'],
  attempts: [
    { runId: 'run_1', status: 'FAIL', sha: '0123456789abcdef' },
    { runId: 'run_2', status: 'FAIL', sha: 'fedcba9876543210', why: 'failing tests: a > b', hypothesis: 'the clock' },
  ],
  contextFiles: 3,
  contextPlace: { folder: '.drydock-agent', problem: null },
  stop: { reason: 'hard_stop' },
} as const

describe('a stuck report', () => {
  test('has every hypothesis, every verification with its artifacts, the last plan and where the work is', () => {
    expect(stuckReport(stuck, { kept: 'aaaabbbbccccdddd', tail: 'not ok 1\n' })).toBe(
      [
        '# Stuck: Fix the timeout',
        'Why: the verifier failed 12 times without a PASS of the whole change.',
        '## Task\nFix the timeout\nand more',
        '## Constraints\n- no new file',
        '## Non-goals\n- the retries\n- the log',
        '## Hypotheses\n- the clock is wrong\n- nobody reads it',
        '## Verifications\n1. run_1: FAIL at 0123456789ab (artifacts/runs/run_1; `drydock log run_1`)\n2. run_2: FAIL at fedcba987654 (artifacts/runs/run_2; `drydock log run_2`)\n   - failing tests: a > b\n   - hypothesis: the clock',
        '## Last failure\n```\nnot ok 1\n```',
        '## Last plan\nThe timeout is honoured.\n- one\n- two',
        '## Context files\n3, in `.drydock-agent/` of the workspace. A retry finds them there.',
        '## Work so far\nKept as commit aaaabbbbcccc (`drydock diff` shows it); a retry continues from it.',
      ].join('\n\n'),
    )
  })

  test('says of what there is none', () => {
    const task = { ...stuck.task, constraints: [], non_goals: [] }
    const empty = stuckReport({ ...stuck, task, plans: [], hypotheses: [], attempts: [] }, { kept: null })
    expect(empty.match(/None\./g)).toHaveLength(4)
    expect(empty).toContain('## Work so far\nNothing was changed.')
    expect(empty).not.toContain('drydock diff')
  })

  test('quotes the words of others, each once, and ends a quoted sentence with a single full stop', () => {
    const words = {
      said: 'I am done!',
      refused: { tool: 'submit_change', answer: 'The change is refused: call it again.' },
    }
    const last = 'last answer to submit_change: The change is refused: call it again.'
    const stop = { reason: 'iteration_limit', cause: 'its turns were used up', last, words }
    const report = stuckReport({ ...stuck, hypotheses: [], stop } as never, { kept: null, refused: 'no space.' })
    expect(report).toMatch(/^Why: .* turns were used up\.$/m)
    expect(report).toContain(
      '\n\nThe last refusal, of submit_change:\n> The change is refused: call it again.\n\nThe model said last:\n> I am done!\n\n',
    )
    expect(report.match(/call it again/g)).toHaveLength(1)
    const silent = stuckReport({ ...stuck, stop: { ...stop, last: null } } as never, { kept: null })
    expect(silent).toMatch(/^Why: .* turns were used up\.$/m)
    expect(report).not.toMatch(/\.\./)
  })

  test('derives missing facts from known ones', () => {
    const silent = { ...stuck, hypotheses: [], stop: { reason: 'no_progress' } } as const
    expect(stuckReport(silent, { kept: null })).toContain(
      [
        '## Hypotheses\nNobody has stated one. What is known:',
        '- It stopped: the editor continued without progress: no new change, no change in failing tests, no settled finding.',
        '- Plans handed in: 1.',
        '- The last of 2 verifications was FAIL: failing tests: a > b.',
      ].join('\n'),
    )
    const early = stuckReport({ ...silent, plans: [], attempts: [] }, { kept: null })
    expect(early).toContain('- No plan was handed in.\n- Nothing was verified.')
  })

  test('says why, with the numbers that hold', () => {
    expect(stuckReport(stuck, { kept: null })).toContain(`failed ${limits.verifyLoops} times`)
    expect(stuckReport({ ...stuck, stop: { reason: 'identical_calls' } }, { kept: null })).toContain(
      'five times in a row',
    )
    expect(limits.identicalCallsStop).toBe(5)
    expect(stuckReport({ ...stuck, stop: { reason: 'iteration_limit' } }, { kept: null })).toContain(
      'reached its iteration limit',
    )
    const infra = { errorType: 'scout_failed', errorMessage: 'no report' } as const
    expect(stuckReport({ ...stuck, stop: { infra } }, { kept: null })).toContain(
      'Why: infrastructure: scout_failed: no report.',
    )
  })
})
