import { z } from 'zod'

const problem = z.object({ code: z.string(), message: z.string(), todo: z.string() }).nullable()

/** A model that a Run can be started with, as `models` of a start names it. */
const modelSchema = z.object({
  name: z.string(),
  provider: z.string(),
  /** Result of its trial in words; null if it was not tried in the last day. */
  found: z.string().nullable(),
})

/** A provider, or a server of models on this machine. */
const providerSchema = z.object({
  name: z.string(),
  found: z.string(),
  /** Why none of its models can be used. */
  problem,
  /** It answers, but does not list its models: one of them is named by hand. */
  unlisted: z.boolean(),
})

const agentSchema = z.object({
  /** As `models.editor` of a start names it: `agent:codex`. */
  name: z.string(),
  title: z.string(),
  problem,
  /** False for one that only does tasks. */
  crew: z.boolean(),
})

export type ChoosableAgent = z.infer<typeof agentSchema>

/** GET /api/choices: everything that work can be started with here. */
export const choicesSchema = z.object({
  /** The branch that work starts from if none is chosen; null for a commit without one. */
  start: z.string().nullable(),
  /** The file with the steps of the gate, and their names; null if no work can start. */
  gate: z.object({ source: z.string(), steps: z.array(z.string()) }).nullable(),
  gate_problem: problem,
  /** The branches of the repository, those that Drydock has made last. */
  branches: z.array(z.string()),
  /** Models of architect, editor and scout if none is chosen, each once; null for none. */
  configured: z.array(z.string()).nullable(),
  /** Why there is no configured model, or why it cannot be used. */
  configured_problem: problem,
  models: z.array(modelSchema),
  providers: z.array(providerSchema),
  agents: z.array(agentSchema),
})

export type Choices = z.infer<typeof choicesSchema>
