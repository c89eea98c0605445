import { limits } from '../../domain/limits.ts'
import type { Endpoint } from './endpoint.ts'
import { ollamaWindow } from './ollama-context.ts'

/**
 * Tokens that a request and its reply may have together: what is asked for, what a public list says
 * of the model, or the limit for those that nobody knows.
 */
export async function contextWindow(endpoint: Endpoint): Promise<number> {
  const { kind, model } = endpoint
  if (kind === 'ollama') return ollamaWindow(endpoint)
  if (kind === 'openai-compatible') return limits.context.unknownTokens
  const { calcPrice } = await import('@pydantic/genai-prices')
  const listed = calcPrice({ input_tokens: 0, output_tokens: 0 }, model, { providerId: kind })
  return listed?.model.context_window ?? limits.context.unknownTokens
}
