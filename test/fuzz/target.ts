import type fc from 'fast-check'

/** A reader of foreign input. Inputs are plain JSON, so that a failing one can be stored. */
export interface FuzzTarget<Input> {
  /** The name of the target, and of the folder of its corpus. */
  readonly name: string
  /** Cases in one input; 1 by default. */
  readonly casesPerInput?: number
  readonly open: () => Promise<OpenTarget<Input>>
}

export interface OpenTarget<Input> {
  readonly inputs: fc.Arbitrary<Input>
  /** Throws if a property does not hold. */
  readonly check: (input: Input) => void | Promise<void>
  readonly close?: () => Promise<void>
}
