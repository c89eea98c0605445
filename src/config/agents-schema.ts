import { z } from 'zod'
import { knownAgentNames } from '../domain/agents/known-agents.ts'
import { argument, program } from './program-schema.ts'

/** `agents` of the user's file: foreign programs that can be the editor, as `agent:<name>`. */

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of an environment variable' })

const agentName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, { error: 'may hold only letters, digits, ".", "_" and "-"' })

const agent = z.strictObject({
  command: z
    .tuple([program], argument)
    .exactOptional()
    .describe('The command that speaks ACP on its standard input and output.'),
  read_only_paths: z
    .array(z.string().regex(/^(\/|~\/)/, { error: 'must be absolute or start with "~/"' }))
    .default([])
    .describe('What it needs beside its own program: shown to it, read-only.'),
  env: z.record(variable, argument).default({}).describe('Variables of its environment. The agent can read them.'),
  provider: z
    .string()
    .min(1)
    .exactOptional()
    .describe('Whose models it uses: anthropic, openai, google, or an entry of `providers`.'),
  model: z.string().min(1).exactOptional().describe('The model, as the provider calls it.'),
  credentials: z
    .array(
      z
        .string()
        .regex(/^~\/./, { error: 'must start with "~/"' })
        .refine((path) => !path.split('/').includes('..'), { error: 'must not hold ".."' }),
    )
    .default([])
    .describe(
      'Files of your home with its login, shown to it at the same place of its own home. The agent can read them.',
    ),
})

export type AgentEntry = z.output<typeof agent>

/** An entry with the name of a known agent changes only the fields that it contains. */
export const agentsSchema = z.record(agentName, agent).superRefine((agents, context) => {
  for (const [name, { command }] of Object.entries(agents)) {
    if (command !== undefined || knownAgentNames.includes(name)) continue
    context.addIssue({ code: 'custom', path: [name, 'command'], message: 'is missing' })
  }
})
