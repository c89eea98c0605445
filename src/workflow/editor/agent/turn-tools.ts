import { checkCall } from '../../../agents/answer-call.ts'
import { withoutKey } from '../../../agents/prompts/guidance.ts'
import { startedRow } from '../../../agents/started-row.ts'
import { type HandedOver, handedOver } from '../../../agents/tools/handed-over.ts'
import { hasTool, offerOf } from '../../../agents/tools/offer-of.ts'
import { toolSpecsOf } from '../../../agents/tools/registry.ts'
import { refuse, type Tool, type ToolOutcome } from '../../../agents/tools/tool.ts'
import type { Json } from '../../../domain/json.ts'
import type { Lane } from '../../../domain/lane/lane.ts'
import type { ToolCall } from '../../../domain/lane/message.ts'
import { limits } from '../../../domain/limits.ts'
import type { Run } from '../../../domain/run/run.ts'
import { isHypothesisDue } from '../../../domain/story/hypothesis-due.ts'
import { capText } from '../../../domain/text.ts'
import type { ToolExecution } from '../../../ports/rows.ts'
import type { Transaction } from '../../../ports/store.ts'
import { post, readMessages } from '../../chat/post-message.ts'
import type { WorkflowDependencies } from '../../dependencies.ts'
import { skillBody } from '../../guide/skill-body.ts'
import { requireStory } from '../../machines.ts'
import type { StepDependencies } from '../../step-dependencies.ts'
import { hypothesisMissing } from '../hypothesis-missing.ts'
import { acceptedText } from '../prompts/foreign-editor.ts'

/** Index of the call that ends a turn; observed calls have higher ones. */
export const acceptedIndex = 0

export interface TurnTools {
  readonly lane: Lane
  readonly run: Run
  /** Stores records of the lane, unless another process has taken the lane. */
  readonly transact: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>
  /** Called once, after a call that ends the turn is stored. */
  readonly onAccepted: (call: ToolCall) => void
  /** Called when the turn exceeds its number of calls; further ones get no answer. */
  readonly onTooMany: () => void
}

/** Serves Drydock's own tools to a foreign agent during one turn. */
export function createTurnTools(
  deps: StepDependencies & Pick<WorkflowDependencies, 'redact' | 'guides'>,
  turn: TurnTools,
) {
  const { lane, run, transact, onAccepted, onTooMany } = turn
  let accepted: Promise<ToolCall> | null = null
  let isOver = false
  let calls = 0
  let demands = 0

  async function answer(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome> {
    // Treats the call as the only one of a model's reply.
    const asked = { ...lane, data: { ...lane.data, turn: lane.data.turn + 1, calls: [call] } }
    const checked = checkCall({ lane: asked, call })
    if ('outcome' in checked) return checked.outcome
    const { tool, input } = checked
    if (tool.kind !== 'read' && tool.kind !== 'wait' && tool.kind !== 'terminal')
      throw new Error(`${tool.name} is not for a foreign agent`)
    if (tool.kind === 'read') return tool.run(input, readContext(deps, { lane, run }, signal))
    const over = handedOver(tool, input)
    if (over.tool === 'post_message') return transact((tx) => post(tx, lane, over.input))
    const refused = await refusedAtOnce(over)
    if (refused !== null) return refuse(refused)
    if (isOver) return refuse('Your turn is over.')
    if (accepted !== null) {
      const { tool: before } = await accepted
      return refuse(`${before} was accepted before. End your turn now. Its answer comes as your next message.`)
    }
    accepted = accept(startedRow({ lane: asked, index: acceptedIndex, call }, deps.clock.now()), call)
    const failed = await accepted.then(() => null).catch((error: unknown) => ({ error }))
    if (failed !== null) {
      accepted = null
      throw failed.error
    }
    return { ok: true, output: acceptedText(tool.name) }
  }

  /** The refusal that the workflow would otherwise give one turn later. */
  async function refusedAtOnce(over: HandedOver): Promise<string | null> {
    const handedIn = over.tool === 'submit_plan' ? 'plan' : over.tool === 'submit_change' ? 'change' : null
    if (handedIn === null || 'hypothesis' in over.input || demands >= limits.terminalRefusals) return null
    const story = await requireStory(deps.store, lane)
    if (!isHypothesisDue(handedIn, story.data)) return null
    demands += 1
    return hypothesisMissing(handedIn)
  }

  /** From here on the call counts, even if the agent or this process dies. */
  async function accept(row: ToolExecution, call: ToolCall): Promise<ToolCall> {
    await transact((tx) => tx.startTool(row))
    onAccepted(call)
    return call
  }

  return {
    /** Rejects further calls that would end the turn; one that is being stored still counts. */
    async end(): Promise<void> {
      isOver = true
      await accepted?.catch(() => undefined)
    },
    tools: toolSpecsOf(lane.data.role, offerOf(lane.data)),
    async call(tool: string, input: unknown, signal: AbortSignal): Promise<ToolOutcome> {
      calls += 1
      if (calls > limits.agentTurn.toolCalls) {
        onTooMany()
        return { ok: false, output: 'Your turn has had too many calls.' }
      }
      const call = { id: callIdOf(lane), tool, input: input as Json }
      const { ok, output } = await answer(call, signal)
      const shown = withoutKey(deps.redact(output), lane.data.humanKey)
      return { ok, output: capText(shown, limits.toolResultChars) }
    },
  }
}

function callIdOf({ data: { turn } }: Lane): string {
  return `turn_${turn}`
}

/** Restores the call that ended a turn whose process died before the commit. */
export function storedCall({ callId, tool, arguments: input }: ToolExecution): ToolCall {
  return { id: callId, tool, input }
}

type ReadContext = Parameters<Extract<Tool, { kind: 'read' }>['run']>[1]

/** The agent reads the workspace with its own tools, so these tools read only stored records. */
function readContext(
  deps: Pick<WorkflowDependencies, 'store' | 'guides'>,
  { lane, run }: Pick<TurnTools, 'lane' | 'run'>,
  signal: AbortSignal,
): ReadContext {
  const none = () => Promise.resolve(refuse('Use your own tools for that.'))
  const has = hasTool(lane.data)
  return {
    signal,
    has,
    files: async () => ({ ok: false, outcome: await none() }),
    diff: none,
    artifact: none,
    output: none,
    skill: (name) => skillBody(deps, run, { name, has }),
    messages: () => readMessages(deps.store, lane),
  }
}
