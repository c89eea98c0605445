/** The behaviour of the scripted agent: its start, and one list of steps for each prompt. */
export interface AgentScript {
  readonly name?: string
  readonly protocolVersion?: number
  /** True to offer `session/load`; without it a session ends with its process. */
  readonly loads?: boolean
  /** Refuses a session until the client authenticates with this method. */
  readonly authentication?: string
  /** Never answers this method. */
  readonly hangsOn?: 'initialize' | 'session/new' | 'session/load'
  /** True to keep sending output while it does not answer. */
  readonly murmurs?: boolean
  /** Answers this method with an error. */
  readonly failsOn?: 'initialize' | 'session/new' | 'session/load' | 'session/prompt'
  /** True to continue after the turn is cancelled. */
  readonly ignoresCancel?: boolean
  /** True to survive the end of standard input, and signals. */
  readonly ignoresEnd?: boolean
  /** Models that its session offers as a configuration option. */
  readonly models?: readonly string[]
  /**
   * A prompt takes the first turn that was not used before in this HOME, and whose `when` it
   * contains. If there is none, the agent says so and ends its turn.
   */
  readonly turns: readonly ScriptedTurn[]
}

export interface ScriptedTurn {
  /** A part of the prompt. */
  readonly when?: string
  readonly steps: readonly Step[]
  /**
   * True to start again after the last step, until the turn is cancelled; `{n}` in a command counts
   * the rounds.
   */
  readonly repeats?: boolean
  readonly ends?: 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal'
}

/** A step with an effect is a tool call, whose output is the result. */
export type Step =
  | { readonly say: string }
  | { readonly think: string }
  | { readonly plan: readonly string[] }
  | { readonly write: string; readonly text: string }
  | { readonly edit: string; readonly from: string; readonly to: string }
  | { readonly read: string }
  /** Runs a shell command to its end. */
  | { readonly run: string }
  /** Runs a shell command, too, but as an edit without any update. */
  | { readonly unseen: string }
  /** Leaves a process behind in its own session. */
  | { readonly leave: string }
  /** Waits until the file exists. */
  | { readonly waitFor: string }
  /** Calls a tool of its MCP server. */
  | { readonly tool: string; readonly input?: Readonly<Record<string, unknown>> }
  | { readonly tools: true }
  /** Calls `post_message` this many times without any update. */
  | { readonly unseenPosts: number }
  /** Posts to the URL in the variable `BASE_URL`. */
  | { readonly model: string; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Connects to `host:port` and reports whether that worked. */
  | { readonly connect: string }
  | { readonly environment: true }
  | { readonly ask: readonly { readonly id: string; readonly kind: string }[] }
  /** Sends a request to the client, for example for files or a terminal. */
  | { readonly client: string; readonly params?: unknown }
  /** Sends an update that the protocol does not define. */
  | { readonly update: unknown }
  /** Writes to its standard output outside the protocol. */
  | { readonly raw: string }
  | { readonly complain: string }
  | { readonly flood: number }
  /** Sends one update with this many characters. */
  | { readonly longLine: number }
  | { readonly hang: true }
  | { readonly die: number }
