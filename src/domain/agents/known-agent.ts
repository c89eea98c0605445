import type { ProviderKind } from '../providers.ts'

/** Where an agent finds its model, inside of its sandbox. */
export interface ModelPlace {
  readonly kind: ProviderKind
  /** Of the gateway: scheme, host and port. */
  readonly origin: string
  /** As its provider calls it. */
  readonly model: string
  /** Stands where a key is expected. The gateway puts the real one in its place. */
  readonly key: string
  /** The command that reaches Drydock's own tools by MCP. */
  readonly tools: readonly [string, ...string[]]
}

/** What makes an agent use a model. */
export interface AgentSurroundings {
  readonly env: Readonly<Record<string, string>>
  /** Text by path, from its HOME. */
  readonly files: Readonly<Record<string, string>>
}

/** An agent that Drydock knows how to start and to point at a model. */
export interface KnownAgent {
  readonly title: string
  /** Its program is looked for on PATH. */
  readonly command: readonly [string, ...string[]]
  /** What npm installs. */
  readonly packages: readonly string[]
  /** Programs that it starts, by the variable that tells it where one is. */
  readonly helpers: Readonly<Record<string, string>>
  /** The kinds of provider that it can speak to, the best first. */
  readonly kinds: readonly ProviderKind[]
  /** False where it takes no tools from its client: then it cannot ask or submit. */
  readonly hasTools: boolean
  /** The way of authentication that it is told to take when it asks for one. */
  readonly authentication: string | null
  surroundings(place: ModelPlace): AgentSurroundings
}

export function jsonFile(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`
}
