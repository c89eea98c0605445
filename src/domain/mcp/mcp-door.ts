/** Tools of `drydock mcp` that act. */
export const workToolNames = ['start_task', 'start_run', 'answer', 'cancel'] as const

/** The user's setting for clients of `drydock mcp` that may do more than read. */
export interface McpDoor {
  readonly allow: readonly (typeof workToolNames)[number][]
  /** Budget in dollars for one Run that clients start; left out for the default. */
  readonly budgetUsd?: number
}
