/** What the scripted agent does: how it begins, and one list of steps for each prompt. */
export interface AgentScript {
  readonly name?: string
  readonly protocolVersion?: number
  /** Offers `session/load`; without it a session ends with the process. */
  readonly loads?: boolean
  /** Refuses a session until it was told to authenticate in this way. */
  readonly authentication?: string
  /** Never answers this method. */
  readonly hangsOn?: 'initialize' | 'session/new' | 'session/load'
  /** Says something all the time while it does not answer. */
  readonly murmurs?: boolean
  /** Answers this method with an error. */
  readonly failsOn?: 'initialize' | 'session/new' | 'session/load' | 'session/prompt'
  /** Goes on when its turn is cancelled. */
  readonly ignoresCancel?: boolean
  /** Lives on when its standard input ends or it gets a signal. */
  readonly ignoresEnd?: boolean
  /** Models that its session offers, as a configuration option. */
  readonly models?: readonly string[]
  /**
   * A prompt takes the first turn that was not taken before, in this HOME, and whose `when` it
   * contains. Without one it says so and ends its turn.
   */
  readonly turns: readonly ScriptedTurn[]
}

export interface ScriptedTurn {
  /** A part of the prompt. */
  readonly when?: string
  readonly steps: readonly Step[]
  /** Begins anew after the last step, until the turn is cancelled; `{n}` in a command counts. */
  readonly repeats?: boolean
  readonly ends?: 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal'
}

/** A step that does something is a tool call, whose output says what came of it. */
export type Step =
  | { readonly say: string }
  | { readonly think: string }
  | { readonly plan: readonly string[] }
  | { readonly write: string; readonly text: string }
  | { readonly edit: string; readonly from: string; readonly to: string }
  | { readonly read: string }
  /** By a shell, to its end. */
  | { readonly run: string }
  /** By a shell, too, as an edit of which nothing is told. */
  | { readonly unseen: string }
  /** Left behind in a session of its own. */
  | { readonly leave: string }
  /** Waits until the file is there. */
  | { readonly waitFor: string }
  /** Calls a tool of the MCP server that it was given. */
  | { readonly tool: string; readonly input?: Readonly<Record<string, unknown>> }
  | { readonly tools: true }
  /** Calls `post_message` so often, of which nothing is told. */
  | { readonly unseenPosts: number }
  /** Posts to the URL in the variable `BASE_URL`. */
  | { readonly model: string; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Connects to `host:port` and says whether it could. */
  | { readonly connect: string }
  | { readonly environment: true }
  | { readonly ask: readonly { readonly id: string; readonly kind: string }[] }
  /** Asks the client for something, as for files or a terminal. */
  | { readonly client: string; readonly params?: unknown }
  /** Sends what the protocol does not know, as an update. */
  | { readonly update: unknown }
  /** Writes to its standard output, past the protocol. */
  | { readonly raw: string }
  | { readonly complain: string }
  /** So many updates. */
  | { readonly flood: number }
  /** One update of so many characters. */
  | { readonly longLine: number }
  | { readonly hang: true }
  | { readonly die: number }
