import { expect, test } from 'vitest'
import { answerProgress, callProgress } from '../../src/agents/call-progress.ts'
import type { Json } from '../../src/domain/json.ts'
import type { LaneData } from '../../src/domain/lane/lane.ts'
import { editorLimits } from '../../src/domain/lane/next-request.ts'
import { standstillOf } from '../../src/domain/lane/progress.ts'
import { laneOf } from './asking.ts'

const most = 25
const editor = (): LaneData => laneOf({ role: 'editor_coding', limits: editorLimits(150, most) }).data

interface CallText {
  readonly tool: string
  readonly input: Json
  readonly output: string
  readonly ok?: boolean
}

/** The lane after calls in one reply each, answered by the tools themselves or by the workflow. */
function after(by: 'tools' | 'workflow', calls: readonly CallText[]): LaneData {
  let lane = editor()
  for (const [i, { tool, input, output, ok = true }] of calls.entries()) {
    const turned = { ...lane, iterations: lane.iterations + 1 }
    const beside = { kind: 'read', startedAt: '2031-01-01T00:00:00Z', expectation: null } as const
    const progress =
      by === 'tools'
        ? callProgress(turned, { ...beside, tool, input, output, ok })
        : answerProgress(turned, { call: { id: `${i}`, tool, input }, output, ok })
    lane = { ...turned, progress }
  }
  return lane
}

const times = (count: number, call: (i: number) => CallText) => Array.from({ length: count }, (_, i) => call(i))
const standstill = (lane: LaneData) => standstillOf(lane, most)

test('different calls that the workflow answers alike are not the same call', () => {
  const asked = times(12, (i) => ({
    tool: 'ask_scout',
    input: { scout: 'codebase', question: `where is ${i}?` },
    output: 'The scout gave no report.',
    ok: false,
  }))
  expect(standstill(after('workflow', asked))).toBe(null)
  const same = times(12, () => ({ tool: 'submit_plan', input: { slices: [] }, output: 'refused', ok: false }))
  expect(standstill(after('workflow', same))).toBe('alternating')
})

test.each([
  ['search_files', '(no match)'],
  ['list_files', '(no file matches)'],
  ['search_files', 'a.txt:1: always the same line'],
])('%s is news by what it shows, whatever it was asked: %s', (tool, output) => {
  const lane = after(
    'tools',
    times(26, (i) => ({ tool, input: { pattern: `p${i}` }, output })),
  )
  // The first answer counts as progress, and 25 more show nothing new.
  expect(lane.progress.at).toBe(1)
  expect(standstill(lane)).toBe('no_progress')
})

test('a search that shows one more line each time is progress, and so is the same text of another file', () => {
  const found = times(30, (i) => ({ tool: 'search_files', input: { pattern: 'x' }, output: `a.txt:${i}: x` }))
  expect(after('tools', found).progress.at).toBe(30)
  const read = times(30, (i) => ({ tool: 'read_file', input: { path: `${i}.txt` }, output: '1: same' }))
  expect(after('tools', read).progress.at).toBe(30)
})
