import type { Event } from '../../src/domain/event.ts'
import type { Result } from '../../src/domain/run/result.ts'
import { createMemoryFixture, type MemoryFixture } from './fixture.ts'
import { revision } from './git.ts'
import { textOf } from './objects.ts'
import type { Program } from './sandbox.ts'

/** One reply of a model: a text, or tool calls. */
export type Turn = object
/** The turns of each lane. */
export type Lanes = Readonly<Record<string, readonly Turn[]>>

/** The gate's verdicts on a change. */
export const [PASS, FAIL] = ['PASS', 'FAIL'] as const
type Verdict = typeof PASS | typeof FAIL

const call = (tool: string, input: object): Turn => ({ calls: [{ tool, input }] })
/** Writes these files, one in each turn. */
export const edits = (files: Readonly<Record<string, string>>): readonly Turn[] =>
  Object.entries(files).map(([path, content]) => call('write_file', { path, content }))
/** Hands the change to the gate. */
export const submits = (summary = 'The change', more: object = {}): Turn => call('submit_change', { summary, ...more })
/** The editor's plan. */
export const plans = (more: object = {}): Turn =>
  call('submit_plan', {
    behaviour_change: 'it says new',
    acceptance_criteria: ['it says new'],
    non_goals: [],
    slices: ['change it'],
    files: [],
    tests: [],
    ...more,
  })
/** The architect's answer. */
export const replies = (response: string, more: object = {}): Turn => call('submit_reply', { response, ...more })
export const approves = (): Turn => replies('Good.', { verdict: 'APPROVED' })
export const wantsChanges = (claim: string): Turn =>
  replies('Not yet.', {
    verdict: 'NEEDS_CHANGES',
    findings: [{ severity: 'major', file: 'a.txt', claim, evidence: 'a.txt:1' }],
  })
export const looks = (pattern = '*'): Turn => call('list_files', { pattern })

/** The end of a command, and its traces. */
export interface CommandResult {
  readonly exitCode: number
  readonly result: Result | undefined
  readonly events: readonly Event[]
}

interface WorldOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly config?: object
  /** Steps of the gate by name; by default a single step gives the scripted verdicts. */
  readonly steps?: Readonly<Record<string, Program>>
}

/** Describes a task before it runs. */
export interface TaskStory {
  /** The editor's turns in PLANNING; one plan by default. */
  plans(...turns: readonly Turn[]): TaskStory
  /** The editor's turns in CODING. */
  editor(...turns: readonly (Turn | readonly Turn[])[]): TaskStory
  /** The gate's verdicts on its changes, one after the other; later ones are PASS. */
  verdicts(...given: readonly Verdict[]): TaskStory
  /** Runs the task to its end. */
  ends(): Promise<CommandResult>
}

/** Describes a spec before it runs. */
export interface SpecStory {
  /** Other turns of some lanes, by name. */
  lanes(more: Lanes): SpecStory
  verdicts(...given: readonly Verdict[]): SpecStory
  ends(): Promise<CommandResult>
}

/**
 * A repository, its crew and its gate in memory; the turns of agents and the verdicts of the gate
 * describe a story.
 */
export interface World {
  readonly fixture: MemoryFixture
  /** A task with one editor. */
  task(text: string): TaskStory
  /** A spec whose stories each write a file with their name, unless their lanes differ. */
  spec(...ids: readonly string[]): SpecStory
  /** Resumes the newest Run. */
  resumes(): Promise<CommandResult>
  /** The text of a file on a branch; null if it does not exist. */
  file(revision: string, path: string): string | null
  remove(): Promise<void>
}

export async function createWorld({ files = {}, config = {}, steps = {} }: WorldOptions = {}): Promise<World> {
  const verdicts: Verdict[] = []
  const says: Program = ({ commit }) => {
    const { repository } = fixture.machine
    const isUsers = commit === null || repository.objects.isAncestor(commit, repository.branches.get('main') ?? '')
    return isUsers || (verdicts.shift() ?? PASS) === PASS ? 0 : { exitCode: 1, output: 'it fails\n' }
  }
  const programs = Object.keys(steps).length > 0 ? steps : { says }
  const fixture: MemoryFixture = await createMemoryFixture({
    files,
    config,
    programs,
    steps: Object.keys(programs).map((name) => ({ name, command: name })),
  })
  let last = 0
  async function tell(...args: readonly string[]): Promise<CommandResult> {
    const { exitCode, events, stdout, stderr } = await fixture.drydock(...args, '--json', '--no-wait')
    const result = events.find(({ type }) => type === 'result') as Result | undefined
    const run = events.find(({ type }) => type === 'run')?.run
    if (typeof run !== 'string') throw new Error(`no run: ${stdout}\n${stderr}`)
    const told = await fixture.machine.store.events({ run, after: last, limit: 100_000 })
    last = told.at(-1)?.id ?? last
    return { exitCode, result, events: told }
  }
  const play = async (lanes: Lanes, ...args: readonly string[]) => tell(...args, '--model', await fixture.replay(lanes))
  return {
    fixture,
    task(text) {
      let planning: readonly Turn[] = [plans()]
      let coding: readonly Turn[] = []
      const story: TaskStory = {
        plans(...turns) {
          planning = turns
          return story
        },
        editor(...turns) {
          coding = turns.flat()
          return story
        },
        verdicts(...given) {
          verdicts.push(...given)
          return story
        },
        ends: () => play({ 'editor/task/PLANNING': planning, 'editor/task/CODING': coding }, 'task', text),
      }
      return story
    },
    spec(...ids) {
      let others: Lanes = {}
      const story: SpecStory = {
        lanes(more) {
          others = { ...others, ...more }
          return story
        },
        verdicts(...given) {
          verdicts.push(...given)
          return story
        },
        ends: () => play({ ...crewLanes(ids), ...others }, 'run', 'Make the files'),
      }
      return story
    },
    resumes: () => tell('resume'),
    file(name, path) {
      const { repository } = fixture.machine
      const sha = revision(repository, name)
      const found = sha === null ? undefined : repository.objects.tree(sha).get(path)
      return found === undefined ? null : textOf(found)
    },
    remove: () => fixture.remove(),
  }
}

/** The shortest path to a merge of stories that each write a file with their name. */
function crewLanes(ids: readonly string[]): Lanes {
  const stories = ids.map((id) => ({
    id,
    title: `Make ${id}`,
    content: `Write ${id}.txt.`,
    acceptance_criteria: [`${id}.txt is there`],
  }))
  return {
    'architect/SCOPING': [replies('A small repository.')],
    'architect/STORY_GENERATION': [call('submit_stories', { stories })],
    ...Object.fromEntries(
      ids.flatMap((id): [string, readonly Turn[]][] => [
        [`editor/${id}/PLANNING`, [plans({ files: [`${id}.txt`] })]],
        [`architect/REQUEST/plan/${id}/1`, [approves()]],
        [`editor/${id}/CODING`, [...edits({ [`${id}.txt`]: `${id}\n` }), submits(`Add ${id}`)]],
        [`architect/REQUEST/code/${id}/1`, [approves()]],
      ]),
    ),
  }
}
