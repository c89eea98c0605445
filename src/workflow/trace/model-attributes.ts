import { basename } from 'node:path'
import { parseModelName } from '../../domain/model-name.ts'

/** Providers that have another name in the conventions than in Drydock. */
const otherNames: Readonly<Record<string, string>> = { google: 'gcp.gemini' }

/** Attributes of the model by the conventions. The folder of a recording is never included. */
export function modelAttributes(model: string) {
  const { provider = '_OTHER', model: name = model } = parseModelName(model) ?? {}
  return {
    'gen_ai.provider.name': otherNames[provider] ?? provider,
    'gen_ai.request.model': provider === 'replay' ? basename(name) : name,
  }
}
