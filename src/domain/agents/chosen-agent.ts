import type { ProviderKind } from '../providers.ts'

/** An agent of `agent:<name>`, with the model that it works with. */
export interface ChosenAgent {
  readonly name: string
  readonly title: string
  /** The program, by absolute path or by name on PATH, and its arguments. */
  readonly command: readonly [string, ...string[]]
  /** Null for an agent with a login of its own, which has no gateway. */
  readonly model: AgentModel | null
  /** Set after the variables that Drydock sets, so that these win. */
  readonly env: Readonly<Record<string, string>>
  /** Absolute paths of further folders and files that the agent may read. */
  readonly readOnlyPaths: readonly string[]
  /** Files of the user's home, each with its place in the agent's HOME. */
  readonly credentials: readonly { readonly path: string; readonly at: string }[]
}

export interface AgentModel {
  /** A hosted provider, a local one, or an entry of `providers`. */
  readonly provider: string
  readonly kind: ProviderKind
  /** The provider's name of the model. */
  readonly name: string
}
