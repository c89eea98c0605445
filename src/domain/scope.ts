/** The Runs that a process was asked to work on; `all` is every one that nobody has paused. */
export type Asked = 'all' | readonly string[]

/** The Runs that a process may work on. It never takes a step of any other Run. */
export interface Scope {
  has(run: string): boolean
  /** Whether a step is taken; what people are told waits for nobody. */
  takes(step: { readonly kind: string; readonly run: string }): boolean
  /**
   * Takes Runs in that others ask for. False when that changes nothing: they are in it, or it is
   * for its own Runs only.
   */
  add(asked: Asked): boolean
  asked(): Asked
}

/** Creates a scope. With `only` it never grows, as for a command that calls no model. */
export function createScope(first: Asked, { only }: { readonly only: boolean }): Scope {
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

export function union(one: Asked, other: Asked): Asked {
  return one === 'all' || other === 'all' ? 'all' : [...new Set([...one, ...other])]
}
