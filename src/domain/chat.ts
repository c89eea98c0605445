/** `escalate` asks a human and blocks what asked until a `reply` to it comes from one. */
export type PostType = 'chat' | 'reply' | 'escalate'

/** The machine that waits for the reply to an escalation. */
export interface Asker {
  readonly kind: 'run' | 'story' | 'request'
  /** Its id. */
  readonly machine: string
}

/** One message of a Run's chat. `story` null means the Run itself. */
export interface ChatMessage {
  /** Decimal digits, growing; never changes, also not across restarts. */
  readonly id: string
  /** `architect`, `editor`, `human`, or `drydock` for what no agent says. */
  readonly agent_id: string
  readonly content: string
  /** ISO 8601. */
  readonly timestamp: string
  readonly reply_to: string | null
  readonly post_type: PostType
  readonly run: string
  readonly story: string | null
  /** Of a human on a hub: the name of the token. */
  readonly author?: string
  /** The machine that gets the reply; on escalations only. */
  readonly asker?: Asker
}
