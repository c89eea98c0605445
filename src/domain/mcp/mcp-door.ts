/** Tools of `drydock mcp` that do something. */
export const workToolNames = ['start_task', 'start_run', 'answer', 'cancel'] as const

/** The user's word on what clients of `drydock mcp` may do beside reading. */
export interface McpDoor {
  readonly allow: readonly (typeof workToolNames)[number][]
  /** Dollars of one Run that they start; left out for the usual. */
  readonly budgetUsd?: number
}
