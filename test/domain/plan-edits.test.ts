import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  add,
  type DraftStory,
  differenceOf,
  drop,
  isNothing,
  merge,
  move,
  rebase,
  split,
} from '../../dashboard/pages/plan/edit-stories.ts'
import { estimateOf, leastBasis } from '../../src/domain/story/estimate.ts'
import { changesOf, isNothing as isNoChange, touchedProblems, writtenBy } from '../../src/domain/story/plan-changes.ts'
import { planProblems, problemsOf } from '../../src/domain/story/plan-problems.ts'
import type { PlannedStory } from '../../src/domain/story/planned-story.ts'
import { newStory, type Story, taskOf } from '../../src/domain/story/story.ts'

/** Plans that can be built: each story depends only on earlier ones. */
const plans = fc
  .array(fc.record({ needs: fc.array(fc.nat(20), { maxLength: 3 }), criteria: fc.integer({ min: 1, max: 5 }) }), {
    minLength: 1,
    maxLength: 7,
  })
  .map((given) =>
    given.map(({ needs, criteria }, i): PlannedStory => {
      const depends_on = i === 0 ? [] : [...new Set(needs.map((n) => `s${n % i}`))]
      const acceptance_criteria = Array.from({ length: criteria }, (_, n) => `s${i} does ${n}`)
      return {
        id: `s${i}`,
        title: `Story ${i}`,
        content: `Do ${i}.`,
        acceptance_criteria,
        depends_on,
        files_hint: [],
      }
    }),
  )

const drafts = plans.map((stories) =>
  stories.map(
    ({ edited_by: _, ...story }): DraftStory => ({
      ...story,
      key: story.id,
      begun: false,
      acceptance_criteria: [...story.acceptance_criteria],
      depends_on: [...story.depends_on],
      files_hint: [...story.files_hint],
    }),
  ),
)

const steps = fc.array(fc.record({ kind: fc.constantFrom('split', 'drop', 'up', 'down'), at: fc.nat(30) }), {
  maxLength: 8,
})

function edited(stories: readonly DraftStory[], { kind, at }: { readonly kind: string; readonly at: number }) {
  const story = stories[at % stories.length]
  if (story === undefined) return stories
  if (kind === 'split') return split(stories, story.key)
  if (kind === 'drop') return stories.length === 1 ? stories : drop(stories, story.key)
  return move(stories, story.key, kind === 'up' ? -1 : 1)
}

/** Problems except criteria that a split leaves out, which the person must write. */
const structural = (stories: readonly DraftStory[]) =>
  problemsOf(stories).filter((problem) => !problem.includes('no acceptance criterion'))

describe('edits of a plan in the page', () => {
  test('that split, drop and move lead from one buildable plan to another', () => {
    fc.assert(
      fc.property(drafts, steps, (stories, some) => {
        expect(structural(some.reduce(edited, stories))).toEqual([])
      }),
    )
  })

  test('that merge lose no criterion, and leave nobody waiting for what is gone', () => {
    fc.assert(
      fc.property(drafts, fc.nat(20), fc.nat(20), (stories, a, b) => {
        const [into, from] = [stories[a % stories.length], stories[b % stories.length]]
        const after = merge(stories, into?.key ?? '', from?.key ?? '')
        const criteria = (some: readonly DraftStory[]) => some.flatMap((each) => each.acceptance_criteria).toSorted()
        expect(criteria(after)).toEqual(criteria(stories))
        expect(after.length).toBe(into === from ? stories.length : stories.length - 1)
        expect(structural(after).filter((problem) => !problem.includes('wait for each other'))).toEqual([])
      }),
    )
  })

  test('by one person become the plan when they are applied on top, and otherwise the other person’s edits stay', () => {
    fc.assert(
      fc.property(drafts, steps, (base, some) => {
        const mine = some.reduce(edited, base)
        expect(rebase({ base, stories: mine }, base)).toEqual({ stories: mine, both: [] })
        const theirs = rebase({ base, stories: base }, mine)
        expect(theirs.both).toEqual([])
        const { added, changed, dropped } = differenceOf(theirs.stories, mine)
        expect([added, changed, dropped]).toEqual([[], [], []])
      }),
    )
  })

  test('of the same story by two people keep the fields of both; for the same field the later edit counts', () => {
    const [one] = add([]).map((story) => ({ ...story, title: 'Old', content: 'Old' }))
    if (one === undefined) throw new Error('no story')
    const mine = [{ ...one, title: 'Mine' }]
    const theirs = [{ ...one, title: 'Theirs', content: 'Theirs' }]
    expect(rebase({ base: [one], stories: mine }, theirs)).toEqual({
      stories: [{ ...one, title: 'Mine', content: 'Theirs' }],
      both: [one.id],
    })
  })

  test('never take over a story that has begun meanwhile', () => {
    const [one] = add([])
    if (one === undefined) throw new Error('no story')
    const begun = [{ ...one, begun: true }]
    expect(rebase({ base: [one], stories: [{ ...one, title: 'Mine' }] }, begun).stories).toEqual(begun)
    expect(isNothing(differenceOf(begun, begun))).toBe(true)
  })
})

function machine(
  planned: PlannedStory,
  state: Story['state'],
  slot: string | null,
): Pick<Story, 'story' | 'state' | 'data'> {
  const data = newStory({ name: planned.id, task: taskOf(planned), planned, dryRun: false, base: 'b', slot })
  return { story: planned.id, state, data }
}

describe('changes of a plan', () => {
  test('are none between a plan and itself, and name who wrote exactly what is different', () => {
    fc.assert(
      fc.property(plans, fc.nat(20), (stories, at) => {
        expect(isNoChange(changesOf(stories, stories))).toBe(true)
        expect(writtenBy(stories, stories, 'Ada')).toEqual(stories)
        const place = at % stories.length
        const after = stories.map((story, i) => (i === place ? { ...story, title: 'Another' } : story))
        const names = writtenBy(stories, after, 'Ada').map((story) => story.edited_by ?? null)
        expect(names).toEqual(stories.map((_, i) => (i === place ? 'Ada' : null)))
      }),
    )
  })

  test('to started work are always refused; those to waiting work are not', () => {
    fc.assert(
      fc.property(plans, fc.nat(20), fc.boolean(), fc.boolean(), (stories, at, drops, begun) => {
        const place = at % stories.length
        const machines = stories.map((story, i) =>
          i === place && begun ? machine(story, 'CODING', 'coder-001') : machine(story, 'QUEUED', null),
        )
        const after = stories.flatMap((story, i) =>
          i !== place ? [story] : drops ? [] : [{ ...story, acceptance_criteria: ['another'] }],
        )
        const said = touchedProblems(stories, after, machines)
        expect(said.map(({ message }) => message.includes('has begun (CODING)'))).toEqual(begun ? [true] : [])
      }),
    )
  })

  test('bring no id back that was dropped', () => {
    const story: PlannedStory = {
      id: 'a',
      title: 'A',
      content: '',
      acceptance_criteria: ['x'],
      depends_on: [],
      files_hint: [],
    }
    expect(touchedProblems([], [story], [machine(story, 'DROPPED', null)])).toMatchObject([{ story: 0, field: 'id' }])
  })
})

describe('problems of a plan', () => {
  test('stand at the story and the field that they are about', () => {
    const story = { content: '', acceptance_criteria: ['x'], depends_on: [], files_hint: [] }
    const wrong = planProblems([
      { ...story, id: 'a', title: 'A', depends_on: ['z'] },
      { ...story, id: 'a', title: ' ', acceptance_criteria: [''] },
      { ...story, id: 'no good', title: 'C', depends_on: ['no good'] },
    ])
    expect(wrong.map(({ story, field }) => [story, field])).toEqual([
      [2, 'id'],
      [1, 'id'],
      [1, 'title'],
      [1, 'acceptance_criteria'],
      [0, 'depends_on'],
      [2, 'depends_on'],
    ])
  })
})

describe('the estimate of a plan', () => {
  const story: PlannedStory = {
    id: 'a',
    title: 'A',
    content: '',
    acceptance_criteria: ['x'],
    depends_on: [],
    files_hint: [],
  }
  const built = (n: number, usd: (i: number) => number) =>
    Array.from({ length: n }, (_, i) => ({ size: 'small' as const, usd: usd(i) }))

  test('is none while too few stories were built', () => {
    expect(
      estimateOf(
        [story],
        built(leastBasis - 1, () => 1),
      ),
    ).toBeNull()
  })

  test('is the median and the quarters of those of the same size, else of all, which it says', () => {
    const estimate = estimateOf(
      [story, { ...story, id: 'b', acceptance_criteria: Array(9).fill('x') }],
      built(5, (i) => i),
    )
    expect(estimate).toEqual({
      basis: 5,
      stories: [
        { id: 'a', size: 'small', anySize: false, low: 1, median: 2, high: 3 },
        { id: 'b', size: 'large', anySize: true, low: 1, median: 2, high: 3 },
      ],
      total: { low: 2, median: 4, high: 6 },
    })
  })

  test('never has a bound beyond what was seen', () => {
    const costs = fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: leastBasis, maxLength: 40 })
    fc.assert(
      fc.property(costs, (usd) => {
        const total = estimateOf(
          [story],
          built(usd.length, (i) => usd[i] ?? 0),
        )?.total
        const [least, most] = [Math.min(...usd), Math.max(...usd)]
        expect(total && least <= total.low && total.low <= total.median && total.median <= total.high).toBe(true)
        expect((total?.high ?? 0) <= most).toBe(true)
      }),
    )
  })
})
