import type fc from 'fast-check'

/**
 * Something that reads what others wrote. Inputs are plain JSON, so that one that fails can be
 * kept.
 */
export interface FuzzTarget<Input> {
  /** Also the folder of its corpus. */
  readonly name: string
  /** Cases in one input; 1 without it. */
  readonly casesPerInput?: number
  readonly open: () => Promise<OpenTarget<Input>>
}

export interface OpenTarget<Input> {
  readonly inputs: fc.Arbitrary<Input>
  /** Throws where a property does not hold. */
  readonly check: (input: Input) => void | Promise<void>
  readonly close?: () => Promise<void>
}
