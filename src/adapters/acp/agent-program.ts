import type { PlainMount } from '../../ports/sandbox.ts'
import { programAround } from '../../processes/program-around.ts'
import { AgentBroke } from './agent-broke.ts'

export interface AgentProgram {
  /** The command line inside. */
  readonly argv: readonly [string, ...string[]]
  /** The program with its package, and the interpreter that its first line names. */
  readonly mounts: readonly PlainMount[]
}

/** Finds an agent's program on the host; what is shown of it inside has the same path there. */
export async function agentProgram(command: readonly string[], hostPath: string): Promise<AgentProgram> {
  const found = await programAround(command, hostPath)
  if (typeof found === 'string') throw new AgentBroke('missing', found)
  return { argv: found.argv, mounts: found.shown.map((path) => ({ path, access: 'read' })) }
}
