import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { boundsDoc, withBounds } from '../../scripts/bounds-table.ts'
import { extended, storyBounds } from '../../src/domain/story/bounds.ts'
import { type Attempt, newStory, type StoryData, taskOf } from '../../src/domain/story/story.ts'

const planned = { id: 'a', title: '', content: '', acceptance_criteria: [], depends_on: [], files_hint: [] }
const story: StoryData = newStory({ name: 'a', task: taskOf(planned), planned, dryRun: false, base: 'b', slot: null })
const failing = (failed: number): Attempt => ({
  runId: 'r',
  status: 'FAIL',
  sha: 's',
  tests: { ran: 9, passed: 9 - failed, failed, skipped: 0 },
})
const finding = { id: 'c1', severity: 'major', file: 'a', claim: 'x', evidence: '', round: 1 } as const

/** The number of consecutive extensions when the editor stops with each of these in turn. */
function given(...stops: readonly Partial<StoryData>[]): readonly number[] {
  let extensions: StoryData['extensions']
  return stops.map((stop) => {
    extensions = extended({ ...story, origin: 'CODING', ...stop, ...(extensions && { extensions }) })
    return extensions.given
  })
}

test('extensions without progress are counted', () => {
  expect(given({}, {}, {})).toEqual([1, 2, 3])
  expect(given({ attempts: [failing(2)] }, { attempts: [failing(2), failing(3)] }, { attempts: [failing(2)] })).toEqual(
    [1, 2, 3],
  )
})

test('a first plan, a first verdict, fewer failing tests, a PASS and a settled finding are progress', () => {
  const pass: Attempt = { runId: 'r', status: 'PASS', sha: 's' }
  const reviews = (state: 'open' | 'closed') => ({
    ...story.reviews,
    code: { ...story.reviews.code, findings: [{ ...finding, state }] },
  })
  expect(given({ origin: 'PLANNING' }, {})).toEqual([1, 1])
  expect(given({}, { attempts: [failing(3)] }, { attempts: [failing(2)] }, { attempts: [pass] })).toEqual([1, 1, 1, 1])
  expect(given({ reviews: reviews('open') }, { reviews: reviews('open') }, { reviews: reviews('closed') })).toEqual([
    1, 2, 1,
  ])
})

test('a further step is progress, even if more tests fail there', () => {
  const at = (steps: number, failed: number | null): Partial<StoryData> => {
    const { tests, ...attempt } = failing(failed ?? 0)
    return { attempts: [{ ...attempt, steps, ...(failed !== null && { tests }) }] }
  }
  expect(given(at(0, 1), at(1, 9), at(1, 9), at(1, null), at(2, null))).toEqual([1, 1, 2, 3, 1])
})

test('reaching an earlier result again is not progress', () => {
  expect(given({}, { origin: 'PLANNING' }, {})).toEqual([1, 2, 3])
})

const doc = await readFile(boundsDoc, 'utf8')

test('docs/bounds.md lists every bound with its number; `npm run docs` makes it', () => {
  expect(withBounds(doc)).toBe(doc)
  for (const [name, { most }] of Object.entries(storyBounds))
    expect(doc).toMatch(new RegExp(`^- \`${name}\`: ${most} `, 'm'))
})

test('a document that has lost a marker is not written over', () => {
  expect(() => withBounds(doc.replace('<!-- end of the table -->', ''))).toThrow('markers of its table')
})
