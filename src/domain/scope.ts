/**
 * The Runs that a process was asked to work on; `all` means every Run that is not paused by hand.
 */
export type RunScope = 'all' | readonly string[]

/** The Runs that a process may work on. A process never takes a step of any other Run. */
export interface Scope {
  has(run: string): boolean
  /** True if the process may take the step. Notifications to people are always taken. */
  takes(step: { readonly kind: string; readonly run: string }): boolean
  /**
   * Adds Runs that others ask for. False if that changes nothing: they are in the scope already, or
   * it is fixed.
   */
  add(asked: RunScope): boolean
  asked(): RunScope
}

/** Creates a scope. With `only` the scope never grows, as for a command that calls no model. */
export function createScope(first: RunScope, { only }: { readonly only: boolean }): Scope {
  let asked = first
  const has = (run: string) => asked === 'all' || asked.includes(run)
  return {
    has,
    takes: ({ kind, run }) => kind === 'notification' || has(run),
    add(more) {
      if (only || asked === 'all' || (more !== 'all' && more.every(has))) return false
      asked = union(asked, more)
      return true
    },
    asked: () => asked,
  }
}

export function union(one: RunScope, other: RunScope): RunScope {
  return one === 'all' || other === 'all' ? 'all' : [...new Set([...one, ...other])]
}
