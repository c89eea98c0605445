import { limits } from '../../domain/limits.ts'
import { plainLine, plainText } from '../../domain/plain-text.ts'
import type { AgentUpdate } from '../../ports/coding-agent.ts'
import { AgentBroke } from './agent-broke.ts'
import { seenCall, type ToolCall } from './tool-calls.ts'
import type { SeenUpdate } from './update-shapes.ts'

const { textChars, titleChars, entries: mostEntries, turnUpdates, calls: mostCalls } = limits.agents

export interface TurnObserver {
  see(update: SeenUpdate): void
  /** The agent has asked for permission to make this call. */
  meet(toolCallId: string): void
  tell(update: AgentUpdate): void
  /** Ends the turn. Returns the last message. */
  end(): string
}

interface Speech {
  readonly type: 'said' | 'thought'
  readonly messageId: string | null
  text: string
}

interface TurnObserving {
  readonly cwd: string
  /** Ids of messages that began before this turn. The ids of this turn are added when it ends. */
  readonly earlier: Set<string>
}

/**
 * Passes the whole messages of one turn to `observe`, and its calls when they change. The protocol
 * does not say which turn an update belongs to. A call therefore belongs to the turn in which it
 * begins, a message to the turn of its first piece, and a late update to none.
 */
export function createTurnObserver(
  { cwd, earlier }: TurnObserving,
  observe: (update: AgentUpdate) => void,
): TurnObserver {
  const calls = new Map<string, ToolCall>()
  const begun = new Set<string>()
  const messages = new Set<string>()
  let speech: Speech | null = null
  let last = ''
  let told = 0

  function tell(update: AgentUpdate): void {
    told += 1
    if (told > turnUpdates) throw new AgentBroke('flooded', `it did more than ${turnUpdates} things in one turn`)
    observe(update)
  }

  function finishSpeech(): void {
    if (speech === null) return
    const { type } = speech
    const text = plainText(speech.text, textChars).trim()
    speech = null
    if (text === '') return
    if (type === 'said') last = text
    tell({ type, text })
  }

  function hear(type: Speech['type'], messageId: string | null, text: string): void {
    const goesOn = speech !== null && speech.type === type && (messageId ?? speech.messageId) === speech.messageId
    if (!goesOn) finishSpeech()
    speech ??= { type, messageId, text: '' }
    if (speech.text.length < textChars) speech.text += text
  }

  function seeCall(update: Extract<SeenUpdate, { toolCallId: string }>): void {
    const before = calls.get(update.toolCallId) ?? null
    const call = seenCall(before, update, cwd)
    calls.set(update.toolCallId, call)
    const [oldest] = calls.keys()
    if (calls.size > mostCalls && oldest !== undefined) calls.delete(oldest)
    if (before?.status === call.status) return
    tell(call)
  }

  function isLate(update: SeenUpdate): boolean {
    if (update.sessionUpdate === 'tool_call') begun.add(update.toolCallId)
    if (update.sessionUpdate === 'tool_call_update') return !begun.has(update.toolCallId)
    const id = messageOf(update)
    if (id === null) return false
    messages.add(id)
    return earlier.has(id)
  }

  return {
    tell(update) {
      finishSpeech()
      tell(update)
    },
    meet: (toolCallId) => void begun.add(toolCallId),
    see(update) {
      if (isLate(update)) return
      if (update.sessionUpdate === 'agent_message_chunk' || update.sessionUpdate === 'agent_thought_chunk') {
        const type = update.sessionUpdate === 'agent_message_chunk' ? 'said' : 'thought'
        hear(type, update.messageId ?? null, update.content.text ?? `[${update.content.type}]`)
        return
      }
      finishSpeech()
      if (update.sessionUpdate !== 'plan') return seeCall(update)
      const entries = update.entries.slice(0, mostEntries)
      tell({
        type: 'plan',
        entries: entries.map(({ content, status }) => ({
          text: plainLine(content, titleChars),
          status: plainLine(status, titleChars),
        })),
      })
    },
    end() {
      finishSpeech()
      for (const id of messages) earlier.add(id)
      return last
    },
  }
}

/** The id of the message that an update is a piece of, if the update names one. */
export function messageOf(update: SeenUpdate): string | null {
  return 'messageId' in update && typeof update.messageId === 'string' ? update.messageId : null
}
