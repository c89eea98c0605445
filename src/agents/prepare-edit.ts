import type { Expectation } from '../ports/rows.ts'
import { done, type PreparedEdit, refuse, type Tool, type ToolContext, type ToolOutcome } from './tools/tool.ts'

interface EditCall {
  readonly tool: Extract<Tool, { kind: 'edit' }>
  readonly input: unknown
  /** The expectation stored before a crash interrupted the call; otherwise null. */
  readonly expectation: Expectation | null
  readonly context: ToolContext
}

/**
 * An edit ready to be performed, or its outcome when it is refused. An interrupted edit is checked
 * first: if all files match the state after it, it happened; if all match the state before, it did
 * not. An edit of several files that stopped between two of them is completed. Any other state
 * stays open and is reported so.
 */
export async function prepareEdit({
  tool,
  input,
  expectation,
  context,
}: EditCall): Promise<PreparedEdit | ToolOutcome> {
  if (expectation === null) return tool.prepare(input, context)
  const hashes: (string | null)[] = []
  for (const { path } of expectation) {
    const reply = await context.session.request({ op: 'hash', path }, context.signal)
    hashes.push(reply.ok ? reply.value.sha256 : null)
  }
  if (expectation.every(({ after }, i) => hashes[i] === after)) return done('Done (before an interruption).')
  if (expectation.every(({ before }, i) => hashes[i] === before)) return tool.prepare(input, context)
  const isHalf = expectation.every(({ before, after }, i) => hashes[i] === before || hashes[i] === after)
  if (isHalf && tool.resume) {
    const settled = expectation.flatMap(({ path, after }, i) => (hashes[i] === after ? [path] : []))
    return tool.resume(input, context, new Set(settled))
  }
  return refuse(
    'Drydock was interrupted during this edit. The file matches neither the state before nor after it. Read it again.',
  )
}
