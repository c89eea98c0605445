import { verdictMessage } from '../../agents/prompts/verdict-message.ts'
import { limits } from '../../domain/limits.ts'
import { fewNames } from '../../domain/name-list.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Story, StoryData } from '../../domain/story/story.ts'
import { isTestNamed } from '../../domain/verification/is-test-named.ts'
import type { Manifest, VerifierResponse } from '../../domain/verification/verdict.ts'
import { alsoOnBase, logWithEnd, whyFailed } from '../../domain/verification/why-failed.ts'
import { StaleVersion, type Transaction } from '../../ports/store.ts'
import { askHuman, type Question } from '../chat/ask-human.ts'
import type { Acts, Decision } from '../lane/decision.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load } from '../machines.ts'
import { cancelRun } from '../run/cancel-run.ts'
import { advanceStory } from '../story/advance-story.ts'
import type { StoryMove } from '../story/move-story.ts'

/**
 * True if a human is asked about a verdict: the first of a Run whose failing tests all fail on the
 * base commit, and the first whose failing step names no tests and fails there, too. The human may
 * have named these tests or the step as the purpose of the work; then nobody is asked.
 */
export function isBaseAsked({ data }: Run, story: Story, { manifest }: VerifierResponse): boolean {
  const also = manifest?.also_on_base
  if (manifest === null || also === undefined || data[askedOf[also]] === true) return false
  const { text, acceptance_criteria = [] } = story.data.task
  const words = [text, ...acceptance_criteria].join('\n')
  if (also === 'step') return !isStepNamed(stepOf(manifest), words)
  return !testsAllowedIn(manifest).every((id) => isTestNamed(id, words))
}

const askedOf = { tests: 'redBaseAsked', step: 'redStepAsked' } as const

/** Notes that a story asks, so that no other story of the Run asks the same. */
export function asksAboutBase({ id, version }: Run, { manifest }: VerifierResponse): Decision {
  return [{ type: 'note_asked', run: { id, version }, asked: askedOf[manifest?.also_on_base ?? 'tests'] }]
}

/**
 * Stores that a story asks. If another story has asked in the meantime, this verdict is judged
 * again.
 */
export async function noteAsked(tx: Transaction, { run: { id, version }, asked }: Acts['note_asked']): Promise<void> {
  const run = await load(tx, 'run', id)
  if (run.data[asked] === true) throw new StaleVersion(id, version)
  await tx.edit(run, { [asked]: true })
}

function stepOf({ commands_executed }: Manifest): string {
  return commands_executed.at(-1)?.name ?? ''
}

/** True if a text names a step as a whole word. */
function isStepNamed(step: string, words: string): boolean {
  const name = step.replace(/[^\w]/g, '\\$&')
  return new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'i').test(words)
}

/** The failing tests that may be allowed to fail. */
function testsAllowedIn({ failing = [], allowed = [] }: Manifest): readonly string[] {
  return failing.filter((id) => !allowed.includes(id))
}

interface Red {
  readonly story: Story
  /** Fields of the story that the verdict has changed. */
  readonly data: Partial<StoryData>
  readonly response: VerifierResponse
}

/**
 * Asks a human before spending more, since no agent can fix these failures unless it is told to.
 */
export function askAboutBase({ story, data, response }: Red): StoryMove {
  const { manifest, run_id: runId } = response
  const isStep = manifest?.also_on_base === 'step'
  const tests = manifest === null || isStep ? [] : testsAllowedIn(manifest)
  return {
    event: 'base_red',
    data: { ...data, redBase: { runId, tests } },
    question: isStep ? stepQuestion(story, response) : questionOf(story, response, tests),
  }
}

function stepQuestion({ data }: Story, response: VerifierResponse): Question {
  const step = response.manifest === null ? '' : stepOf(response.manifest)
  return {
    agent: 'drydock',
    question: [
      `The change of ${data.name} fails in the step ${step}, which also fails on the base commit ${data.base.slice(0, 12)}, without the change.`,
      'It names no failing test, so nobody knows whether it fails for the same reason, and nothing in it can be allowed.',
      'Reply `continue` if the editor should go on, with what you want to say to it, or `stop` to end the run.',
    ].join(' '),
    tried: `${response.run_id}: ${whyFailed(response) ?? ''}`,
    evidence: '',
  }
}

function questionOf({ data }: Story, response: VerifierResponse, tests: readonly string[]): Question {
  const fails = `The change of ${data.name} fails: ${fewNames(tests).join(', ')}.`
  const also = `All of these also fail on the base commit ${data.base.slice(0, 12)}, without the change.`
  const choices = [
    'Reply `continue` if the editor should go on, with what you want to say to it;',
    '`allow` to let these tests fail in this run as long as they fail on the base commit, or `allow` and their ids, one a line;',
    'or `stop` to end the run.',
  ]
  return {
    agent: 'drydock',
    question: [fails, also, ...choices].join(' '),
    tried: `${response.run_id}: ${whyFailed(response) ?? ''}`,
    evidence: tests
      .slice(0, limits.gate.listed)
      .map((id) => `- ${id}`)
      .join('\n'),
  }
}

/** Applies the human's decision. */
export async function answerAboutBase(
  tx: Transaction,
  deps: DecisionDependencies,
  story: Story,
  text: string,
): Promise<void> {
  const { redBase } = story.data
  const [, word = '', rest = ''] = /^\W*(\w+)[ \t:,.;]*([\s\S]*)$/.exec(text) ?? []
  const given = rest.trim()
  switch (word.toLowerCase()) {
    case 'continue': {
      const output = await verdictOf(tx, redBase?.runId ?? '')
      const answer = { output, guidance: given === '' ? null : given, ok: false }
      await advanceStory(tx, deps, story, { event: 'guided', data: { redBase: null }, answer })
      return
    }
    case 'allow':
      return allow(tx, deps, story, given)
    case 'stop':
      return cancelRun(tx, deps, story.run)
    default:
      return askAgain(
        tx,
        story,
        `the reply must start with ${isOfStep(story) ? '`continue`' : '`continue`, `allow`'} or \`stop\``,
      )
  }
}

/**
 * Verifies the same change again, with these tests allowed; a test that does not fail on the base
 * commit is not allowed.
 */
async function allow(tx: Transaction, deps: DecisionDependencies, story: Story, given: string): Promise<void> {
  if (isOfStep(story)) return askAgain(tx, story, 'the step names no failing test, so nothing can be allowed')
  const tests = story.data.redBase?.tests ?? []
  const named = given.split('\n').flatMap((line) => line.trim().replace(/^- /, '') || [])
  const unknown = named.filter((id) => !tests.includes(id))
  if (unknown.length > 0)
    return askAgain(tx, story, `not among the tests that fail on the base commit: ${fewNames(unknown).join(', ')}`)
  const run = await load(tx, 'run', story.run)
  const allowed = named.length > 0 ? named : tests
  await tx.edit(run, { allowFailing: [...new Set([...(run.data.allowFailing ?? []), ...allowed])] })
  await advanceStory(tx, deps, story, { event: 'allowed', data: { redBase: null } })
}

function isOfStep({ data: { redBase } }: Story): boolean {
  return redBase?.tests.length === 0
}

/** The question stays open, under a new message. */
async function askAgain(tx: Transaction, story: Story, why: string): Promise<void> {
  const question = `Nothing was done: ${why}.`
  const escalation = await askHuman(tx, story, { agent: 'drydock', question, tried: '', evidence: '' })
  await tx.edit(story, { escalation })
}

/** The verdict in words for the editor. */
async function verdictOf(tx: Transaction, runId: string): Promise<string> {
  const row = await tx.verification(runId)
  if (row === null) throw new Error(`there is no verification ${runId}`)
  const { status, tailLog, manifest } = row
  const response = { status, tail_log: tailLog, manifest, run_id: runId, artifact_paths: null }
  const tail = logWithEnd(response) ?? ''
  const verdict = { status: 'FAIL', runId, tailLog: tail, alsoOnBase: alsoOnBase(response) } as const
  return verdictMessage(verdict, null)
}
