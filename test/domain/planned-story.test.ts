import { describe, expect, test } from 'vitest'
import { problemsOf } from '../../src/domain/story/plan-problems.ts'
import { describeStories, type PlannedStory } from '../../src/domain/story/planned-story.ts'

const story = (id: string, more: Partial<PlannedStory> = {}): PlannedStory => ({
  id,
  title: `Story ${id}`,
  content: 'Do it.',
  acceptance_criteria: ['it is done'],
  depends_on: [],
  files_hint: [],
  ...more,
})

describe('stories that are shown', () => {
  const full = story('a', { depends_on: ['b', 'c'], files_hint: ['a.ts'] })

  test('have all that they ask for', () => {
    expect(describeStories([full, story('b')], 4_000)).toBe(
      '### a: Story a\n\nDo it.\n\n- it is done\n\nafter b, c\n\nfiles a.ts\n\n### b: Story b\n\nDo it.\n\n- it is done',
    )
  })

  test('are cut alike where there is too little room, and say so; a title stays', () => {
    const long = Array.from({ length: 5 }, (_, i) => story(`s${i}`, { content: 'Word '.repeat(400) }))
    const some = describeStories(long, 3_900)
    expect(some.length).toBeLessThanOrEqual(3_900)
    expect(some.match(/^### s\d: Story s\d$/gm)).toHaveLength(5)
    expect(some.match(/characters left out …/g)).toHaveLength(5)
    expect(describeStories(long, 300)).toContain('### s4: Story s4 (2013 characters left out)')
  })
})

describe('stories of a spec', () => {
  test('that only depend on each other one way can be built', () => {
    const stories = [story('a'), story('b', { depends_on: ['a'] }), story('c', { depends_on: ['a', 'b'] })]
    expect(problemsOf(stories)).toEqual([])
  })

  test('are refused when there is none', () => {
    expect(problemsOf([])).toEqual(['there are no stories'])
  })

  test('are refused for an unknown dependency, by its name', () => {
    expect(problemsOf([story('a', { depends_on: ['z'] })])).toEqual(['story "a" depends on "z", which is not a story'])
  })

  test('are refused for a criterion that is missing or blank', () => {
    expect(problemsOf([story('a', { acceptance_criteria: [] }), story('b', { acceptance_criteria: [' '] })])).toEqual([
      'story "a" has no acceptance criterion',
      'story "b" has no acceptance criterion',
    ])
  })

  test('are refused for the same id or the same title twice, once each', () => {
    const twice = [story('a', { title: 'One' }), story('a', { title: 'Two' }), story('b', { title: ' one ' })]
    expect(problemsOf(twice)).toEqual([
      'two stories have the id "a"',
      'two stories have the title "one": name the difference, or make them one story',
    ])
  })

  test('are refused when they wait for each other, which names them and who waits for them, and nobody else', () => {
    const stories = [
      story('free'),
      story('a', { depends_on: ['b', 'free'] }),
      story('b', { depends_on: ['a'] }),
      story('after', { depends_on: ['b'] }),
      story('self', { depends_on: ['self'] }),
    ]
    expect(problemsOf(stories)).toEqual(['these stories wait for each other: a, b, after, self'])
  })
})
