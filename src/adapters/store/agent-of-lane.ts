import { sql } from 'kysely'

/** A lane's id is its Run's with its key, which begins with who speaks in it. */
export const agentOfLane = sql<string>`substr(lane, length(run) + 2, instr(substr(lane, length(run) + 2) || '/', '/') - 1)`
