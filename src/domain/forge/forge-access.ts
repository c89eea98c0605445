import type { ForgeKind } from './known-forges.ts'

/** A GitHub App that acts on its own behalf. */
export interface AppAccess {
  readonly id: number
  /** The private key in PEM. */
  readonly privateKey: string
  readonly installation: number | null
}

export interface ForgeAccess {
  /** The configuration's name of the forge. */
  readonly name: string
  readonly kind: ForgeKind
  /** The forge's address for people. */
  readonly url: string
  /** The repository, as the forge names it. */
  readonly project: string
  readonly credentials: { readonly token: string } | { readonly app: AppAccess }
}
