import type { Part } from '../brackets.ts'

/** The place of a probe, and its form there. */
export type ProbePlace =
  | { readonly form: 'statement' | 'declaration' | 'value' | 'inline'; readonly at: number }
  /** A probe around an expression: a condition, or one arm of a match. */
  | { readonly form: 'condition' | 'arm'; readonly at: number; readonly until: number }
  | { readonly form: 'line'; readonly at: number; readonly indent: string }

/** Code that runs only where something calls it or a condition chooses it: a body or a branch. */
export interface CodeBlock extends Part {
  /** The start of the header; `start` and `end` are those of the body. */
  readonly from: number
  readonly isFunction: boolean
  /** A function without a name, handed to another one. */
  readonly isCallback?: boolean
  /** Null where no probe can stand. */
  readonly probe: ProbePlace | null
}

export interface CodeBlocks {
  /** Outer blocks come before the blocks inside them. */
  readonly blocks: readonly CodeBlock[]
  /**
   * The place for code outside of all functions; null in languages that run none when a file is
   * loaded.
   */
  readonly module: ProbePlace | null
}
