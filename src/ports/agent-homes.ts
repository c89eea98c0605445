/** The folders that foreign agents keep for their lanes, from one turn to the next. */
export interface AgentHomes {
  /** Makes missing folders. */
  open(lane: string): Promise<AgentHome>
  /** The lanes that have a folder. */
  lanes(): Promise<readonly string[]>
  /** Removes all folders of a lane, whatever its agent has left there. */
  remove(lane: string): Promise<void>
}

export interface AgentHome {
  /** The agent's HOME inside: the agent alone writes there, and nobody else reads it. */
  readonly home: string
  /** A folder for sockets, with a short name that keeps their paths within 100 bytes. */
  readonly sockets: string
}
