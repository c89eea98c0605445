import { join } from 'node:path'
import type { AgentStart } from '../../src/ports/coding-agent.ts'

const sources = join(import.meta.dirname, '../../src/adapters')

/** A separate process that opens the agent, prints its updates, and the end of the turn. */
export function hostScript({ files: _, ...start }: AgentStart, folder: string): string {
  return `
    import { createCodingAgents } from ${JSON.stringify(join(sources, 'acp/create-coding-agents.ts'))}
    import { createBubblewrap } from ${JSON.stringify(join(sources, 'sandbox/bubblewrap.ts'))}
    const hostPath = ${JSON.stringify(`${join(folder, 'installed/bin')}:${process.env.PATH}`)}
    const agents = createCodingAgents({ sandbox: createBubblewrap({ hostPath }), hostPath })
    const never = new AbortController().signal
    const opened = await agents.open({ ...${JSON.stringify(start)}, files: () => ({}) }, never)
    if (!opened.ok) throw new Error(opened.failure.message)
    const end = await opened.session.prompt('Go.', (update) => console.log(update.type), never)
    console.log(JSON.stringify(end))
  `
}
