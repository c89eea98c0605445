import { relative } from 'node:path'
import { limits } from '../../domain/limits.ts'
import { plainLine, plainText } from '../../domain/plain-text.ts'
import type { AgentUpdate } from '../../ports/coding-agent.ts'
import type { ToolUpdate } from './update-shapes.ts'

const { textChars, titleChars, paths: mostPaths } = limits.agents

export type ToolCall = Extract<AgentUpdate, { type: 'tool' }>

/** What is known of a call after one more update: what it leaves out stays as it was. */
export function seenCall(before: ToolCall | null, update: ToolUpdate, cwd: string): ToolCall {
  const paths = [
    ...(update.locations ?? []).map(({ path }) => path),
    ...(update.content ?? []).flatMap(({ type, path }) => (type === 'diff' && path ? [path] : [])),
  ].map((path) => shownPath(path, cwd))
  return {
    type: 'tool',
    id: plainLine(update.toolCallId, titleChars),
    title: update.title ? plainLine(update.title, titleChars) : (before?.title ?? ''),
    kind: update.kind ? plainLine(update.kind, titleChars) : (before?.kind ?? 'other'),
    status: statusOf(update.status) ?? before?.status ?? 'pending',
    paths: [...new Set([...(before?.paths ?? []), ...paths])].slice(0, mostPaths),
    input: asText(update.rawInput) ?? before?.input ?? null,
    output: outputOf(update) ?? before?.output ?? null,
  }
}

function statusOf(status: string | null | undefined): ToolCall['status'] | null {
  return status === 'pending' || status === 'in_progress' || status === 'completed' || status === 'failed'
    ? status
    : null
}

function shownPath(path: string, cwd: string): string {
  const way = relative(cwd, path)
  return plainLine(way === '' || way.startsWith('../') || way === '..' ? path : way, titleChars)
}

function outputOf({ content, rawOutput }: ToolUpdate): string | null {
  const texts = (content ?? []).flatMap((part) => part.content?.text ?? [])
  return texts.length > 0 ? plainText(texts.join('\n'), textChars) : asText(rawOutput)
}

/** As JSON, unless it is a text. */
function asText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return plainText(typeof value === 'string' ? value : JSON.stringify(value), textChars)
}
