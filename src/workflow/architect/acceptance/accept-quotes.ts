import type { InputOf } from '../../../agents/tools/handed-over.ts'
import type { CriterionProblem, CriterionTests, WrittenTests } from '../../../domain/acceptance/acceptance-tests.ts'
import { describeInterface } from '../../../domain/acceptance/criteria.ts'
import { limits } from '../../../domain/limits.ts'
import type { Decision, LaneCall } from '../../lane/decision.ts'
import { refuseCall } from '../../lane/refuse-call.ts'
import { load, requireStory } from '../../machines.ts'
import type { StoryDependencies } from '../../story/dependencies.ts'
import { storyBrief } from './judged-story.ts'
import { testsOf } from './story-tests.ts'

type TestQuote = InputOf<'submit_quotes'>['tests'][number]

/**
 * READING: drops tests whose expected values no text demands. The quotes are compared with their
 * source, so that a reader cannot make them up. The remaining tests are tried on the base.
 */
export async function acceptQuotes(
  deps: StoryDependencies,
  { run, lane, input }: LaneCall<'submit_quotes'>,
  signal: AbortSignal,
): Promise<Decision> {
  const acceptance = await load(deps.store, 'acceptance', lane.data.parent)
  const story = await requireStory(deps.store, lane)
  const tests = await testsOf(deps, acceptance)
  const missing = tests.criteria
    .flatMap((each) => each.tests)
    .filter((name) => !input.tests.some((x) => x.test === name))
  if (missing.length > 0) {
    const output = `Nothing is said of these tests: ${missing.slice(0, 10).join('; ')}. Name every test.`
    return refuseCall(deps, { run, lane, output }, signal)
  }
  const told = [storyBrief(run, story), describeInterface(acceptance.data.interface)].map(inShort)
  const quotes = new Map(input.tests.map((each) => [each.test, each]))
  const criteria: CriterionTests[] = []
  const problems: CriterionProblem[] = []
  for (const { id, tests: names, behaviour } of tests.criteria) {
    const kept: string[] = []
    for (const name of names) {
      const why = await undemanded(deps, { quoted: quotes.get(name), told, base: acceptance.data.base }, signal)
      if (why === null) kept.push(name)
      else problems.push({ id, problem: `${JSON.stringify(name)}: ${why}` })
    }
    if (kept.length > 0) criteria.push({ id, tests: kept, behaviour })
  }
  const read: WrittenTests = { ...tests, criteria, problems }
  return [{ type: 'move_acceptance', acceptance, event: 'read', tests: read }]
}

interface QuoteCheck {
  readonly quoted: TestQuote | undefined
  readonly told: readonly string[]
  readonly base: string
}

/** The reason why no text demands the expected values of a test; null if one does. */
async function undemanded(
  { history }: Pick<StoryDependencies, 'history'>,
  { quoted, told, base }: QuoteCheck,
  signal: AbortSignal,
): Promise<string | null> {
  const { quotes = [] } = quoted ?? {}
  if (quotes.length === 0) return 'nothing in the story, the interface or the code demands what it expects'
  for (const { quote, file } of quotes) {
    const words = inShort(quote)
    if (told.some((text) => text.includes(words))) continue
    const read = file === undefined ? null : await history.committed(base).read(file, limits.gate.fileBytes, signal)
    const text = read?.ok ? inShort(Buffer.from(read.value.base64, 'base64').toString('utf8')) : ''
    if (!text.includes(words)) return 'the words that a reader quoted for it stand nowhere'
  }
  return null
}

/** Line breaks and indentation of a quote do not matter. */
function inShort(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
