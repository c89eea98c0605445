import type { WireCall } from '../wire/turn.ts'

/** An action that the model of these tests requests. */
export type Action =
  | { readonly run: string }
  | { readonly tool: string; readonly input: object }
  | { readonly say: string }

/** The tools that a request offers, by the agent's names, and their groups. */
export interface OfferedTool {
  readonly name: string
  readonly namespace?: string
}

// biome-ignore lint/suspicious/noExplicitAny: the body of any provider's request.
type Body = any

export function offeredIn(body: Body): readonly OfferedTool[] {
  return (body.tools ?? []).flatMap((tool: Body): OfferedTool[] => {
    if (tool.functionDeclarations) return tool.functionDeclarations.map(({ name }: Body) => ({ name }))
    if (tool.type === 'namespace') return tool.tools.map(({ name }: Body) => ({ name, namespace: tool.name }))
    const name = tool.function?.name ?? tool.name
    return name === undefined ? [] : [{ name }]
  })
}

/** Each agent's tool that runs a command, with its arguments. */
const shells: Readonly<Record<string, (command: string) => object>> = {
  bash: (command) => ({ command, description: 'Does it' }),
  Bash: (command) => ({ command, description: 'Does it' }),
  run_shell_command: (command) => ({ command, description: 'Does it', is_background: false }),
  exec_command: (cmd) => ({ cmd, yield_time_ms: 30_000 }),
  run_commands: (command) => ({ commands: [command] }),
}

/** True for the agent's own conversation; false for its requests for a title or a summary. */
export function isConversation(body: Body): boolean {
  return offeredIn(body).some(({ name }) => Object.hasOwn(shells, name))
}

/** The call that does the action with the offered tools; null if none of them can. */
export function callOf(action: Exclude<Action, { say: string }>, body: Body): WireCall | null {
  const offered = offeredIn(body)
  if ('run' in action) {
    const shell = offered.find(({ name }) => Object.hasOwn(shells, name))
    const input = shell && shells[shell.name]?.(action.run)
    return shell && input ? { tool: shell.name, input: input as WireCall['input'] } : null
  }
  const found = offered.find(({ name }) => name === action.tool || name.endsWith(`_${action.tool}`))
  if (found === undefined) return null
  const { name: tool, ...group } = found
  return { tool, ...group, input: action.input as WireCall['input'] }
}
