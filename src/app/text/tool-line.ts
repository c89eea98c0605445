import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'
import { isObserved } from '../../domain/observed.ts'
import type { ToolExecution } from '../../ports/rows.ts'

/** A tool call in one line: its request, and its result in brief. */
export function toolLine(execution: ToolExecution): string {
  const { tool, arguments: given, result, success } = execution
  const asked = isObserved(execution) ? observedLine(tool, given) : callLine(tool, given)
  if (result === null) return asked
  const hasFailed = success === false && tool !== 'run_command'
  const came = hasFailed ? `failed: ${firstLine(result)}` : cameOf(tool, result)
  return came === '' ? asked : `${asked} → ${came}`
}

/** The line for a tool call that a foreign agent only describes in its own words. */
function observedLine(kind: string, given: Json): string {
  const { title } = objectOf(given)
  return `${kind}: ${inOneLine(typeof title === 'string' ? title : '')} (observed)`
}

/** The request of a tool call in one line, without its result. */
export function callLine(tool: string, given: Json): string {
  return [tool, askedFor(tool, given)].filter(Boolean).join(' ')
}

/** A text as one line of bounded length. */
export function inOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= limits.log.lineChars ? line : `${line.slice(0, limits.log.lineChars)}…`
}

/** The text of an agent's submission, for people: a plan in full, otherwise its text. */
export function handedIn(tool: string, given: Json): readonly string[] {
  const input = objectOf(given)
  const rows = (name: string, of: Json | undefined) => textsOf(of).map((text) => `${name}: ${inOneLine(text)}`)
  switch (tool) {
    case 'submit_plan':
      return [
        ...rows('changes', [input.behaviour_change ?? '']),
        ...rows('criterion', input.acceptance_criteria),
        ...rows('not', input.non_goals),
        ...rows('slice', input.slices),
        ...rows('file', input.files),
        ...rows('test', input.tests),
        ...rows('hypothesis', [input.hypothesis ?? '']),
      ]
    case 'submit_change':
      return [...rows('summary', [input.summary ?? '']), ...rows('hypothesis', [input.hypothesis ?? ''])]
    case 'submit_reply':
      return rows('says', [input.response ?? ''])
    case 'ask_user':
      return objectsOf(input.questions).flatMap(({ question }) => rows('asks', [question ?? '']))
    case 'too_vague':
      return [...rows('says', [input.reason ?? '']), ...rows('missing', input.missing)]
    case 'submit_spec':
      return [...rows('goal', [input.goal ?? '']), ...rows('criterion', input.acceptance_criteria)]
    case 'submit_stories':
      return objectsOf(input.stories).flatMap(({ id, title }) => rows(`${id}`, [title ?? '']))
    default:
      return []
  }
}

function askedFor(tool: string, given: Json): string {
  const input = objectOf(given)
  const text = (name: string) => (typeof input[name] === 'string' ? String(input[name]) : '')
  switch (tool) {
    case 'read_file':
      return `${text('path')}${typeof input.offset === 'number' ? `:${input.offset}` : ''}`
    case 'search_files':
      return [inOneLine(text('pattern')), text('glob') && `in ${text('glob')}`].filter(Boolean).join(' ')
    case 'update_todos':
      return inOneLine(
        objectsOf(input.todos)
          .flatMap(({ text: item, status }) => (status === 'in_progress' ? [item] : []))
          .join(', '),
      )
    case 'apply_patch':
      return inOneLine([...text('patch').matchAll(/^\*\*\* \w+ File: *(.*)$/gm)].map(([, path]) => path).join(', '))
    case 'move_file':
      return `${text('from')} → ${text('to')}`
    case 'ask_scout':
      return `${text('scout')}: ${inOneLine(text('question'))}`
    case 'ask_user':
    case 'too_vague':
      return ''
    case 'submit_reply':
      return text('verdict')
    default: {
      const known = ['path', 'pattern', 'command', 'question', 'content'].map(text).find((each) => each !== '')
      return tool.startsWith('submit_') ? '' : inOneLine(known ?? JSON.stringify(given))
    }
  }
}

function cameOf(tool: string, result: string): string {
  // Reports and verdicts need no result here, since the next lines show them.
  if (tool === 'ask_scout' || tool.startsWith('submit_')) return ''
  const lines = result.replace(/\n$/, '').split('\n')
  if (tool === 'run_command') return inOneLine(lines.at(-1) ?? '')
  if (lines.length > 1) return `${lines.length} lines`
  return tool === 'read_file' ? '1 line' : inOneLine(result)
}

function firstLine(text: string): string {
  return inOneLine(text.split('\n').find((line) => line.trim() !== '') ?? '')
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string' && item !== '') : []
}
