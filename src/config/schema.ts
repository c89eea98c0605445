import { z } from 'zod'
import { misplacedAgent } from '../domain/agents/misplaced-agent.ts'
import { parseDuration } from '../domain/duration.ts'
import { limits } from '../domain/limits.ts'
import { noticeTypes } from '../domain/notification/notice.ts'
import { acceptanceUses } from '../domain/run/run-config.ts'
import { agentsSchema } from './agents-schema.ts'
import { commitSchema } from './commit-schema.ts'
import { dashboardSchema } from './dashboard-schema.ts'
import { forgesSchema } from './forge/forge-schema.ts'
import { hubsSchema } from './hub/hubs-schema.ts'
import { hubSchema } from './hub-schema.ts'
import { mcpSchema } from './mcp-schema.ts'
import { modelChoice, modelId, namesOf } from './model-choice.ts'
import { argument, program } from './program-schema.ts'
import { providersSchema } from './provider-schema.ts'
import { stateSchema } from './state-schema.ts'
import { telemetrySchema } from './telemetry-schema.ts'
import { verificationSchema } from './verification-schema.ts'

/**
 * The schemas of the two configuration files (docs/configuration.md). They are strict: an unknown
 * key is an error. `config.schema.json` and `user-config.schema.json` are generated from them.
 */

const count = (fallback: number) => z.int().min(1).max(10_000).default(fallback)
const seconds = (fallback: number) => z.int().min(1).max(86_400).default(fallback)
const text = z.string().trim().min(1)

const maxCoders = z.int().min(1).max(999)

const orchestrator = z.strictObject({
  max_coders: maxCoders
    .exactOptional()
    .describe('Stories to build at once. The user’s own file sets the most, 3 by default.'),
})

const slots = z
  .strictObject({
    per_user: maxCoders.exactOptional().describe('Slots that the runs of one user of a hub may hold at once.'),
    per_run: maxCoders.exactOptional().describe('Slots that one run may hold at once.'),
  })
  .describe('Bounds beside the fair shares. Without them, who is alone gets all slots.')

const budget = z.strictObject({
  run_usd: z.number().min(0).exactOptional(),
  story_usd: z.number().min(0).exactOptional(),
  run_tokens: z.int().min(0).exactOptional(),
  story_tokens: z.int().min(0).exactOptional(),
})

const perMillion = z.number().min(0).describe('Dollars per million tokens.')

const price = z.strictObject({
  input: perMillion,
  output: perMillion,
  cache_read: perMillion.exactOptional(),
  cache_write: perMillion.exactOptional(),
})

const architect = z
  .strictObject({
    scoping_soft_limit: count(limits.architectSoft),
    scoping_hard_limit: count(limits.architectHard),
    request_soft_limit: count(limits.architectSoft),
    request_hard_limit: count(limits.architectHard),
    tool_timeout_sec: seconds(limits.toolTimeoutSec),
  })
  .superRefine((value, context) => {
    for (const lane of ['scoping', 'request'] as const) {
      const [soft, hard] = [value[`${lane}_soft_limit`], value[`${lane}_hard_limit`]]
      if (soft < hard) continue
      // The message contains both values, since one of them may be a default that is in no file.
      const message = `is ${hard}, and must be over ${lane}_soft_limit, which is ${soft}`
      context.addIssue({ code: 'custom', path: [`${lane}_hard_limit`], message })
    }
  })

const editor = z.strictObject({
  planning_iterations: count(limits.planningIterations),
  coding_iterations: count(limits.codingIterations),
  turns_without_progress: count(limits.turnsWithoutProgress),
  review_rounds: count(limits.reviewRounds),
})

/** `.drydock/config.json` of a repository. */
export const repositorySchema = z.strictObject({
  $schema: z.string().exactOptional(),
  orchestrator: orchestrator.prefault({}),
  architect: architect.prefault({}),
  editor: editor.prefault({}),
  verification: verificationSchema.prefault({}),
  acceptance: z
    .enum(acceptanceUses)
    .default('crew')
    .describe('Whose stories get tests that no editor sees: those of specs (crew), of all (always), or none (off).'),
  acceptance_files: z
    .enum(['keep', 'add'])
    .default('keep')
    .describe('Whether these tests stay with Drydock (keep), or join the commit of their story as it is merged (add).'),
  budget: budget.prefault({}),
})

const models = z
  .strictObject({
    default: modelChoice.exactOptional(),
    architect: modelChoice.exactOptional(),
    editor: modelChoice.exactOptional().describe('Also an agent of another maker, as agent:<name>.'),
    scout: modelChoice.exactOptional(),
  })
  .superRefine((chosen, context) => {
    for (const role of ['default', 'architect', 'editor', 'scout'] as const) {
      const message = misplacedAgent(role, chosen[role] === undefined ? [] : namesOf(chosen[role]))
      if (message !== null) context.addIssue({ code: 'custom', path: [role], message })
    }
  })

/** The default depends on the model's location. */
const someSeconds = z.int().min(1).max(86_400).exactOptional()

const modelTimeouts = z.strictObject({
  first_byte_sec: someSeconds.describe('Longest time until the first byte of an answer.'),
  idle_sec: someSeconds.describe('Longest time between two parts of an answer.'),
  total_sec: someSeconds.describe('Longest time for a whole call.'),
})

const modelFallback = z.strictObject({
  after_sec: someSeconds.describe('Seconds that a model may not answer until the next of its list takes its place.'),
})

const sandbox = z
  .strictObject({
    backend: z.enum(['bubblewrap', 'docker', 'podman']).exactOptional().describe('Default: bubblewrap.'),
    image: text.exactOptional().describe('Image for the containers. It needs a shell, glibc and libstdc++.'),
    dockerfile: text
      .regex(/^(\/|~\/)/, { error: 'must be absolute or start with "~/"' })
      .exactOptional()
      .describe('Dockerfile to build if `image` is not given. No other file is in its build context.'),
    global_options: z
      .array(text)
      .default([])
      .describe('Options of docker or podman itself, before its command, such as --runtime.'),
    read_only_paths: z
      .array(z.string().regex(/^(\/|~\/)/, { error: 'must be absolute or start with "~/"' }))
      .default([]),
  })
  .refine(({ image, dockerfile }) => image === undefined || dockerfile === undefined, {
    path: ['dockerfile'],
    error: 'only one of image and dockerfile can be given',
  })

const webhook = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine((url) => !URL.canParse(url) || new URL(url).username + new URL(url).password === '', {
    error: 'must hold no user and no password',
  })

const notify = z.strictObject({
  webhook: webhook.exactOptional().describe('URL that gets the notifications as a POST with JSON.'),
  command: z
    .tuple([program], argument)
    .exactOptional()
    .describe(
      'A program with its arguments. Drydock starts it for the notifications, with the JSON on standard input.',
    ),
  on: z.array(z.enum(noticeTypes)).default(['escalation', 'assigned', 'paused']),
})

const receipts = z.strictObject({
  trusted_keys: z
    .array(z.string().regex(/^(\/|~\/)/, { error: 'must be absolute or start with "~/"' }))
    .default([])
    .describe('Files with public keys (PEM) of other installations. Their receipts are trusted.'),
})

const acp = z.strictObject({
  ignore_mcp_servers: z
    .array(text)
    .default([])
    .describe('Names of MCP servers that an editor may offer. Drydock does not start them.'),
})

const instructionsText = text.max(limits.roleGuideBytes).exactOptional()

const instructions = z
  .strictObject({ architect: instructionsText, editor: instructionsText, scout: instructionsText })
  .describe('Text for each role, added to the task in every run.')

/** `$XDG_CONFIG_HOME/drydock/config.json` of the user. */
export const userSchema = z.strictObject({
  $schema: z.string().exactOptional(),
  models: models.prefault({}),
  model_timeouts: modelTimeouts.prefault({}),
  model_fallback: modelFallback.prefault({}),
  providers: providersSchema.default({}),
  agents: agentsSchema.default({}),
  repositories: z
    .record(z.string().startsWith('/', { error: 'must be an absolute path' }), repositorySchema)
    .default({}),
  sandbox: sandbox.prefault({}),
  budget: budget.prefault({}),
  prices: z
    .record(modelId, price)
    .default({})
    .describe('Prices of models that are missing or different in the public list.'),
  context: z
    .record(modelId, z.int().min(4_096))
    .default({})
    .describe(
      'Context size of a model in tokens (request and reply together), if it is not known or should be smaller.',
    ),
  orchestrator: orchestrator.prefault({}),
  slots: slots.prefault({}),
  instructions: instructions.prefault({}),
  notify: notify.prefault({}),
  acp: acp.prefault({}),
  mcp: mcpSchema.default({}),
  commit: commitSchema.prefault({}),
  receipts: receipts.prefault({}),
  dashboard: dashboardSchema.prefault({}),
  forges: forgesSchema.default({}),
  hub: hubSchema.prefault({}),
  hubs: hubsSchema.default({}),
  telemetry: telemetrySchema.prefault({}),
  state: stateSchema.prefault({}),
  max_wait: text
    .refine((value) => parseDuration(value) !== null, { error: 'must be like 30s, 10m, 24h or 2d' })
    .exactOptional()
    .describe('How long a run waits for a provider whose error may pass.'),
  target: text.exactOptional(),
})

/**
 * Keys that only the user may set: a repository must not redirect endpoints, keys or the sandbox
 * (security.md).
 */
export const userOnlyKeys: readonly string[] = Object.keys(userSchema.shape).filter(
  (key) => !(key in repositorySchema.shape),
)

export type RepositoryConfig = z.output<typeof repositorySchema>
/** The form that is written to a file: keys with a default are optional. */
export type RepositoryConfigInput = z.input<typeof repositorySchema>
export type UserConfig = z.output<typeof userSchema>
