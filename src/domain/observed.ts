/**
 * The author of a tool call that only a foreign agent itself reports; stored in place of a role.
 */
export function observedBy(name: string): string {
  return `agent:${name}`
}

/** True if a tool call is known only from a foreign agent's own report. */
export function isObserved({ agent }: { readonly agent: string }): boolean {
  return agent.startsWith('agent:')
}
