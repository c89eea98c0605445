import { relative } from 'node:path'
import { limits } from '../../domain/limits.ts'
import { plainLine, plainText } from '../../domain/plain-text.ts'
import type { AgentUpdate } from '../../ports/coding-agent.ts'
import type { ToolUpdate } from './update-shapes.ts'

const { textChars, titleChars, paths: mostPaths } = limits.agents

const kinds: readonly string[] = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
]

export type ToolCall = Extract<AgentUpdate, { type: 'tool' }>

/** A tool call after one more update; fields that the update leaves out keep their value. */
export function seenCall(before: ToolCall | null, update: ToolUpdate, cwd: string): ToolCall {
  const paths = [
    ...(update.locations ?? []).map(({ path }) => path),
    ...(update.content ?? []).flatMap(({ type, path }) => (type === 'diff' && path ? [path] : [])),
  ].map((path) => shownPath(path, cwd))
  return {
    type: 'tool',
    id: plainLine(update.toolCallId, titleChars),
    title: update.title ? plainLine(update.title, titleChars) : (before?.title ?? ''),
    kind: update.kind ? kindOf(update.kind) : (before?.kind ?? 'other'),
    status: statusOf(update.status) ?? before?.status ?? 'pending',
    paths: [...new Set([...(before?.paths ?? []), ...paths])].slice(0, mostPaths),
    input: asText(update.rawInput) ?? before?.input ?? null,
    output: outputOf(update) ?? before?.output ?? null,
  }
}

/** Only kinds of the protocol are accepted: another one could pass for a tool of Drydock itself. */
function kindOf(kind: string): string {
  return kinds.includes(kind) ? kind : 'other'
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

/** Returns a string as it is, and anything else as JSON. */
function asText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return plainText(typeof value === 'string' ? value : JSON.stringify(value), textChars)
}
