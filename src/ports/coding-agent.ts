import type { SandboxSpec } from './sandbox.ts'

/**
 * A coding agent that the user has installed, spoken to by the Agent Client Protocol. It runs as
 * one process in a sandbox of its own.
 */
export interface CodingAgents {
  /**
   * Starts the agent and opens its session: the earlier one where the agent can load it, otherwise
   * a new one. When `signal` is aborted, its reason is thrown.
   */
  open(starting: AgentStart, signal: AbortSignal): Promise<OpenedAgent>
}

/** Where an agent finds the gateway to its model, inside of its sandbox. */
export const gatewayInside = { port: 8_130, url: 'http://127.0.0.1:8130' } as const

export interface AgentStart {
  /** As in `agent:<name>`. */
  readonly name: string
  /** Its program, by its absolute path or by its name on the user's PATH, and the arguments. */
  readonly command: readonly string[]
  /** Chosen where the session offers it; most agents have theirs from the environment. */
  readonly model: string | null
  /**
   * What it sees, and where it may write: the workspace and the paths that the user names. Its own
   * program is added to that. The environment is all that it has besides PATH, HOME, LANG and
   * TMPDIR.
   */
  readonly sandbox: SandboxSpec
  /** Folder of the host that is its HOME inside, kept from one turn to the next of a lane. */
  readonly home: string
  /**
   * Text by path, written into its HOME before it starts, given the command that reaches Drydock's
   * own tools.
   */
  readonly files: (tools: readonly [string, ...string[]]) => Readonly<Record<string, string>>
  /** Files of the host that are shown read-only in its HOME, at a path relative to it. */
  readonly credentials: readonly { readonly path: string; readonly at: string }[]
  /**
   * Unix sockets of the host: the gateway to its model, which is at `gatewayInside` there (null for
   * an agent with a login of its own), and
   * Drydock's own tools by MCP, as lines of JSON.
   */
  readonly gateway: string | null
  readonly tools: string
  /**
   * The way of authentication that it is told to take when it asks for one. Null for an agent that
   * takes what its environment or its HOME holds.
   */
  readonly authentication: string | null
  /** Id of the session that it had before a turn ended or a process died; null for a new one. */
  readonly session: string | null
}

export type OpenedAgent =
  | { readonly ok: true; readonly session: AgentSession }
  | { readonly ok: false; readonly failure: AgentFailure }

export interface AgentSession {
  readonly id: string
  /** The earlier session goes on: it knows what was said. */
  readonly isLoaded: boolean
  /** What it calls itself: a name and a version. */
  readonly version: string | null
  /** Whether it can load an earlier session. */
  readonly canLoad: boolean
  /**
   * One prompt, until the agent has ended its turn. `observe` gets what it says that it does, in
   * order and by whole messages. An aborted `signal` ends the turn as `cancelled`, and also ends an
   * agent that goes on.
   */
  prompt(text: string, observe: (update: AgentUpdate) => void, signal: AbortSignal): Promise<TurnEnd>
  /** Ends the agent. Nothing that it has started is alive afterwards. */
  close(): Promise<void>
}

export type TurnEnd =
  | {
      readonly type: 'ended'
      readonly reason: 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled'
      /** What it said last, capped. */
      readonly text: string
    }
  | { readonly type: 'failed'; readonly failure: AgentFailure }

/**
 * `missing`: its program is not there. `unfit`: it lacks what is needed, which the message names.
 * `silent`: it did not answer in time. `flooded`: it wrote too much. `malformed`: what it wrote is
 * not the protocol. `died`: its process ended. `refused`: it answered with an error. `sandbox`: its
 * sandbox did not start, or the agent filled the disk.
 */
export interface AgentFailure {
  readonly kind: 'missing' | 'unfit' | 'silent' | 'flooded' | 'malformed' | 'died' | 'refused' | 'sandbox'
  /** One line for people. */
  readonly message: string
}

/** What an agent says that it does. Observed, never trusted. */
export type AgentUpdate =
  | { readonly type: 'said' | 'thought'; readonly text: string }
  | { readonly type: 'plan'; readonly entries: readonly { readonly text: string; readonly status: string }[] }
  | {
      readonly type: 'tool'
      /** The same for all updates of one call, each of which has all that is known by then. */
      readonly id: string
      readonly title: string
      /** `read`, `edit`, `execute`, `search`, …: the protocol's words. */
      readonly kind: string
      readonly status: 'pending' | 'in_progress' | 'completed' | 'failed'
      /** Relative to the working directory where they are below it. */
      readonly paths: readonly string[]
      /** As JSON or text, capped. */
      readonly input: string | null
      readonly output: string | null
    }
  /** It asked for permission, which it got: it is in a sandbox. */
  | { readonly type: 'permission'; readonly title: string; readonly answer: string }
  /** It asked for what it was not offered: files or terminals of the client. */
  | { readonly type: 'refused'; readonly method: string }
