import { z } from 'zod'

const problem = z.object({ code: z.string(), message: z.string(), todo: z.string() }).nullable()

/** A model that a Run can be started with; `models` of a start uses its name. */
const modelSchema = z.object({
  name: z.string(),
  provider: z.string(),
  /** The result of its trial in words; null if it was not tried in the last day. */
  found: z.string().nullable(),
})

/** A provider, or a server of models on this machine. */
const providerSchema = z.object({
  name: z.string(),
  found: z.string(),
  /** The reason why none of its models can be used. */
  problem,
  /** True if it answers but does not list its models, so that one must be typed. */
  unlisted: z.boolean(),
})

const agentSchema = z.object({
  /** The name for `models.editor` of a start, such as `agent:codex`. */
  name: z.string(),
  title: z.string(),
  problem,
  /** False for an agent that can only do tasks. */
  crew: z.boolean(),
})

export type ChoosableAgent = z.infer<typeof agentSchema>

/** GET /api/choices: the models, agents and branches that work can be started with. */
export const choicesSchema = z.object({
  /** The default branch to start from; null for a detached HEAD. */
  start: z.string().nullable(),
  /** The file with the steps of the gate, and their names; null if no work can start. */
  gate: z.object({ source: z.string(), steps: z.array(z.string()) }).nullable(),
  gate_problem: problem,
  /** The branches of the repository, with Drydock's own last. */
  branches: z.array(z.string()),
  /** The default models of architect, editor and scout, without duplicates; null for none. */
  configured: z.array(z.string()).nullable(),
  /** The reason why no model is configured, or why it cannot be used. */
  configured_problem: problem,
  models: z.array(modelSchema),
  providers: z.array(providerSchema),
  agents: z.array(agentSchema),
})

export type Choices = z.infer<typeof choicesSchema>
