/**
 * Who made a tool call that nobody but a foreign agent itself speaks of. It stands where the row of
 * any other call has its role.
 */
export function observedBy(name: string): string {
  return `agent:${name}`
}

/** Whether a tool call is only known by the words of a foreign agent. */
export function isObserved({ agent }: { readonly agent: string }): boolean {
  return agent.startsWith('agent:')
}
