import { dataSection } from '../../../agents/prompts/data-section.ts'
import { withoutWholeLog } from '../../../agents/prompts/verdict-message.ts'
import { offerOf } from '../../../agents/tools/offer-of.ts'
import type { Message } from '../../../domain/lane/message.ts'
import { limits } from '../../../domain/limits.ts'
import { capText } from '../../../domain/text.ts'
import { foreignEditor } from '../prompts/foreign-editor.ts'
import type { AgentLane } from './agent-turn.ts'

export interface Saying {
  readonly lane: AgentLane['lane']
  /** The lane's whole conversation, including the messages that are new to the agent. */
  readonly messages: readonly Message[]
  /** True if the session was loaded; false for a new one. */
  readonly isLoaded: boolean
  /** True if a turn was cut off, so that the session may know more than the lane has stored. */
  readonly isInterrupted: boolean
  readonly diff: string
}

/** The prompt of a turn: all messages that the session does not know. */
export function promptOf(saying: Saying): string {
  const { lane, isLoaded, isInterrupted } = saying
  const isFirst = lane.data.agent.told === 0 && !isInterrupted
  return isLoaded || isFirst ? nextPrompt(saying) : retoldPrompt(saying)
}

function nextPrompt({ lane, messages, isInterrupted }: Saying): string {
  const { told } = lane.data.agent
  const start = told === 0 ? [foreignEditor(lane.data.role, offerOf(lane.data))] : []
  return [...(isInterrupted ? [interrupted] : []), ...start, ...spoken(messages.slice(told))].join('\n\n')
}

const interrupted =
  'You were interrupted. Everything that you had started has ended. The files are as you left them. Look at them before you go on, and call again what got no answer. You may know already some of what follows.'

/**
 * The prompt of a session that replaces a lost one: the task, the later messages, and the change so
 * far.
 */
function retoldPrompt({ lane, messages, diff }: Saying): string {
  const [first, ...since] = messages
  const said = since.map(retold).filter(Boolean).join('\n\n')
  const state =
    diff === ''
      ? 'The files are as they were at the start.'
      : `The files hold the change so far. Keep it, change it or undo it:\n${dataSection('diff', diff)}`
  return [
    foreignEditor(lane.data.role, offerOf(lane.data)),
    ...(first ? spoken([first]) : []),
    'You have worked on this before, in a conversation that is lost. Go on where it ended.',
    ...(said === '' ? [] : [`What was said in it, the oldest first:\n${lastChars(said)}`]),
    state,
  ].join('\n\n')
}

/** Keeps the end, since the newest messages matter most. */
function lastChars(text: string): string {
  const most = limits.agentTurn.toldChars
  return text.length <= most ? text : `… earlier messages are left out …\n${text.slice(-most)}`
}

/** The messages to the agent, without its own. */
function spoken(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => {
    switch (message.role) {
      case 'user':
        return [message.text]
      case 'tool':
        return message.results.map(
          ({ tool, ok, output }) => `${tool} ${ok ? 'was answered' : 'was not accepted'}:\n${withoutWholeLog(output)}`,
        )
      case 'assistant':
        return []
      default:
        throw new Error(`unknown message ${message satisfies never}`)
    }
  })
}

function retold(message: Message): string {
  if (message.role !== 'assistant') return spoken([message]).join('\n\n')
  const calls = message.calls.map(({ tool, input }) => `You called ${tool}: ${capText(JSON.stringify(input), 4_000)}`)
  const words = message.text.trim() === '' ? [] : [`You said: ${capText(message.text, 2_000)}`]
  return [...words, ...calls].join('\n')
}
