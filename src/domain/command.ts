import type { RunModels, RunRequest } from './run.ts'

/** What any process may ask of the owner; stored as rows, each applied exactly once. */
export type Command =
  | {
      readonly kind: 'start'
      readonly run: string
      readonly request: RunRequest
      readonly target: string | null
      readonly configFile: string | null
      readonly models: RunModels | null
    }
  | { readonly kind: 'cancel'; readonly run: string }
  | {
      readonly kind: 'retry'
      readonly run: string
      readonly guidance: string | null
      readonly models: RunModels | null
    }
  /** Without a run: all that stopped in ERROR. */
  | { readonly kind: 'resume'; readonly run: string | null; readonly models: RunModels | null }
