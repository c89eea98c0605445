import type { ForgeKind } from './known-forges.ts'

/** A GitHub App that acts for itself. */
export interface AppAccess {
  readonly id: number
  /** PEM. */
  readonly privateKey: string
  readonly installation: number | null
}

export interface ForgeAccess {
  /** As the configuration names it. */
  readonly name: string
  readonly kind: ForgeKind
  /** Where people see it. */
  readonly url: string
  /** The repository, as the forge names it. */
  readonly project: string
  readonly credentials: { readonly token: string } | { readonly app: AppAccess }
}
