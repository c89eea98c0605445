import { sql } from 'kysely'

/** A lane's id consists of its Run's id and its key, which begins with the name of its agent. */
export const agentOfLane = sql<string>`substr(lane, length(run) + 2, instr(substr(lane, length(run) + 2) || '/', '/') - 1)`
