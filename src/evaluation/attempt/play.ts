import { readFile } from 'node:fs/promises'
import type { Arm } from '../../domain/bench/attempt-record.ts'
import { limits } from '../../domain/limits.ts'
import type { Change, LaidFile, Solution, SolutionStory } from '../suite/suite.ts'

/** A script in place of a model: the answers in each lane, turn by turn. */
export interface Play {
  readonly replay: object
  /**
   * The number of turns of the longest editor lane; with this limit no lane asks for another turn.
   */
  readonly codingIterations: number
}

type Turn = object

const say = (tool: string, input: object): Turn => ({ calls: [{ tool, input }] })

/** The number of reviews of one story for which the script has an answer. */
const reviews = 5

/** Plays a solution; null is the empty one, whose editor changes nothing. */
export async function playSolution(solution: Solution | null, arm: Arm): Promise<Play> {
  const coding = solution === null ? [] : await Promise.all(solution.stories.map(codingTurns))
  const empty = [say('no_change', { reason: 'The empty solution changes nothing.', evidence: 'It has no edits.' })]
  if (arm !== 'crew') {
    const turns = solution === null ? empty : await taskTurns(solution)
    const codingIterations = turnsFor(turns)
    const lanes = { 'editor/task/PLANNING': [plan], 'editor/task/CODING': padded(turns, codingIterations) }
    return { replay: { version: 1, lanes }, codingIterations }
  }
  const stories = solution?.stories ?? [{ id: 'empty', dependsOn: [] }]
  const perStory = solution === null ? [empty] : coding
  const codingIterations = Math.max(...perStory.map(turnsFor))
  const lanes = {
    'architect/SCOPING': [say('submit_reply', { response: 'The stories of the solution follow.' })],
    'architect/STORY_GENERATION': [say('submit_stories', { stories: stories.map(plannedStory) })],
    ...Object.assign({}, ...stories.map(({ id }, n) => lanesOf(id, padded(perStory[n] ?? [], codingIterations)))),
  }
  // Merges in the suite's order, so that the same story is returned each time.
  const order = solution === null ? {} : { merge_order: stories.map(({ id }) => id) }
  return { replay: { version: 1, lanes, ...order }, codingIterations }
}

const plan = say('submit_plan', {
  behaviour_change: 'What the solution of the suite does.',
  acceptance_criteria: ['The hidden tests pass.'],
  non_goals: [],
  slices: ['Apply the solution.'],
  files: [],
  tests: [],
})

function plannedStory({ id, dependsOn }: Pick<SolutionStory, 'id' | 'dependsOn'>): object {
  const content = 'Apply this part of the solution.'
  return { id, title: `Part ${id}`, content, acceptance_criteria: ['It is applied.'], depends_on: dependsOn }
}

function lanesOf(id: string, coding: readonly Turn[]): Readonly<Record<string, readonly Turn[]>> {
  const verdict = (word: string) => [say('submit_reply', { response: 'By the script of the suite.', verdict: word })]
  const rounds = Array.from({ length: reviews }, (_, n) => [
    [`architect/REQUEST/plan/${id}/${n + 1}`, verdict('APPROVED')] as const,
    [`architect/REQUEST/code/${id}/${n + 1}`, verdict('APPROVED')] as const,
    [`architect/REQUEST/completion/${id}/${n + 1}`, verdict('REJECTED')] as const,
    [`architect/REQUEST/budget/${id}/${n + 1}`, verdict('REJECTED')] as const,
  ])
  return {
    [`editor/${id}/PLANNING`]: [plan],
    [`editor/${id}/CODING`]: coding,
    ...Object.fromEntries(rounds.flat()),
  }
}

/** A single editor does everything: the files after a return contain both sides of the conflict. */
async function taskTurns({ stories }: Solution): Promise<readonly Turn[]> {
  const changes = stories.map(({ change, afterReturn }) =>
    applyTurns(afterReturn === null ? change : asFiles(afterReturn)),
  )
  return [...(await Promise.all(changes)).flat(), submit]
}

async function codingTurns({ change, afterReturn }: SolutionStory): Promise<readonly Turn[]> {
  const again = afterReturn === null ? [] : [...(await applyTurns(asFiles(afterReturn))), submit]
  return [...(await applyTurns(change)), submit, ...again]
}

const submit = say('submit_change', { summary: 'Apply the solution of the suite' })

function asFiles(files: readonly LaidFile[]): Change {
  return { kind: 'files', files }
}

async function applyTurns(change: Change): Promise<readonly Turn[]> {
  if (change.kind === 'files')
    return Promise.all(
      change.files.map(async ({ at, from }) =>
        say('write_file', { path: at, content: verbatim(await readFile(from, 'utf8')) }),
      ),
    )
  const path = '.drydock-solution.patch'
  const command = `git apply --whitespace=nowarn ${path} && rm ${path}`
  return [say('write_file', { path, content: verbatim(change.text) }), say('run_command', { command })]
}

/** A replay file replaces anything that looks like a fact. */
function verbatim(text: string): string {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a replay file writes them
  return text.replaceAll('${', '${dollar}{')
}

/** In its last turns a lane can only submit. */
function turnsFor({ length }: readonly Turn[]): number {
  return length + limits.lastTurns
}

/** A lane with nothing left to do says so until its limit is reached. */
function padded(turns: readonly Turn[], length: number): readonly Turn[] {
  const idle = { text: 'The solution has nothing more.' }
  return [...turns, ...Array.from({ length: length - turns.length }, () => idle)]
}
