import type { Speech } from '../../api/views/log.ts'
import type { Event, EventOfType } from '../../domain/event.ts'
import type { Json } from '../../domain/json.ts'
import type { Message } from '../../domain/lane/message.ts'
import { limits } from '../../domain/limits.ts'
import { capText } from '../../domain/text.ts'
import type { ToolExecution } from '../../ports/rows.ts'
import type { Records } from '../../ports/store.ts'
import { callLine, handedIn, inOneLine, toolLine } from '../text/tool-line.ts'

/**
 * Describes the words and actions of agents, event by event. Null for an event that no agent
 * caused, or whose rows are missing.
 */
export interface Transcript {
  of(event: Event): Promise<Speech | null>
  /** Goes past an event that has been told already. */
  skip(event: Event): void
}

export function createTranscript(records: Records): Transcript {
  const lanes = new Map<string, LaneSoFar>()

  async function messageOf({ run, data }: EventOfType<'model_call'>): Promise<Speech | null> {
    const lane = soFar(lanes, `${run}/${data.lane}`)
    const next = () => lane.messages.findIndex((message, i) => i >= lane.told && message.role === 'assistant')
    const pass = () => {
      for (; lane.skipped > 0 && next() >= 0; lane.skipped -= 1) lane.told = next() + 1
    }
    // More messages may have been stored since the last read.
    if (next() < 0) lane.messages = await records.messages(lane.id)
    pass()
    const index = lane.told
    const at = next()
    const message = lane.messages[at]
    if (message?.role !== 'assistant') return null
    lane.told = at + 1
    const before = lane.messages.slice(index, at).filter((each) => each.role === 'user')
    const words = message.text.trim() === '' ? [] : [message.text]
    const asked = message.calls.filter(({ tool }) => isAnsweredLater(tool))
    return {
      lines: [
        ...words.map((text) => ({ text: `${agentOf(data.lane)}: ${inOneLine(text)}`, notes: [] })),
        ...asked.map(({ tool, input }) => ({ text: inOneLine(callLine(tool, input)), notes: handedIn(tool, input) })),
      ],
      whole: [
        ...before.map(({ text }) => part(`to ${data.lane}`, text)),
        ...words.map((text) => part(data.lane, text)),
        ...asked.map(({ tool, input }) => part(tool, asText(input))),
      ],
    }
  }

  async function callOf({ run, data }: EventOfType<'tool'>): Promise<Speech | null> {
    const lane = soFar(lanes, `${run}/${data.lane}`)
    const { turn } = data
    const index = callIndex(lane, data)
    pastCall(lane, data)
    const call = await records.toolExecution(lane.id, turn, index)
    if (call === null || call.tool !== data.tool) return null
    if (isAnsweredLater(call.tool) && (await isForeign(lane))) return handedInBy(call)
    const isTold = isAnsweredLater(call.tool) && call.success !== false
    return { lines: isTold ? [] : [{ text: inOneLine(toolLine(call)), notes: [] }], whole: partsOf(call) }
  }

  /**
   * True for a foreign agent. Its words and calls are shown from its own events, not from its
   * model's calls.
   */
  async function isForeign(lane: LaneSoFar): Promise<boolean> {
    if (lane.isForeign === undefined) {
      const machine = await records.machineOf('lane', lane.id)
      lane.isForeign = machine?.data.agent !== undefined
    }
    return lane.isForeign
  }

  return {
    skip({ run, type, data }) {
      if (type !== 'tool' && type !== 'model_call') return
      const lane = soFar(lanes, `${run}/${data.lane}`)
      if (type === 'tool') pastCall(lane, data)
      else if (data.error === null) lane.skipped += 1
    },
    async of(event) {
      if (event.type === 'tool') return callOf(event)
      if (event.type === 'agent_update') return saidBy(event)
      if (event.type !== 'model_call' || event.data.error !== null) return null
      const isOther = await isForeign(soFar(lanes, `${event.run}/${event.data.lane}`))
      return isOther ? null : messageOf(event)
    },
  }
}

function saidBy({ data: { lane, agent, kind, text } }: EventOfType<'agent_update'>): Speech {
  const line = kind === 'said' ? `${agent}: ${inOneLine(text)}` : `${agent} (${kind}): ${inOneLine(text)}`
  return { lines: [{ text: line, notes: [] }], whole: [part(`${lane} ${kind}`, text)] }
}

function handedInBy({ tool, arguments: given, ...call }: ToolExecution): Speech {
  const whole = [part(tool, asText(given)), ...partsOf({ ...call, tool, arguments: given })]
  return { lines: [{ text: inOneLine(callLine(tool, given)), notes: handedIn(tool, given) }], whole }
}

interface LaneSoFar {
  readonly id: string
  /** Absent until it has been looked up. */
  isForeign?: boolean
  messages: readonly Message[]
  /** The number of its messages that have been shown. */
  told: number
  /** The number of later replies that were told elsewhere. */
  skipped: number
  turn: number
  /** The number of the turn's calls that have been shown. */
  calls: number
}

function soFar(lanes: Map<string, LaneSoFar>, id: string): LaneSoFar {
  const lane = lanes.get(id) ?? { id, messages: [], told: 0, skipped: 0, turn: -1, calls: 0 }
  lanes.set(id, lane)
  return lane
}

type CallData = EventOfType<'tool'>['data']

/** The index of a call in its turn: only an observed one says it itself. */
function callIndex(lane: LaneSoFar, { turn, observed }: CallData): number {
  return observed ?? (lane.turn === turn ? lane.calls + 1 : 0)
}

function pastCall(lane: LaneSoFar, data: CallData): void {
  if (data.observed === undefined) Object.assign(lane, { turn: data.turn, calls: callIndex(lane, data) })
}

/**
 * True for a call that is shown when it is made: its answer comes from a scout, a human or the
 * verifier, and other lines show it.
 */
function isAnsweredLater(tool: string): boolean {
  return tool.startsWith('submit_') || tool.startsWith('ask_')
}

function agentOf(lane: string): string {
  return lane.split('/')[0] ?? lane
}

function part(name: string, text: string) {
  return { name, text: capText(text, limits.log.textChars) }
}

function asText(input: Json): string {
  return typeof input === 'string' ? input : JSON.stringify(input, null, 2)
}

function partsOf({ tool, arguments: given, result, success }: ToolExecution): Speech['whole'] {
  return [
    ...(isAnsweredLater(tool) ? [] : [part(tool, asText(given))]),
    ...(result === null ? [] : [part(success === false ? 'failed' : 'result', result)]),
  ]
}
