/** `escalate` asks a human and blocks the asker until a human's `reply` arrives. */
export type PostType = 'chat' | 'reply' | 'escalate'

/** The machine that waits for the reply to an escalation. */
export interface Asker {
  readonly kind: 'run' | 'story' | 'request'
  /** Id of the machine. */
  readonly machine: string
}

/** One message of a Run's chat. `story` null means the Run itself. */
export interface ChatMessage {
  /** Decimal digits, growing; ids never change, even across restarts. */
  readonly id: string
  /** `architect`, `editor`, `human`, or `drydock` for messages that no agent wrote. */
  readonly agent_id: string
  readonly content: string
  /** An ISO 8601 time. */
  readonly timestamp: string
  readonly reply_to: string | null
  readonly post_type: PostType
  readonly run: string
  readonly story: string | null
  /** The token's name, for a human on a hub. */
  readonly author?: string
  /** The machine that gets the reply; on escalations only. */
  readonly asker?: Asker
}
