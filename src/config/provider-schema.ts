import { z } from 'zod'
import { efforts } from '../domain/model-name.ts'
import { agentProvider, isHosted, isLocal, ownKinds, replayProvider } from '../domain/providers.ts'

/** `providers` of the user's file: the addresses of models, and additions to each request. */

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of an environment variable' })

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, { error: 'is no name of a header' })
const headerText = z.string().regex(/^[\t\x20-\x7e]*$/, { error: 'must be printable ASCII on one line' })

const headers = z
  .record(
    headerName,
    z.union([headerText, z.strictObject({ env: variable })], { error: 'must be a text, or { "env": … }' }),
  )
  .describe('Headers of each request. { "env": "NAME" } takes the value from that environment variable.')

/** The fields that Drydock itself writes into each request. */
const conversation = [
  'model',
  'messages',
  'input',
  'contents',
  'system',
  'systemInstruction',
  'instructions',
  'tools',
  'stream',
]

const extraBody = z
  .record(z.string(), z.json())
  .superRefine((body, context) => {
    for (const key of conversation.filter((name) => Object.hasOwn(body, name))) {
      context.addIssue({ code: 'custom', path: [key], message: 'is written by Drydock' })
    }
  })
  .describe('Fields that are added to the body of each request.')

const settings = {
  headers: headers.exactOptional(),
  extra_body: extraBody.exactOptional(),
  effort: z.enum(efforts).exactOptional().describe('How much the model thinks, where its provider can be told.'),
  temperature: z.number().min(0).max(2).exactOptional(),
  max_output_tokens: z.int().min(256).max(1_000_000).exactOptional().describe('Longest reply, in tokens.'),
}

const common = {
  apiKeyEnv: variable.exactOptional(),
  ...settings,
  models: z
    .record(z.string().min(1), z.strictObject(settings))
    .exactOptional()
    .describe('The same for single models, by their name at the provider. These win.'),
}

const baseURL = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })

const provider = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.enum(ownKinds),
    baseURL: baseURL.exactOptional().describe('Left out only for a provider that Drydock knows.'),
    ...common,
  }),
  z.strictObject({
    kind: z.literal('ollama'),
    baseURL: baseURL.exactOptional().describe('Default: the server in OLLAMA_HOST.'),
    ...common,
    num_ctx: z.int().min(2_048).exactOptional().describe('Context size in tokens to request from Ollama.'),
  }),
])

const providerName = z
  .string()
  .regex(/^[A-Za-z0-9._-]+$/, { error: 'may hold only letters, digits, ".", "_" and "-"' })
  .refine((name) => name !== replayProvider && name !== agentProvider, { error: 'is the name of a built-in provider' })

/**
 * An entry with the name of a hosted provider adds settings to it, and cannot redirect anything.
 */
export const providersSchema = z.record(providerName, provider).superRefine((providers, context) => {
  const refuse = (path: readonly string[], message: string) =>
    context.addIssue({ code: 'custom', path: [...path], message })
  for (const [name, entry] of Object.entries(providers)) {
    if (isHosted(name)) {
      const redefined = entry.kind !== name || entry.baseURL !== undefined || entry.apiKeyEnv !== undefined
      if (redefined) {
        refuse(
          [name],
          `is the name of a built-in provider: its kind is "${name}", and it takes no baseURL and no apiKeyEnv`,
        )
      }
    } else if (entry.kind !== 'ollama' && entry.baseURL === undefined && !isLocal(name)) {
      refuse([name, 'baseURL'], 'is missing')
    }
  }
})
