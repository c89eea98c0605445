import { join } from 'node:path'
import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { RunWindow } from '../../app/views/window/run-window.ts'
import type { Event, EventOfType } from '../../domain/event.ts'
import { findingLine } from '../../domain/gate/finding-line.ts'
import { outcomeMessage } from './outcome-message.ts'
import { textContent, toolUpdate } from './tool-update.ts'

interface Translating {
  readonly window: RunWindow
  readonly repository: string
}

/**
 * Translates an event. `past` is true for an event that precedes the client's first look, so that
 * none of it was shown live.
 */
export type Translate = (event: Event, past: boolean) => Promise<readonly SessionUpdate[]>

/** Translates the events of Runs, in order, into updates for a client. */
export function createTranslation({ window, repository }: Translating): Translate {
  /** The last call of each lane's current reply that was sent to the client. */
  const calls = new Map<string, { readonly turn: number; readonly n: number }>()
  /** Ids of the verifications in progress, by story. */
  const verifying = new Map<string, string>()

  async function toolCall(event: EventOfType<'tool'>): Promise<readonly SessionUpdate[]> {
    const lane = `${event.run}/${event.data.lane}`
    const { turn, observed } = event.data
    const before = calls.get(lane)
    const n = observed ?? (before?.turn === turn ? before.n + 1 : 0)
    if (observed === undefined) calls.set(lane, { turn, n })
    const call = await window.call(event, n)
    return call === null ? [] : [toolUpdate({ id: `${lane}/${turn}/${n}`, call, repository })]
  }

  function verificationBegins({ id, run, story }: Event): readonly SessionUpdate[] {
    const toolCallId = `${run}/verification/${id}`
    verifying.set(`${run}/${story}`, toolCallId)
    const title = story === null || story === 'task' ? 'Verify the change' : `Verify the change of ${story}`
    return [{ sessionUpdate: 'tool_call', toolCallId, title, kind: 'execute', status: 'in_progress' }]
  }

  async function verificationEnds(event: EventOfType<'verification'>): Promise<readonly SessionUpdate[]> {
    const { run_id: runId, status } = event.data
    const key = `${event.run}/${event.story}`
    const begun = verifying.has(key) ? [] : verificationBegins(event)
    const toolCallId = verifying.get(key) ?? ''
    verifying.delete(key)
    const text = await window.verification(runId)
    return [
      ...begun,
      {
        sessionUpdate: 'tool_call_update',
        toolCallId,
        status: status === 'PASS' ? 'completed' : 'failed',
        content: [textContent(text ?? `Verdict: ${status}`)],
      },
    ]
  }

  return async (event, past) => {
    switch (event.type) {
      case 'model_call': {
        const words = event.data.error === null ? await window.words(event) : null
        return words === null ? [] : [thought(event, `${agentOf(event.data.lane)}: ${words}`)]
      }
      case 'agent_update':
        return [thought(event, `${event.data.agent}: ${event.data.text}`)]
      case 'tool':
        return toolCall(event)
      case 'state':
        return event.data.to === 'VERIFYING' ? verificationBegins(event) : []
      case 'verification':
        return verificationEnds(event)
      case 'review':
        return [reviewUpdate(event, repository)]
      case 'merge':
        return event.data.state === 'MERGED' ? [thought(event, `${event.story} is merged.`)] : []
      case 'chat': {
        const { id, agent_id: agent } = event.data
        const text = await window.message(id)
        if (text === null) return []
        if (agent !== 'human') return [thought(event, `${agent}: ${text}`)]
        // The client that sent it already shows it.
        return past ? [message(event, text, 'user_message_chunk')] : []
      }
      case 'escalation': {
        // The session itself decides how to ask an open question.
        const text = past ? await window.message(event.data.id) : null
        return text === null ? [] : [message(event, text, 'agent_message_chunk')]
      }
      case 'result':
        return [message(event, outcomeMessage(event.run, event.data), 'agent_message_chunk')]
      default:
        return []
    }
  }
}

/** The update about a round of a review, with its findings and their places. */
function reviewUpdate({ id, run, story, data }: EventOfType<'review'>, repository: string): SessionUpdate {
  const { kind, round, verdict, findings } = data
  const of = story === null || story === 'task' ? '' : ` of ${story}`
  const lines = findings.map((finding) => `- ${findingLine(finding)}`)
  return {
    sessionUpdate: 'tool_call',
    toolCallId: `${run}/review/${id}`,
    title: `Review of the ${kind}${of}, round ${round}: ${verdict ?? 'none'}`,
    kind: 'think',
    status: verdict === 'APPROVED' ? 'completed' : 'failed',
    content: [textContent(lines.length === 0 ? 'No findings.' : lines.join('\n'))],
    locations: findings.map(({ file, line }) => ({ path: join(repository, file), ...(line !== null && { line }) })),
  }
}

type Chunk = 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk'

/** A separate message. Clients join chunks whose id is equal, so each event has its own id. */
export function message({ run, id }: Pick<Event, 'run' | 'id'>, text: string, sessionUpdate: Chunk): SessionUpdate {
  return { sessionUpdate, messageId: `${run}/${id}`, content: { type: 'text', text: `${text.trimEnd()}\n\n` } }
}

function thought(event: Event, text: string): SessionUpdate {
  return message(event, text, 'agent_thought_chunk')
}

function agentOf(lane: string): string {
  return lane.split('/')[0] ?? lane
}
