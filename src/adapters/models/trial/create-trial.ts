import type { Usage } from '../../../domain/lane/message.ts'
import { limits } from '../../../domain/limits.ts'
import { estimateTokens } from '../../../ports/estimate-tokens.ts'
import type { Model, ModelError, ModelReply, ModelRequest, ModelTrial, Trial } from '../../../ports/model.ts'
import type { Endpoint } from '../endpoint.ts'
import type { KeptTrials } from './kept-trials.ts'
import { serverFacts } from './server-facts.ts'
import { toolRemedy } from './tool-remedy.ts'

interface Trying {
  readonly model: Pick<Model, 'id' | 'reply'>
  readonly endpoint: Endpoint
  readonly kept: KeptTrials
  readonly clock: { now(): Date }
}

type For = Parameters<ModelTrial['run']>[0]

/** The only tool of a trial. */
const trialTool = 'ready'

const system = 'This is a test of tool calls.'
const prompt = `Call the tool \`${trialTool}\` now, with "ok" set to true. Write no other text.`
const input = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }
const tools = [{ name: trialTool, description: 'Says that you can call tools.', inputSchema: input }]

export function createTrial({ model, endpoint, kept, clock }: Trying): ModelTrial {
  async function attempt(request: For, signal: AbortSignal): Promise<Trial> {
    const ask = (more: Pick<ModelRequest, 'mustCall'>) => model.reply({ ...requestOf(request), ...more }, signal)
    const [first, facts] = await Promise.all([ask({}), serverFacts(endpoint)])
    const paid = usageOf(first)
    const found = { at: clock.now().toISOString(), window: facts.window, endsStream: true }
    const finish = async (result: Omit<Extract<Trial, { type: 'tried' }>, 'type'>): Promise<Trial> => {
      await kept.keep(endpoint, result.found)
      return { type: 'tried', ...result }
    }
    if (first.stop === 'error') {
      const { error } = first
      if (error.kind === 'no_tools') return noTools({ ...error, todo: toolRemedy(endpoint, facts.server) }, paid)
      if (isOfProvider(error)) return { type: 'unanswered', error, usage: paid }
      const endsStream = error.came === undefined
      return finish({ found: { ...found, calls: 'unknown', reportsUsage: null, endsStream }, usage: paid })
    }
    const reportsUsage = first.usage !== null
    if (first.stop === 'calls') return finish({ found: { ...found, calls: 'yes', reportsUsage }, usage: paid })
    // A reply that was cut or withheld says nothing about calls.
    if (first.stop !== 'end') return finish({ found: { ...found, calls: 'unknown', reportsUsage }, usage: paid })
    const second = await ask({ mustCall: true })
    const usage = sum(paid, usageOf(second))
    if (second.stop === 'calls') return finish({ found: { ...found, calls: 'forced', reportsUsage }, usage })
    if (second.stop === 'error' && second.error.kind !== 'no_tools') {
      if (isOfProvider(second.error)) return { type: 'unanswered', error: second.error, usage }
      return finish({ found: { ...found, calls: 'unknown', reportsUsage }, usage })
    }
    const message = `${model.id} called no tool in two tries, the second of which required a call.`
    const todo = toolRemedy(endpoint, facts.server)
    return noTools({ kind: 'no_tools', message, retryable: false, retryAfterMs: null, todo }, usage)
  }

  return {
    known: () => kept.of(endpoint),
    async run(request, signal) {
      for (;;) {
        const known = await kept.of(endpoint)
        if (known !== null) return { type: 'known', found: known }
        const { found, isOwn } = kept.once(endpoint, () => attempt(request, signal))
        if (isOwn) return found
        const others = await found.catch(() => null)
        signal.throwIfAborted()
        // The other caller was aborted, or its provider did not answer, so this caller sends its
        // own request.
        if (others?.type === 'no_tools') return { ...others, usage: null }
      }
    },
  }
}

function noTools(error: ModelError, usage: Usage | null): Trial {
  return { type: 'no_tools', error, usage }
}

function requestOf(request: For): ModelRequest {
  const messages = [{ role: 'user', text: prompt }] as const
  return { ...request, system, messages, tools, maxOutputTokens: limits.trial.replyTokens, facts: {} }
}

/** True if any other call would fail in the same way. */
function isOfProvider({ kind, came, unreachable }: ModelError): boolean {
  if (came !== undefined) return false
  return unreachable === true || !['bad_request', 'context_overflow', 'prompt_truncated'].includes(kind)
}

/** The reply's usage, or an upper bound if it was not counted. Null if nothing was paid. */
function usageOf(reply: ModelReply): Usage | null {
  if (reply.usage !== null) return reply.usage
  if (reply.stop === 'error' && (reply.error.free || reply.error.kind === 'suspended')) return null
  const asked = estimateTokens(system + prompt + JSON.stringify(tools))
  return { input: asked, output: limits.trial.replyTokens, cacheRead: 0, cacheWrite: 0 }
}

function sum(one: Usage | null, other: Usage | null): Usage | null {
  if (one === null || other === null) return one ?? other
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
  }
}
