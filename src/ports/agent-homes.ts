/** The folders that foreign agents keep of their lanes, from one turn to the next. */
export interface AgentHomes {
  /** Makes what is not there. */
  open(lane: string): Promise<AgentHome>
  /** The lanes that have one. */
  lanes(): Promise<readonly string[]>
  /** Removes all of a lane, whatever its agent has left there. */
  remove(lane: string): Promise<void>
}

export interface AgentHome {
  /** Its HOME inside: the agent alone writes there, and nobody else reads it. */
  readonly home: string
  /** For sockets: with a short name their paths have 100 bytes at most. */
  readonly sockets: string
}
