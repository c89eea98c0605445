import type { WireCall } from '../wire/turn.ts'

/** What the model of these tests can want to be done. */
export type Action =
  | { readonly run: string }
  | { readonly tool: string; readonly input: object }
  | { readonly say: string }

/** The tools that a request offers, as the agent names them, and the groups that they are in. */
export interface Offered {
  readonly name: string
  readonly namespace?: string
}

// biome-ignore lint/suspicious/noExplicitAny: the body of any provider's request.
type Body = any

export function offeredIn(body: Body): readonly Offered[] {
  return (body.tools ?? []).flatMap((tool: Body): Offered[] => {
    if (tool.functionDeclarations) return tool.functionDeclarations.map(({ name }: Body) => ({ name }))
    if (tool.type === 'namespace') return tool.tools.map(({ name }: Body) => ({ name, namespace: tool.name }))
    const name = tool.function?.name ?? tool.name
    return name === undefined ? [] : [{ name }]
  })
}

/** The tool of each agent that runs a command, with what it wants to be told. */
const shells: Readonly<Record<string, (command: string) => object>> = {
  bash: (command) => ({ command, description: 'Does it' }),
  Bash: (command) => ({ command, description: 'Does it' }),
  run_shell_command: (command) => ({ command, description: 'Does it', is_background: false }),
  exec_command: (cmd) => ({ cmd, yield_time_ms: 30_000 }),
  run_commands: (command) => ({ commands: [command] }),
}

/** Whether this is the agent's own conversation, and not a title or a summary that it asks for. */
export function isConversation(body: Body): boolean {
  return offeredIn(body).some(({ name }) => Object.hasOwn(shells, name))
}

/** The call that does it with the tools that are offered; null when none of them can. */
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
