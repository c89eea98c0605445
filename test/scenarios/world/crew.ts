import { type CommandResult, call, createFixture, type Fixture, type FixtureOptions, type Turns } from './fixture.ts'

export interface StoryInput {
  readonly id: string
  readonly depends_on?: readonly string[]
  readonly files_hint?: readonly string[]
  readonly acceptance_criteria?: readonly string[]
  readonly repository?: string
}

export const planned = ({ id, ...more }: StoryInput): object => ({
  id,
  title: `Make ${id}`,
  content: `Write ${id}.txt.`,
  acceptance_criteria: [`${id}.txt is there`],
  ...more,
})

export const stories = (...ids: readonly (string | StoryInput)[]): object =>
  call('submit_stories', { stories: ids.map((id) => planned(typeof id === 'string' ? { id } : id)) })

export const reply = (response: string, more: object = {}): object => call('submit_reply', { response, ...more })

export const approve = (more: object = {}): object => reply('Good.', { verdict: 'APPROVED', ...more })

export const finding = (more: object = {}): object => ({
  severity: 'major',
  file: 'a.txt',
  claim: 'a.txt says the wrong thing',
  evidence: 'a.txt:1',
  ...more,
})

export const reject = (response = 'No.'): object => reply(response, { verdict: 'REJECTED' })

export const needsChanges = (response: string, findings: readonly object[] = [finding()], more: object = {}): object =>
  reply(response, { verdict: 'NEEDS_CHANGES', findings, ...more })

export const writeFile = (path: string, content: string): object => call('write_file', { path, content })

export const storyPlan = (id: string): object =>
  call('submit_plan', {
    behaviour_change: `${id}.txt is there`,
    acceptance_criteria: [`${id}.txt is there`],
    non_goals: [],
    slices: ['write it'],
    files: [`${id}.txt`],
    tests: [],
  })

export const submit = (id: string): object => call('submit_change', { summary: `Add ${id}` })

export type Lanes = Readonly<Record<string, Turns>>

/** The architect's own lanes for a spec of these stories. */
export const specLanes = (...ids: readonly (string | StoryInput)[]): Lanes => ({
  'architect/SCOPING': [reply('A small repository.')],
  'architect/STORY_GENERATION': [stories(...ids)],
})

/** The shortest path of one story to its merge: it writes `<id>.txt`. */
export const greenStory = (id: string, content = `${id}\n`): Lanes => ({
  [`editor/${id}/PLANNING`]: [storyPlan(id)],
  [`architect/REQUEST/plan/${id}/1`]: [approve()],
  [`editor/${id}/CODING`]: [writeFile(`${id}.txt`, content), submit(id)],
  [`architect/REQUEST/code/${id}/1`]: [approve()],
})

/** A gate that is green on the base, and after any addition. */
export const alwaysGreen = { name: 'test', command: 'test -f value.txt', timeout_sec: 120 }

export function createCrewFixture(options: FixtureOptions = {}): Promise<Fixture> {
  return createFixture({ steps: [alwaysGreen], ...options })
}

/** Builds a spec with a scripted crew, and returns the output of `--json`. */
export async function build(fixture: Fixture, lanes: Lanes, ...flags: readonly string[]): Promise<CommandResult> {
  const model = await fixture.replay(lanes)
  return fixture.drydock('run', 'Make the files', '--model', model, '--json', '--no-wait', ...flags)
}
