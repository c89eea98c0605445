import { basename } from 'node:path'
import { parseModelName } from '../../domain/model-name.ts'

/** Providers that the conventions call otherwise than Drydock does. */
const otherNames: Readonly<Record<string, string>> = { google: 'gcp.gemini' }

/** The model as the conventions name it. Of a recording, no folder of this machine is told. */
export function modelAttributes(model: string) {
  const { provider = '_OTHER', model: name = model } = parseModelName(model) ?? {}
  return {
    'gen_ai.provider.name': otherNames[provider] ?? provider,
    'gen_ai.request.model': provider === 'replay' ? basename(name) : name,
  }
}
