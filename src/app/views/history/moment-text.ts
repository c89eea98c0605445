import type { Event, EventData } from '../../../domain/event.ts'
import { limits } from '../../../domain/limits.ts'
import { budgetNames, pausedHow } from '../../../domain/run/pause-cause.ts'
import { capText } from '../../../domain/text.ts'
import { baseVerdictText } from '../../text/base-verdict-text.ts'
import { criteriaInShort } from '../../text/criteria-in-short.ts'
import { oneLine } from '../../text/one-line.ts'
import { progressText } from '../../text/progress-text.ts'
import { trialWarnings } from '../../text/trial-text.ts'

/** The change that an event made, as one sentence on one line. */
export function momentText(event: Event): string {
  return capText(oneLine(sentenceOf(event)), limits.live.lineChars)
}

function sentenceOf({ type, data, story }: Event): string {
  switch (type) {
    case 'run':
      return `The run was asked for: ${data.title}`
    case 'run_state':
      return `The run moved from ${words(data.from)} to ${words(data.to)}.`
    case 'state':
      return `The story moved from ${words(data.from)} to ${words(data.to)}.`
    case 'stories':
      return `The architect planned ${counted(data.count, 'story', 'stories')}: ${data.ids.join(', ')}`
    case 'plan_edit':
      return `${data.by} edited the plan (${data.outcome}).`
    case 'lane':
      return `The conversation ${data.lane} began.`
    case 'model_call':
      return data.error === null
        ? `The model of the ${agentOf(data.lane)} ${answered[data.stop] ?? `ended with ${words(data.stop)}`}.`
        : `A call of the model of the ${agentOf(data.lane)} failed: ${data.error}`
    case 'model_tried':
      return [`The model ${data.model} was tried before its first use.`, ...trialWarnings(data)].join(' ')
    case 'context_cut':
      return `The text for the model was ${data.stage}, from ${data.before} to ${data.after} tokens.`
    case 'tool':
      return data.ok === false
        ? `${data.tool} failed for the ${agentOf(data.lane)}.`
        : `The ${agentOf(data.lane)} ${data.ok === null ? 'called' : 'used'} ${data.tool}.`
    case 'agent_session':
      return `The agent ${data.agent} ${data.loaded ? 'went on with its session' : 'was started'}.`
    case 'agent_update':
      return `${data.agent}, ${data.kind}: ${data.text}`
    case 'agent_failed':
      return `The agent ${data.agent} failed: ${data.message}`
    case 'mcp_withdrawn':
      return `The tools of the MCP server ${data.server} were withdrawn.`
    case 'verification':
      return `A verification ended with ${words(data.status)}.`
    case 'review':
      return `A review of the ${words(data.kind)} ended${data.verdict === null ? '' : ` with ${words(data.verdict)}`}, ${counted(data.open, 'finding', 'findings')} open.`
    case 'request':
      return `The request to the architect (${words(data.kind)}) is ${words(data.state)}.`
    case 'scout':
      return `The ${data.scout} scout: ${words(data.state)}.`
    case 'acceptance':
      return `Acceptance tests: ${[data.state.toLowerCase(), criteriaInShort(data)].filter(Boolean).join(', ')}.`
    case 'accepted':
      return `A person accepted ${counted(data.findings.length, 'finding', 'findings')}.`
    case 'remark':
      return `A remark by ${data.author} is ${words(data.state)}.`
    case 'fewer_coders':
      return `The repository asked for ${data.asked} editors at once; ${data.allowed} are allowed.`
    case 'merge':
      return `${story ?? 'The work'} ${merged[data.state]}.`
    case 'landed':
      return `${data.branch} was moved in ${data.repository}.`
    case 'landing':
      return `The landing is ${words(data.state)}.`
    case 'chat':
      return `${data.agent_id} posted a message.`
    case 'escalation':
      return `A person was asked: ${data.question}`
    case 'escalation_answered':
      return `A person answered: ${data.answer}`
    case 'escalation_assigned':
      return data.to === null ? 'A question is for everybody.' : `A question is for ${data.to}.`
    case 'notification_failed':
      return `A notification could not be sent: ${data.error}`
    case 'paused':
      return data.reason === 'budget' ? `${budgetNames([data])} was reached.` : `The run was paused ${pausedHow(data)}.`
    case 'suspended':
      if (data.because === 'disk') return `A step waits for space: ${data.reason}`
      return `The provider did not answer, and is asked again at ${data.until}: ${data.reason}`
    case 'model_replaced':
      return `${data.to} took the place of ${data.from}.`
    case 'resumed':
      return data.because === 'disk' ? 'The disk had space again.' : 'The provider answered again.'
    case 'budget':
      return `The budget was raised to ${data.runUsd} dollars.`
    case 'unpriced':
      return `The prices of ${data.models.join(', ')} are not known.`
    case 'base_verdict':
      return `The base commit ${data.commit.slice(0, 12)} was looked at: ${baseVerdictText(data)}.`
    case 'uncommitted':
      return `The working tree had ${counted(data.count, 'file', 'files')} without a commit.`
    case 'prepare':
      return `The step ${data.step} of prepare began.`
    case 'git_progress':
      return `Git was at work on the repository: ${progressText(data)}.`
    case 'unkept':
      return `A workspace could not be kept: ${data.reason}`
    case 'workspace_moved':
      return `The workspace of ${data.from} was ${data.lost ? 'lost' : 'given up'}; the story goes on elsewhere.`
    case 'error':
      return `The run stopped: ${data.message}`
    case 'result':
      return 'The run came to rest.'
    default:
      throw new Error(`unknown event ${type satisfies never}`)
  }
}

/** Words for the reason why a model's reply ended. */
const answered: Readonly<Record<string, string>> = {
  calls: 'called tools',
  end: 'answered',
  length: 'reached the length of an answer',
  refused: 'refused to answer',
}

const merged: Readonly<Record<EventData['merge']['state'], string>> = {
  QUEUED: 'waits to be merged',
  MERGING: 'is being merged',
  MERGED: 'was merged',
  RETURNED: 'was sent back by its merge',
  CANCELLED: 'is not merged any more',
}

/** The agent of a lane: `editor` for `editor/one/CODING`. */
function agentOf(lane: string): string {
  return lane.split('/')[0] ?? lane
}

/** Converts a state to words: `CODE_REVIEW` to "code review". */
function words(name: string): string {
  return name === 'PASS' || name === 'FAIL' ? name : name.toLowerCase().replaceAll('_', ' ')
}

function counted(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`
}
