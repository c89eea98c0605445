import type { Part } from '../brackets.ts'

/** The place and form of a probe. */
export type ProbePlace =
  | { readonly form: 'statement' | 'declaration' | 'value' | 'inline'; readonly at: number }
  /** A probe around an expression: a condition, or one arm of a match. */
  | { readonly form: 'condition' | 'arm'; readonly at: number; readonly until: number }
  | { readonly form: 'line'; readonly at: number; readonly indent: string }

/** Code that runs only when called or when a condition selects it: a body or a branch. */
export interface CodeBlock extends Part {
  /** The start of the header; `start` and `end` belong to the body. */
  readonly from: number
  readonly isFunction: boolean
  /** True for an anonymous function that is passed to another one. */
  readonly isCallback?: boolean
  /** Null where no probe can stand. */
  readonly probe: ProbePlace | null
}

export interface CodeBlocks {
  /** Outer blocks precede the blocks inside them. */
  readonly blocks: readonly CodeBlock[]
  /** The place for code outside of all functions; null in languages that run none on load. */
  readonly module: ProbePlace | null
}
