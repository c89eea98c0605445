import { agentOf, type Lane } from '../../domain/lane/lane.ts'
import type { Run } from '../../domain/run/run.ts'
import { sentence } from '../../domain/sentence.ts'
import type { ModelError } from '../../ports/model.ts'
import type { Act, Decision } from '../lane/decision.ts'
import { requireStory } from '../machines.ts'
import { failScoutTry } from '../scout/scout-query.ts'
import type { StoryDependencies, WorkspaceDependencies } from '../story/dependencies.ts'
import { snapshotStory } from '../story/snapshot.ts'
import type { Question } from './ask-human.ts'
import { escalateArchitect, nameOf, withoutSecrets } from './escalate-lane.ts'

interface Faulty {
  readonly run: Run
  readonly lane: Lane
  readonly error: ModelError
}

/**
 * Asks a human about a lane after its model's replies were cut or broke off several times in a row;
 * the rest of the Run continues. Null if only the Run itself could wait.
 */
export async function askAboutModel(
  deps: StoryDependencies,
  { run, lane, error }: Faulty,
  signal: AbortSignal,
): Promise<Decision | null> {
  const agent = agentOf(lane.data.role)
  switch (agent) {
    case 'architect': {
      const ask = await escalateArchitect(deps, {
        run,
        lane,
        question: withoutSecrets(lane, questionOf({ run, lane, error })),
      })
      return [askedAbout(lane), ...ask]
    }
    case 'editor':
      return askAboutEditor(deps, { run, lane, error }, signal)
    case 'scout': {
      // Without a story nothing else could continue; a reply that broke off is retried.
      if (lane.story === null || error.kind !== 'reply_truncated') return null
      return failScoutTry(deps, { run, lane, problem: error.message, wasHeard: true, isLast: true }, signal)
    }
    default:
      throw new Error(`unknown agent ${agent satisfies never}`)
  }
}

/** Saves the story's files first, since the slot of a waiting story may go to another one. */
async function askAboutEditor(deps: WorkspaceDependencies, faulty: Faulty, signal: AbortSignal): Promise<Decision> {
  const { run, lane } = faulty
  const story = await requireStory(deps.store, lane)
  const snapshot = await snapshotStory(deps, story, signal, { why: 'its model went wrong', setAside: true })
  const data = { ...story.data, ...(snapshot.ok ? snapshot.data : run.data.policy.slot === 'story' && { slot: null }) }
  const move = { event: 'escalated', data, question: questionOf(faulty) } as const
  return [askedAbout(lane), { type: 'advance_story', story, move }]
}

function askedAbout({ id }: Lane): Act {
  return { type: 'edit_lane', lane: id, data: { isAskedAbout: true } }
}

function questionOf({ run, lane, error }: Faulty): Question {
  const agent = agentOf(lane.data.role)
  const flag = run.data.policy.reviewer !== null ? `--${agent}-model` : '--model'
  const isCut = error.kind === 'reply_truncated'
  const mend = isCut
    ? 'Raise max_output_tokens of the provider in your config.json, then reply `continue`;'
    : 'Look at the log of the model server and at proxies on the way, then reply `continue`;'
  const other = `or go on with another model: drydock resume ${run.id} ${flag} <id>;`
  const split = isCut ? 'or reply with how to split the work.' : 'or reply with what it should do instead.'
  const who = agent === 'architect' ? `The architect (${nameOf(lane)})` : `The editor (${lane.data.key})`
  return {
    agent: 'drydock',
    question: `${sentence`${who} cannot go on: ${error.message}.`} ${mend} ${other} ${split} Your reply is its guidance.`,
    tried: '',
    evidence: '',
  }
}
