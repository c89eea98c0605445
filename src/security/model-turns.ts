/** One turn of the hostile model in a replay file, with a single tool call. */
export const call = (tool: string, input: object): object => ({ calls: [{ tool, input }] })

export const writeFileTurn = (path: string, content: string): object => call('write_file', { path, content })

export const submitPlan = call('submit_plan', {
  behaviour_change: 'It is green',
  acceptance_criteria: ['It is green'],
  non_goals: [],
  slices: ['make it green'],
  files: ['README.md'],
  tests: [],
})

export const submitChange = call('submit_change', { summary: 'Make it green' })

/** Reads the same file again and again, which stops a lane. */
export const stuckTurn = {
  calls: Array.from({ length: 5 }, () => ({ tool: 'list_files', input: { pattern: '*' } })),
}

export const reply = (more: object): object => call('submit_reply', { response: 'As you wish.', ...more })

const story = {
  id: 'one',
  title: 'Make one',
  content: 'Write one.txt.',
  acceptance_criteria: ['one.txt is there'],
}

/** A crew with one story, up to its change; its reviewer submits the given review. */
export const crewLanes = (
  coding: readonly object[],
  review: readonly object[],
): Readonly<Record<string, readonly object[]>> => ({
  'architect/SCOPING': [reply({})],
  'architect/STORY_GENERATION': [call('submit_stories', { stories: [story] })],
  'editor/one/PLANNING': [submitPlan],
  'architect/REQUEST/plan/one/1': [reply({ verdict: 'APPROVED' })],
  'editor/one/CODING': [...coding, submitChange],
  'architect/REQUEST/code/one/1': review,
})
