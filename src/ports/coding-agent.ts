import type { SandboxSpec } from './sandbox.ts'

/**
 * A coding agent that the user has installed, used through the Agent Client Protocol. The agent
 * runs as one process in a sandbox of its own.
 */
export interface CodingAgents {
  /**
   * Starts the agent and opens its session: the earlier one where the agent can load it, otherwise
   * a new one. When `signal` is aborted, its reason is thrown.
   */
  open(starting: AgentStart, signal: AbortSignal): Promise<OpenedAgent>
}

/** The gateway's address inside of an agent's sandbox. */
export const gatewayInside = { port: 8_130, url: 'http://127.0.0.1:8130' } as const

export interface AgentStart {
  /** Name as in `agent:<name>`. */
  readonly name: string
  /** The program, by absolute path or by name on the user's PATH, and its arguments. */
  readonly command: readonly string[]
  /** Selected if the session offers it; most agents get their model from the environment. */
  readonly model: string | null
  /**
   * The mounts and the writable paths: the workspace and the paths that the user names. The agent's
   * own program is added. The environment contains nothing else besides PATH, HOME, LANG and
   * TMPDIR.
   */
  readonly sandbox: SandboxSpec
  /** Folder of the host that is the agent's HOME inside, kept between the turns of a lane. */
  readonly home: string
  /**
   * Text by path, written into HOME before the start; the argument is the command that reaches
   * Drydock's own tools.
   */
  readonly files: (tools: readonly [string, ...string[]]) => Readonly<Record<string, string>>
  /** Files of the host that are shown read-only in HOME, at a path relative to it. */
  readonly credentials: readonly { readonly path: string; readonly at: string }[]
  /**
   * Unix sockets of the host: the gateway to the model, which is at `gatewayInside` there (null for
   * an agent with a login of its own), and Drydock's own tools by MCP, as lines of JSON.
   */
  readonly gateway: string | null
  readonly tools: string
  /**
   * The authentication method to use when the agent asks for one. Null for an agent whose
   * environment or HOME is enough.
   */
  readonly authentication: string | null
  /** Id of the session before the last turn ended or the process died; null for a new one. */
  readonly session: string | null
}

export type OpenedAgent =
  | { readonly ok: true; readonly session: AgentSession }
  | { readonly ok: false; readonly failure: AgentFailure }

export interface AgentSession {
  readonly id: string
  /** True if the agent continues its earlier session, and knows that conversation. */
  readonly isLoaded: boolean
  /** The agent's own name and version. */
  readonly version: string | null
  /** True if the agent can load an earlier session. */
  readonly canLoad: boolean
  /**
   * Sends a prompt, and waits until the agent has ended its turn. `observe` gets the agent's
   * reports in order, as whole messages. An aborted `signal` ends the turn as `cancelled`, and
   * kills an agent that continues.
   */
  prompt(text: string, observe: (update: AgentUpdate) => void, signal: AbortSignal): Promise<TurnEnd>
  /** Ends the agent and everything that it started. */
  close(): Promise<void>
}

export type TurnEnd =
  | {
      readonly type: 'ended'
      readonly reason: 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled'
      /** The agent's last message, capped. */
      readonly text: string
    }
  | { readonly type: 'failed'; readonly failure: AgentFailure }

/**
 * `missing`: the program is not installed. `unfit`: the agent lacks a requirement, which the
 * message names. `silent`: it did not answer in time. `flooded`: it wrote too much. `malformed`:
 * its output is not the protocol. `died`: its process ended. `refused`: it answered with an error.
 * `sandbox`: its sandbox did not start, or the agent filled the disk.
 */
export interface AgentFailure {
  readonly kind: 'missing' | 'unfit' | 'silent' | 'flooded' | 'malformed' | 'died' | 'refused' | 'sandbox'
  /** The message, as one line for people. */
  readonly message: string
}

/** A report of an agent about its own work. Observed, never trusted. */
export type AgentUpdate =
  | { readonly type: 'said' | 'thought'; readonly text: string }
  | { readonly type: 'plan'; readonly entries: readonly { readonly text: string; readonly status: string }[] }
  | {
      readonly type: 'tool'
      /** Equal in all updates of one call; each update has everything known by then. */
      readonly id: string
      readonly title: string
      /** `read`, `edit`, `execute`, `search` and so on, as in the protocol. */
      readonly kind: string
      readonly status: 'pending' | 'in_progress' | 'completed' | 'failed'
      /** Paths below the working directory are relative to it. */
      readonly paths: readonly string[]
      /** JSON or text, capped. */
      readonly input: string | null
      readonly output: string | null
    }
  /** The agent asked for permission and got it, since it runs in a sandbox. */
  | { readonly type: 'permission'; readonly title: string; readonly answer: string }
  /** The agent asked for something it was not offered: files or terminals of the client. */
  | { readonly type: 'refused'; readonly method: string }
