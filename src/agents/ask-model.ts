import type { Lane } from '../domain/lane/lane.ts'
import { estimateTokens } from '../ports/estimate-tokens.ts'
import type { ModelReply, ModelRequest } from '../ports/model.ts'
import type { ModelCall } from '../ports/rows.ts'
import { windowOf } from './due-cut.ts'
import type { LaneDependencies } from './lane.ts'
import { offerOf } from './tools/offer-of.ts'
import { toolSpecsOf } from './tools/registry.ts'

interface ModelTurn {
  readonly reply: ModelReply
  /** The call as it is stored. */
  readonly modelCall: ModelCall
}

type Asking = Pick<LaneDependencies, 'model' | 'clock' | 'facts' | 'live' | 'conversation' | 'contextWindow'>

/** One request to a lane's model, with the lane's prompt and the tools of its role. */
export async function askModel(
  lane: Lane,
  { model, clock, facts, live, conversation, contextWindow }: Asking,
  said: Pick<ModelRequest, 'messages' | 'maxOutputTokens'>,
  signal: AbortSignal,
): Promise<ModelTurn> {
  const { key, turn, system, role } = lane.data
  const startedAt = clock.now()
  const context = { tokens: conversation.tokens, window: windowOf(lane.data, contextWindow) }
  const { hear, end } = live.asks(lane, { model: model.id, context })
  const tools = toolSpecsOf(role, offerOf(lane.data))
  const reply = await model
    .reply({ run: lane.run, lane: key, turn, system, tools, facts, ...said }, signal, hear)
    .finally(end)
  signal.throwIfAborted()
  const modelCall = {
    lane: lane.id,
    turn,
    run: lane.run,
    story: lane.story,
    agent: role,
    model: model.id,
    stop: reply.stop,
    error: reply.stop === 'error' ? `${reply.error.kind}: ${reply.error.message}` : null,
    ...(reply.usage === null ? estimated(reply, { model, input: conversation.tokens }) : { usage: reply.usage }),
    costMicroUsd: null,
    startedAt: startedAt.toISOString(),
    durationMs: clock.now().getTime() - startedAt.getTime(),
  }
  return { reply, modelCall }
}

/** An estimated usage for a provider that counts nothing. A recording costs nothing. */
function estimated(
  reply: ModelReply,
  { model, input }: { readonly model: Asking['model']; readonly input: number },
): Pick<ModelCall, 'usage' | 'isEstimated'> {
  if (reply.stop === 'error' || model.script !== undefined) return { usage: null }
  const { text, calls, raw } = reply
  const output = estimateTokens(JSON.stringify(raw?.content ?? [text, calls]))
  return { usage: { input, output, cacheRead: 0, cacheWrite: 0 }, isEstimated: true }
}
