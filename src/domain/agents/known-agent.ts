import type { ProviderKind } from '../providers.ts'

/** The place of an agent's model, as seen from inside its sandbox. */
export interface ModelPlace {
  readonly kind: ProviderKind
  /** The gateway's scheme, host and port. */
  readonly origin: string
  /** The provider's name of the model. */
  readonly model: string
  /** A placeholder for the key. The gateway replaces it with the real one. */
  readonly key: string
  /** The command that reaches Drydock's own tools by MCP. */
  readonly tools: readonly [string, ...string[]]
}

/** The environment and files that make an agent use a model. */
export interface AgentSurroundings {
  readonly env: Readonly<Record<string, string>>
  /** Text by path, relative to HOME. */
  readonly files: Readonly<Record<string, string>>
}

/** An agent that Drydock knows how to start and to point at a model. */
export interface KnownAgent {
  readonly title: string
  /** The program is looked for on PATH. */
  readonly command: readonly [string, ...string[]]
  /** Packages that npm installs. */
  readonly packages: readonly string[]
  /** Programs that the agent starts, by the variable that holds their path. */
  readonly helpers: Readonly<Record<string, string>>
  /** Kinds of provider that the agent can speak to, the best first. */
  readonly kinds: readonly ProviderKind[]
  /** False where the agent takes no tools from its client: then it cannot ask or submit. */
  readonly hasTools: boolean
  /** The authentication method that the agent is told to use when it asks for one. */
  readonly authentication: string | null
  surroundings(place: ModelPlace): AgentSurroundings
}

export function jsonFile(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`
}
