import { posix } from 'node:path'
import type { Json } from '../domain/json.ts'
import type { Message, ToolCall } from '../domain/lane/message.ts'
import { registry } from './tools/registry.ts'

const kinds: ReadonlyMap<string, string> = new Map(registry.map(({ name, kind }) => [name, kind]))

/**
 * The files that the last calls of a lane have read or edited, as paths from the root; taken from
 * the conversation, so that a lane finds the same after a crash.
 */
export function touchedPaths(stored: readonly Message[]): readonly string[] {
  const asked = stored.findLast((message) => message.role === 'assistant' && message.calls.length > 0)
  const answered = stored.findLast((message) => message.role === 'tool')
  if (asked?.role !== 'assistant' || answered?.role !== 'tool') return []
  const isDone = (call: ToolCall) => answered.results.some(({ callId, ok }) => ok && callId === call.id)
  const touching = asked.calls.filter((call) => ['read', 'edit'].includes(kinds.get(call.tool) ?? '') && isDone(call))
  const paths = touching
    .flatMap(({ input }) => pathsIn(input))
    .map((path) => posix.normalize(path).replace(/^\/repo\/+/, ''))
  return [...new Set(paths)].filter((path) => !/^(?:\/|\.\.(?:\/|$)|artifact:)/.test(path))
}

/** Values of arguments named like paths, at any depth. */
function pathsIn(input: Json): readonly string[] {
  if (Array.isArray(input)) return input.flatMap(pathsIn)
  if (typeof input !== 'object' || input === null) return []
  return Object.entries(input).flatMap(([key, value]) => {
    if (typeof value !== 'string') return pathsIn(value)
    if (['path', 'from', 'to'].includes(key)) return [value]
    return key === 'patch'
      ? [...value.matchAll(/^\*\*\* (?:(?:Add|Update) File|Move to): (.+)$/gm)].map(([, path = '']) => path.trim())
      : []
  })
}
