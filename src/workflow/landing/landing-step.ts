import type { Command } from '../../domain/command.ts'
import type { LandingRefusal, LandingResult, LandingWay } from '../../domain/landing/landing.ts'

/** What becomes of a landing next. */
export type LandingStep =
  /** Its merge needs a verification; `command` starts one, null where one is under way already. */
  | {
      readonly event: 'verifying'
      readonly way: LandingWay
      readonly verification: string
      readonly command: Extract<Command, { kind: 'start' }> | null
    }
  | { readonly event: 'moving'; readonly way: LandingWay }
  | { readonly event: 'landed'; readonly result: LandingResult }
  | { readonly event: 'refused'; readonly refusal: LandingRefusal }
  /** The verification goes on. */
  | { readonly event: 'waits' }
