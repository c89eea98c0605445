import { join } from 'node:path'
import type { SessionUpdate, ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk'
import type { ToolCallRow } from '../../app/views/window/run-window.ts'
import { linesBefore } from '../../domain/edit/line-change.ts'
import { parsePatch } from '../../domain/edit/parse-patch.ts'
import { isObject } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'
import { capText } from '../../domain/text.ts'

const kinds: Readonly<Record<string, ToolKind>> = {
  read_file: 'read',
  list_files: 'search',
  search_files: 'search',
  get_diff: 'read',
  read_messages: 'read',
  edit_file: 'edit',
  write_file: 'edit',
  apply_patch: 'edit',
  delete_file: 'delete',
  move_file: 'move',
  run_command: 'execute',
  check_command: 'execute',
  update_todos: 'think',
  read_skill: 'read',
}

const observedKinds: readonly ToolKind[] = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch']

interface ToolUpdateInput {
  readonly id: string
  readonly call: ToolCallRow
  /** The path of the user's repository, where a client finds the files. */
  readonly repository: string
}

/** An agent's finished tool call, in the form that clients show. */
export function toolUpdate({ id, call, repository }: ToolUpdateInput): SessionUpdate {
  const { tool, observed, input, line, ok, result } = call
  const diffs = ok && !observed ? diffsOf(tool, fieldsOf(input), repository) : []
  const kind = observed ? (observedKinds.find((each) => each === tool) ?? 'other') : (kinds[tool] ?? 'other')
  const isShown = result !== '' && (!ok || kind === 'execute')
  return {
    sessionUpdate: 'tool_call',
    toolCallId: id,
    title: line,
    name: tool,
    kind,
    status: ok ? 'completed' : 'failed',
    content: [...diffs, ...(isShown ? [textContent(result)] : [])],
    locations: observed
      ? observedLocations(fieldsOf(input), repository)
      : locationsOf(tool, fieldsOf(input), repository),
  }
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } }
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(input: unknown): Fields {
  return isObject(input) ? (input as Fields) : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The old and new texts of an edit, as the agent wrote them. */
function diffsOf(tool: string, input: Fields, repository: string): readonly ToolCallContent[] {
  const diff = (path: string, oldText: string | null, newText: string): ToolCallContent => ({
    type: 'diff',
    path: join(repository, path),
    newText: capText(newText, limits.acp.diffChars),
    oldText: oldText === null ? null : capText(oldText, limits.acp.diffChars),
  })
  if (tool === 'write_file') return [diff(textOf(input.path), null, textOf(input.content))]
  if (tool === 'edit_file') {
    const edits = [input, ...(Array.isArray(input.more) ? input.more.map(fieldsOf) : [])]
    return edits.map((edit) => diff(textOf(input.path), textOf(edit.old), textOf(edit.new)))
  }
  if (tool !== 'apply_patch') return []
  const patch = parsePatch(textOf(input.patch))
  return (patch.ok ? patch.files : []).flatMap((file) => {
    if (file.kind === 'add') return [diff(file.path, null, file.lines.join('\n'))]
    if (file.kind === 'delete') return []
    return file.hunks.map(({ changes }) => {
      const after = changes.flatMap(({ kind, text }) => (kind === 'drop' ? [] : [text]))
      return diff(file.to ?? file.path, linesBefore(changes).join('\n'), after.join('\n'))
    })
  })
}

/** Maps the paths of a foreign agent, which sees the repository at /repo. */
function observedLocations({ paths }: Fields, repository: string): ToolCallLocation[] {
  const named = Array.isArray(paths) ? paths.map(textOf) : []
  return named.filter(Boolean).map((path) => ({ path: join(repository, path.replace(/^\/repo(?=\/|$)/, '')) }))
}

function locationsOf(tool: string, input: Fields, repository: string): ToolCallLocation[] {
  if (tool === 'apply_patch') {
    const patch = parsePatch(textOf(input.patch))
    return (patch.ok ? patch.files : []).map(({ path }) => ({ path: join(repository, path) }))
  }
  const path = textOf(input.path) || textOf(input.to)
  // The stored output of a command is not a file of the repository.
  if (path === '' || path.startsWith('output:') || !(tool in kinds)) return []
  return [{ path: join(repository, path), ...(typeof input.offset === 'number' && { line: input.offset }) }]
}
