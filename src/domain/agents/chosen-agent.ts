import type { ProviderKind } from '../providers.ts'

/** An agent of `agent:<name>`, with the model that it works with. */
export interface ChosenAgent {
  readonly name: string
  readonly title: string
  /** Its program, by an absolute path or by its name on PATH, and the arguments. */
  readonly command: readonly [string, ...string[]]
  /** Null for an agent with a login of its own, which has no gateway. */
  readonly model: AgentModel | null
  /** Set after those that Drydock sets. */
  readonly env: Readonly<Record<string, string>>
  /** Absolute folders and files that it sees, too. */
  readonly readOnlyPaths: readonly string[]
  /** Files of the user's home, each with its place in the agent's HOME. */
  readonly credentials: readonly { readonly path: string; readonly at: string }[]
}

export interface AgentModel {
  /** A hosted provider, a local one, or an entry of `providers`. */
  readonly provider: string
  readonly kind: ProviderKind
  /** As the provider calls it. */
  readonly name: string
}
