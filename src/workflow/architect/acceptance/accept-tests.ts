import type { InputOf } from '../../../agents/tools/handed-over.ts'
import type { Acceptance } from '../../../domain/acceptance/acceptance.ts'
import { acceptanceProblem, type WrittenTests } from '../../../domain/acceptance/acceptance-tests.ts'
import type { Criterion } from '../../../domain/acceptance/criteria.ts'
import type { Decision, LaneCall } from '../../lane/decision.ts'
import { refuseCall } from '../../lane/refuse-call.ts'
import { load, requireStory } from '../../machines.ts'
import type { StoryDependencies } from '../../story/dependencies.ts'
import { quotesPrompt } from '../prompts/acceptance.ts'
import { storyBrief } from './judged-story.ts'
import { encoded } from './story-tests.ts'

type TestsInput = InputOf<'submit_acceptance_tests'>

/** WRITING: passes the author's tests to a lane that knows nothing of how they were written. */
export async function acceptTests(
  deps: StoryDependencies,
  { run, lane, input }: LaneCall<'submit_acceptance_tests'>,
  signal: AbortSignal,
): Promise<Decision> {
  const acceptance = await load(deps.store, 'acceptance', lane.data.parent)
  const story = await requireStory(deps.store, lane)
  const problem = problemOf(input, acceptance.data.criteria) ?? (await takenPath(deps, acceptance, input))
  if (problem !== null) return refuseCall(deps, { run, lane, output: problem }, signal)
  const tests = written(input)
  const criteria = acceptance.data.criteria.map((each) => claimed(each, input))
  const data = { criteria, interface: input.interface }
  if (tests.criteria.length === 0) return [{ type: 'move_acceptance', acceptance, event: 'ready', data, tests }]
  const reading = quotesPrompt({ brief: storyBrief(run, story), tests, entries: input.interface })
  return [{ type: 'move_acceptance', acceptance, event: 'written', data, tests, reading }]
}

function written({ files, stub, criteria }: TestsInput): WrittenTests {
  const tested = criteria.filter(({ untested, tests }) => untested === undefined && tests.length > 0)
  return {
    files: files.map(encoded),
    stub: stub.map(encoded),
    criteria: tested.map(({ id, tests, behaviour }) => ({ id, tests, behaviour })),
    problems: [],
  }
}

function claimed({ id, text }: Criterion, { criteria }: TestsInput): Criterion {
  const given = criteria.find((each) => each.id === id)
  if (given === undefined || given.untested !== undefined || given.tests.length === 0)
    return { id, text, state: 'untested', why: given?.untested ?? 'its author has left it out' }
  return { id, text, state: 'tested', behaviour: given.behaviour }
}

/** The reason why the set cannot be accepted as it is; null if it can. */
function problemOf({ files, stub, criteria }: TestsInput, known: readonly Criterion[]): string | null {
  const ids = criteria.map(({ id }) => id)
  const odd = ids.find((id) => !known.some((each) => each.id === id))
  if (odd !== undefined) return `There is no criterion ${odd}.`
  const missing = known.filter(({ id }) => !ids.includes(id)).map(({ id }) => id)
  if (missing.length > 0)
    return `Nothing is said of ${missing.join(', ')}. Name every criterion, with its tests or with the reason in \`untested\`.`
  const empty = criteria.find(({ tests, untested }) => tests.length === 0 && untested === undefined)
  if (empty !== undefined) return `${empty.id} has neither tests nor a reason in \`untested\`.`
  const names = criteria.flatMap(({ tests }) => tests)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) return `The test ${JSON.stringify(twice)} is named twice. Each test is of one criterion.`
  if (names.length === 0) return null
  const unfit = acceptanceProblem({ files: files.map(encoded) })
  if (unfit !== null) return `The files cannot be used: ${unfit}.`
  const stubbed = stub.length === 0 ? null : acceptanceProblem({ files: stub.map(encoded) })
  return stubbed === null ? null : `The stub cannot be used: ${stubbed}.`
}

/** New tests must not replace existing files: the tests in a replaced file would no longer run. */
async function takenPath(
  { history }: Pick<StoryDependencies, 'history'>,
  { data }: Acceptance,
  { files }: TestsInput,
): Promise<string | null> {
  const paths = files.map(({ path }) => path)
  const there = await history.contents(data.base, paths)
  const taken = paths.find((path) => there[path] !== null)
  return taken === undefined ? null : `${taken} is in the repository already. Choose another name.`
}
