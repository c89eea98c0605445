import type { Command } from '../../domain/command.ts'
import type { LandingRefusal, LandingResult, LandingWay } from '../../domain/landing/landing.ts'

export type LandingStep =
  /** The merge needs a verification; `command` starts one, and is null if one already runs. */
  | {
      readonly event: 'verifying'
      readonly way: LandingWay
      readonly verification: string
      readonly command: Extract<Command, { kind: 'start' }> | null
    }
  | { readonly event: 'moving'; readonly way: LandingWay }
  | { readonly event: 'landed'; readonly result: LandingResult }
  | { readonly event: 'refused'; readonly refusal: LandingRefusal }
  /** The verification of the merge is still running. */
  | { readonly event: 'waits' }
